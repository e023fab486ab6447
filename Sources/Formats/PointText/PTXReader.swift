import MeshPipeline

/// Reads scans of PTX: of each the size of its grid, the place and the axes of the scanner, a matrix, and the points.
struct PTXReader {
  let file: MappedFile
  let context: ReadingContext

  private struct Scan {
    /// The points of the grid.
    var count: Int
    /// The rows of the matrix: the axes and the place of the scanner.
    var axes: [SIMD3<Double>]
    var place: SIMD3<Double>
    /// The bytes of the points, and their first line, counted from 0.
    var body: Range<Int>
    var line: Int
    var width: Int
  }

  func scene() throws -> Scene {
    let scans = try file.withBytes { bytes throws(LineFault) in try findScans(bytes) }
    let origin = DistantOrigin.place(of: scans.map(\.place))
    var clouds: [PointCloud] = []
    for (index, scan) in scans.enumerated() {
      clouds.append(try cloud(of: scan, origin))
      try context.stage.progress(0.9 * Double(index + 1) / Double(scans.count))
    }
    let name = FileSystem.title(of: file.path)
    var cloud = clouds.joinedScans
    cloud.name = name
    guard !cloud.positions.isEmpty else {
      throw ReadingError.content(
        path: file.path, "all points are at 0 0 0: the scanner saw nothing")
    }
    context.warnOfBrokenNumbers(cloud.positions, in: file.path)
    var scene = Scene(name: name, pointClouds: [cloud], coordinateSystem: .blender)
    scene.takeOrigin(origin)
    try context.stage.progress(1)
    return scene
  }

  // MARK: Headers

  private func findScans(_ bytes: Span<UInt8>) throws(LineFault) -> [Scan] {
    var lines = TextLines(textStart(of: bytes)..<bytes.count)
    var scans: [Scan] = []
    while let first = try lines.next(bytes) {
      let columns = try size(text(bytes, first), lines)
      guard let second = try lines.next(bytes) else { throw incomplete(lines) }
      let rows = try size(text(bytes, second), lines)
      // The place and the axes of the scanner, which the matrix has, too.
      for _ in 0..<4 { _ = try numbers(&lines, bytes, count: 3) }
      var matrix: [[Double]] = []
      for _ in 0..<4 { matrix.append(try numbers(&lines, bytes, count: 4)) }
      let vectors = matrix.map { SIMD3($0[0], $0[1], $0[2]) }
      let (count, isOver) = columns.multipliedReportingOverflow(by: rows)
      guard !isOver, count <= (bytes.count - lines.position + 1) / 6 else {
        throw lines.fault("a scan of \(columns) × \(rows) points does not fit into the file")
      }
      var scan = Scan(
        count: count, axes: Array(vectors[..<3]), place: vectors[3],
        body: lines.position..<lines.position, line: lines.line + 1, width: 0)
      for point in 0..<count {
        guard let range = try lines.next(bytes) else {
          throw lines.fault(
            "the scan claims \(count) points, but the file has \(point) of them; is it complete?")
        }
        if point == 0 {
          scan.width = text(bytes, range).split(whereSeparator: \.isWhitespace).count
          guard [3, 4, 6, 7].contains(scan.width) else {
            throw lines.fault(
              "a point has \(scan.width) numbers; expected x, y, z, intensity and a colour")
          }
        }
      }
      scan.body = scan.body.lowerBound..<lines.position
      if count > 0 { scans.append(scan) }
    }
    guard !scans.isEmpty else { throw lines.fault("the file has no points") }
    return scans
  }

  private func incomplete(_ lines: TextLines) -> LineFault {
    lines.fault("the file ends within the header of a scan")
  }

  private func size(_ line: String, _ lines: TextLines) throws(LineFault) -> Int {
    guard let size = Int(line), size >= 0 else {
      throw lines.fault(
        "expected the number of columns or rows of a scan, found '\(line.prefix(24))'")
    }
    return size
  }

  private func numbers(
    _ lines: inout TextLines, _ bytes: Span<UInt8>, count: Int
  ) throws(LineFault) -> [Double] {
    guard let range = try lines.next(bytes) else { throw incomplete(lines) }
    let words = text(bytes, range).split(whereSeparator: \.isWhitespace)
    let numbers = words.compactMap { Double($0) }.filter(\.isFinite)
    guard numbers.count == count, words.count == count else {
      throw lines.fault("expected \(count) numbers in the header of a scan")
    }
    return numbers
  }

  // MARK: Points

  private func cloud(of scan: Scan, _ origin: SIMD3<Double>) throws -> PointCloud {
    let color = ["red", "green", "blue"]
    let names =
      ["x", "y", "z"] + (scan.width % 3 == 1 ? ["intensity"] : []) + (scan.width > 4 ? color : [])
    let properties = names.map { name in
      PLYHeader.Property(
        name: name, type: color.contains(name) ? .uint8 : .float32, countType: nil)
    }
    let header = PLYHeader(
      points: PLYHeader.Element(
        name: "vertex", count: scan.count, properties: properties, line: scan.line + 1),
      encoding: .text, bodyOffset: scan.body.lowerBound, bodyEnd: scan.body.upperBound,
      claimsCounts: false)
    let contents = try PLYElementReader(file: file, header: header, context: context).read()
    try context.stage.checkCancellation()
    var cloud = try PLYAssembly(file: file, header: header, contents: contents)
      .scene(in: context, checksPositions: false).pointClouds[0]
    cloud.keepPoints(cloud.positions.map { $0 != .zero })
    let shift = scan.place - origin
    Parallel.update(&cloud.positions) { positions in
      for index in 0..<positions.count {
        let own = positions[index].double
        let place = scan.axes[0] * own.x + scan.axes[1] * own.y + scan.axes[2] * own.z + shift
        positions[index] = Vector3(SIMD3<Float>(place))
      }
    }
    return cloud
  }
}
