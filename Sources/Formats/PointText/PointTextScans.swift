import MeshPipeline

/// A scan in a text: its header, and the number of its points.
struct PointTextScan {
  var header: PointTextHeader
  var count: Int
}

/// The scans of a text, one after the other, each with the number of its points before it.
struct PointTextScans {
  let file: MappedFile
  /// Rows that were left out, and that the claimed numbers count.
  var missingRows = 0

  /// Finds the scans.
  ///
  /// - Throws: A fault at the line that claims more points than there are.
  func all() throws(LineFault) -> [PointTextScan] {
    let first = try file.withBytes { bytes throws(LineFault) in try PointTextHeader(bytes) }
    let lines = lineCount(first.bodyOffset..<first.bodyEnd)
    guard lines < Int(UInt32.max) else {
      throw LineFault(line: first.bodyLine, message: "contains more than \(UInt32.max) points")
    }
    guard let claim = first.claim else { return [PointTextScan(header: first, count: lines)] }
    guard claim.count > 0 else {
      throw LineFault(line: claim.line, message: "the file claims to have no points")
    }
    guard claim.count < lines, let starts = laterStarts(first, claim.count) else {
      return [PointTextScan(header: first, count: try count(claim, of: lines))]
    }
    return try scans(first, starts)
  }

  private func lineCount(_ range: Range<Int>) -> Int {
    let ranges = file.withBytes { TextBlocks.ranges($0, of: range, joinsLines: false) }
    return Parallel.map(count: ranges.count) { index in
      file.withBytes { TextBlocks.countLines($0, ranges[index]) }
    }.reduce(0, +)
  }

  /// The number of points: that which the file claims, if it has them.
  private func count(
    _ claim: (count: Int, line: Int), of lines: Int
  ) throws(LineFault) -> Int {
    guard claim.count <= lines + missingRows else {
      throw LineFault(
        line: claim.line,
        message: "the file claims \(claim.count) points, but has \(lines) lines after this one")
    }
    return min(claim.count, lines)
  }

  // MARK: Several

  private struct Start {
    var offset: Int
    var line: Int
    /// The number of points that it claims.
    var count: Int
  }

  /// Where further scans begin, each with its number of points; nil if none follows the first one.
  private func laterStarts(_ first: PointTextHeader, _ count: Int) -> [Start]? {
    file.withBytes { bytes in
      var lines = TextLines(first.bodyOffset..<bytes.count, firstLine: first.bodyLine)
      var starts: [Start] = []
      var left = count
      while let range = try? lines.next(bytes) {
        guard left == 0 else {
          left -= 1
          continue
        }
        // Other lines after the points are reported where these are read.
        guard let count = Int(text(bytes, range)), count >= 0 else { break }
        starts.append(Start(offset: range.lowerBound, line: lines.line, count: count))
        left = count
      }
      return starts.isEmpty ? nil : starts
    }
  }

  private func scans(
    _ first: PointTextHeader, _ starts: [Start]
  ) throws(LineFault) -> [PointTextScan] {
    var first = first
    first.end(at: starts[0].offset)
    var scans = [
      PointTextScan(header: first, count: lineCount(first.bodyOffset..<first.bodyEnd))
    ]
    for (index, start) in starts.enumerated() {
      let end = index + 1 < starts.count ? starts[index + 1].offset : file.count
      let range = start.offset..<end
      // A scan without points is its number alone.
      guard lineCount(range) > 1 else {
        _ = try count((start.count, start.line), of: 0)
        continue
      }
      var header = try file.withBytes { bytes throws(LineFault) in
        try PointTextHeader(bytes, range, firstLine: start.line)
      }
      header.takeNames(of: first)
      let lines = lineCount(header.bodyOffset..<end)
      scans.append(
        PointTextScan(header: header, count: try count((start.count, start.line), of: lines)))
    }
    return scans
  }
}
