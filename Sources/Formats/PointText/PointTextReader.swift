import MeshPipeline

/// Reads points from text: their columns are the properties of a PLY file without a header.
struct PointTextReader {
  let file: MappedFile
  let context: ReadingContext
  /// Whether columns without names have the order of PTS.
  let isLeica: Bool

  func scene() throws -> Scene {
    do {
      if let short = try PointTextRows(file: file).cutOff() { return try scene(without: short) }
      do {
        return try read(file, missingRows: 0)
      } catch let fault as RowFault {
        guard let short = try PointTextRows(file: file).short() else { throw fault.fault }
        return try scene(without: short)
      }
    } catch let fault as LineFault {
      throw ReadingError.line(path: file.path, line: fault.line + 1, fault.message)
    }
  }

  /// A fault of a row, which may be one that lacks numbers.
  private struct RowFault: Error { var fault: LineFault }

  /// Reads the other rows, which keep their places and lines.
  private func scene(without rows: PointTextRows.Short) throws -> Scene {
    context.stage.warn(
      "\(FileSystem.name(of: file.path)):\(rows.firstLine + 1): \(rows.reason) "
        + "(\(NumberText.grouped(rows.ranges.count)) of the rows, left out); is the file complete?")
    let others = try MappedFile(path: file.path, count: file.count) { target in
      file.withBytes { bytes in
        for index in 0..<bytes.count { target[index] = bytes[index] }
      }
      for range in rows.ranges { for index in range { target[index] = 0x20 } }
    }
    do {
      return try read(others, missingRows: rows.ranges.count)
    } catch let fault as RowFault {
      throw fault.fault
    }
  }

  private func read(_ file: MappedFile, missingRows: Int) throws -> Scene {
    let scans = try PointTextScans(file: file, missingRows: missingRows).all()
    let samples = scans.map { scan in file.withBytes { PointTextSample($0, scan.header) } }
    try context.stage.progress(0.05)
    let names = zip(scans, samples).map { $0.header.names ?? $1.guessedNames }
    let origin = PointTextSample.origin(samples, names)
    var clouds: [PointCloud] = []
    for (index, scan) in scans.enumerated() {
      let cloud = try cloud(
        of: scan, samples[index].properties(names[index]), origin, in: file)
      clouds.append(cloud)
      try context.stage.progress(0.05 + 0.8 * Double(index + 1) / Double(scans.count))
    }
    var scene = Scene(name: FileSystem.title(of: file.path), pointClouds: [clouds.joinedScans])
    scene.coordinateSystem = XYZ.coordinateSystem(of: file.path) ?? scene.coordinateSystem
    warn(of: names[0], scans[0].header)
    try scene.requireLengths(beyond: origin, of: file.path, in: context)
    scene.takeOrigin(origin)
    try context.stage.progress(1)
    return scene
  }

  private func cloud(
    of scan: PointTextScan, _ properties: [PLYHeader.Property], _ origin: SIMD3<Double>,
    in file: MappedFile
  ) throws -> PointCloud {
    let text = scan.header
    let header = PLYHeader(
      points: PLYHeader.Element(
        name: "vertex", count: scan.count, properties: properties, line: text.bodyLine + 1),
      encoding: .text, bodyOffset: text.bodyOffset, bodyEnd: text.bodyEnd,
      delimiter: text.delimiter, origin: origin, classNames: text.classNames,
      claimsCounts: false)
    let contents: [String: PLYContents]
    do {
      contents = try PLYElementReader(file: file, header: header, context: context).read()
    } catch ReadingError.line(_, let line, let message) {
      if let column = columnOfNumbers(at: line, properties, text) {
        var properties = properties
        properties[column].type = .float64
        let cloud = try cloud(of: scan, properties, origin, in: file)
        warnOfRounding(cloud, properties[column].name, line)
        return cloud
      }
      throw RowFault(
        fault: LineFault(line: line - 1, message: message + hint(at: line, text)))
    }
    try context.stage.checkCancellation()
    let assembly = try PLYAssembly(file: file, header: header, contents: contents)
    let cloud = assembly.scene(in: context).pointClouds[0]
    try requireNumbers(cloud, text, in: file)
    return cloud
  }

  // MARK: Identifiers

  /// A column that was taken for identifiers by the sample of its rows, but has a decimal or a negative number in this
  /// line, counted from 1.
  private func columnOfNumbers(
    at line: Int, _ properties: [PLYHeader.Property], _ header: PointTextHeader
  ) -> Int? {
    let words = words(ofLine: line, header)
    return zip(properties, words).enumerated().first { _, column in
      let (property, word) = column
      return property.type == .uint64 && Double(word) != nil
        && !word.allSatisfy { $0.isASCII && $0.isNumber }
    }?.offset
  }

  private func warnOfRounding(_ cloud: PointCloud, _ name: String, _ line: Int) {
    guard let values = cloud.attributes[name]?.values.doubles,
      values.contains(where: { abs($0) >= 0x1p53 })
    else { return }
    context.stage.warn(
      """
      \(FileSystem.name(of: file.path)):\(line): '\(name)' is not a whole number from 0 on, so the column does not hold \
      identifiers; its numbers above \(1 << 53) are rounded
      """)
  }

  // MARK: Faults

  /// What explains the fault of a line, counted from 1.
  private func hint(at line: Int, _ header: PointTextHeader) -> String {
    let words = words(ofLine: line, header)
    if header.delimiter != UInt8(ascii: ","), words.contains(where: { $0.contains(",") }) {
      return "; are these decimal commas? Save the numbers with decimal points"
    }
    guard !words.isEmpty, words.count != header.width else { return "" }
    return
      "; the line has \(words.count) columns, but line \(header.bodyLine + 1) has \(header.width)"
  }

  /// The words of a line, counted from 1.
  private func words(ofLine line: Int, _ header: PointTextHeader) -> [String] {
    file.withBytes { bytes in
      var lines = TextLines(0..<bytes.count)
      while let range = try? lines.next(bytes), lines.line < line {
        if lines.line == line - 1 { return header.words(text(bytes, range)) }
      }
      return []
    }
  }

  private func requireNumbers(
    _ cloud: PointCloud, _ header: PointTextHeader, in file: MappedFile
  ) throws(LineFault) {
    guard let place = cloud.positions.firstIndex(where: { !$0.isFinite }) else { return }
    let line = file.withBytes { bytes in
      var lines = TextLines(header.bodyOffset..<header.bodyEnd, firstLine: header.bodyLine)
      return lines.line(ofNext: place, bytes)
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
      \(FileSystem.name(of: file.path)): has no header; its columns are taken as \
      \(names.joined(separator: " ")): a first line with such names says otherwise
      """)
  }

  private static let leicaNames: Set = ["x", "y", "z", "intensity", "red", "green", "blue"]
}
