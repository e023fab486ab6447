import MeshPipeline

/// Rows of points that lack numbers, as those at the end of a file that was cut off.
struct PointTextRows {
  let file: MappedFile

  /// Rows that can't be points.
  struct Short {
    /// Their bytes, without line breaks.
    var ranges: [Range<Int>] = []
    /// The first one's line, counted from 0.
    var firstLine = 0
    /// What is wrong with the first one.
    var reason = ""
  }

  /// The last row, if the file ends within it: in the middle of the columns, or of the last number.
  ///
  /// A last line without a line break is usual where files were written by hand. It is taken for cut off if it lacks
  /// columns, or if its last number has fewer decimals than all others of the column, which have equally many. The
  /// columns are those of the last scan; where its first row is cut off, those of the first scan.
  func cutOff() throws(LineFault) -> Short? {
    let last = file.withBytes { $0.count > 0 ? $0[$0.count - 1] : 0x0A }
    guard last > 0x20 else { return nil }
    let start = file.withBytes { bytes in
      var start = bytes.count
      while start > 0, bytes[start - 1] != 0x0A, bytes[start - 1] != 0x0D { start -= 1 }
      return start
    }
    return try file.withBytes { bytes throws(LineFault) -> Short? in
      var header = try PointTextHeader(bytes)
      // Only what says its number of points can have several scans.
      if header.claim != nil,
        let scan = (try? PointTextScans(file: file, missingRows: 1).all())?.last
      {
        header = scan.header
      }
      guard start > header.bodyOffset else { return nil }
      let words = header.words(text(bytes, start..<bytes.count))
      // A single number begins a scan, whose points are missing.
      guard words.count > 1 else { return nil }
      var short = Short(
        ranges: [start..<bytes.count], firstLine: TextBlocks.lineBreaks(bytes, before: start))
      if words.count < header.width {
        short.reason = "the last row has \(words.count) of \(header.width) numbers"
        return short
      }
      let known = PointTextSample(bytes, header, until: start).columns.last?.decimals
      guard words.count == header.width, let known, known.lowerBound == known.upperBound,
        PointTextSample.decimals(of: words[words.count - 1]) < known.lowerBound
      else { return nil }
      short.reason = "the last row ends within its last number"
      return short
    }
  }

  /// Rows with fewer numbers than the first one; nil if there are none, or more than half.
  func short() throws(LineFault) -> Short? {
    let scans = try PointTextScans(file: file).all()
    return file.withBytes { bytes in
      var short = Short()
      var count = 0
      for scan in scans {
        let header = scan.header
        var lines = TextLines(
          header.bodyOffset..<header.bodyEnd, firstLine: header.bodyLine)
        while let range = try? lines.next(bytes) {
          count += 1
          let words = header.words(text(bytes, range))
          guard words.count < header.width, words.allSatisfy({ Double($0) != nil }) else {
            continue
          }
          if short.ranges.isEmpty {
            short.firstLine = lines.line
            short.reason = "a row has \(words.count) of \(header.width) numbers"
          }
          short.ranges.append(range)
        }
      }
      return short.ranges.isEmpty || 2 * short.ranges.count > count ? nil : short
    }
  }
}
