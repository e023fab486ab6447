import MeshPipeline

/// Reads points from text: their columns are the properties of a PLY file without a header.
struct PointTextReader {
  let file: MappedFile
  let context: ReadingContext
  /// Whether columns without names have the order of PTS.
  let isLeica: Bool

  func scene() throws -> Scene {
    do {
      return try read()
    } catch let fault as LineFault {
      throw ReadingError.line(path: file.path, line: fault.line + 1, fault.message)
    }
  }

  private func read() throws -> Scene {
    let text = try file.withBytes { bytes throws(LineFault) in try PointTextHeader(bytes) }
    let sample = file.withBytes { PointTextSample($0, text) }
    try context.stage.progress(0.05)
    let names = text.names ?? sample.guessedNames
    let origin = sample.origin(names)
    let count = try pointCount(text)
    let header = PLYHeader(
      points: PLYHeader.Element(
        name: "vertex", count: count, properties: sample.properties(names),
        line: text.bodyLine + 1),
      encoding: .text, bodyOffset: text.bodyOffset, delimiter: text.delimiter, origin: origin,
      classNames: text.classNames, claimsCounts: false)
    let contents: [String: PLYContents]
    do {
      contents = try PLYElementReader(file: file, header: header, context: context).read()
    } catch ReadingError.line(_, let line, let message) {
      throw LineFault(line: line - 1, message: message + hint(at: line, text))
    }
    try context.stage.checkCancellation()
    try context.stage.progress(0.7)
    var scene = try PLYAssembly(file: file, header: header, contents: contents).scene(in: context)
    try requireNumbers(scene.pointClouds[0], text)
    scene.coordinateSystem = XYZ.coordinateSystem(of: file.path) ?? scene.coordinateSystem
    warn(of: names, text)
    scene.takeOrigin(origin, of: file.path, in: context)
    try context.stage.progress(1)
    return scene
  }

  // MARK: Counts

  /// The number of points: that of the lines, unless the file says fewer.
  private func pointCount(_ text: PointTextHeader) throws(LineFault) -> Int {
    let ranges = file.withBytes {
      TextBlocks.ranges($0, of: text.bodyOffset..<$0.count, joinsLines: false)
    }
    let lines = Parallel.map(count: ranges.count) { index in
      file.withBytes { TextBlocks.countLines($0, ranges[index]) }
    }.reduce(0, +)
    guard lines < Int(UInt32.max) else {
      throw LineFault(line: text.bodyLine, message: "contains more than \(UInt32.max) points")
    }
    guard let claim = text.claim else { return lines }
    guard claim.count <= lines else {
      throw LineFault(
        line: claim.line,
        message: "the file claims \(claim.count) points, but has \(lines) lines after this one")
    }
    guard claim.count > 0 else {
      throw LineFault(line: claim.line, message: "the file claims to have no points")
    }
    return claim.count
  }

  // MARK: Faults

  /// What explains the fault of a line, counted from 1.
  private func hint(at line: Int, _ header: PointTextHeader) -> String {
    file.withBytes { bytes in
      var lines = TextLines(0..<bytes.count)
      while let range = try? lines.next(bytes), lines.line < line {
        guard lines.line == line - 1 else { continue }
        let words = header.words(text(bytes, range))
        if header.delimiter != UInt8(ascii: ","), words.contains(where: { $0.contains(",") }) {
          return "; are these decimal commas? Save the numbers with decimal points"
        }
        guard words.count != header.width else { return "" }
        return
          "; the line has \(words.count) columns, but line \(header.bodyLine + 1) has \(header.width)"
      }
      return ""
    }
  }

  private func requireNumbers(_ cloud: PointCloud, _ header: PointTextHeader) throws(LineFault) {
    guard let place = cloud.positions.firstIndex(where: { !$0.isFinite }) else { return }
    let line = file.withBytes { bytes in
      var lines = TextLines(header.bodyOffset..<bytes.count)
      for _ in 0..<place { _ = try? lines.next(bytes) }
      _ = try? lines.next(bytes)
      return header.bodyLine + lines.line
    }
    throw LineFault(line: line, message: "a coordinate is not a finite number; remove the point")
  }

  /// Warns of columns whose meaning is a guess.
  private func warn(of names: [String], _ header: PointTextHeader) {
    guard header.names == nil, names.contains(where: { PLYRole(propertyName: $0) == nil }),
      !(isLeica && Set(names).subtracting(Self.leicaNames).isEmpty)
    else { return }
    context.stage.warn(
      """
      \(FileSystem.name(of: file.path)) has no header; its columns are taken as \
      \(names.joined(separator: " ")): a first line with such names says otherwise
      """)
  }

  private static let leicaNames: Set = ["x", "y", "z", "intensity", "red", "green", "blue"]
}
