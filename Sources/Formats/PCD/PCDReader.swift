import MeshPipeline

/// Reads a PCD file: its points are the vertices of a PLY file with another header.
struct PCDReader {
  let file: MappedFile
  let context: ReadingContext

  func scene() throws -> Scene {
    let header: PCDHeader
    do throws(LineFault) {
      header = try file.withBytes { bytes throws(LineFault) in try PCDHeader(bytes) }
    } catch {
      throw ReadingError.line(path: file.path, line: error.line + 1, error.message)
    }
    let properties = header.fields.flatMap { self.properties($0, header.encoding) }
    let isPacked = header.encoding == .compressed
    let body = isPacked ? try PCDCompression(file: file, header: header).records() : file
    var table = PLYHeader(
      points: PLYHeader.Element(
        name: "vertex", count: header.pointCount, properties: properties, line: header.countLine),
      encoding: header.encoding == .text ? .text : .littleEndian,
      bodyOffset: isPacked ? 0 : header.bodyOffset, classNames: header.classNames,
      claimsCounts: true)
    table.findOrigin(in: body)
    let contents = try PLYElementReader(file: body, header: table, context: context).read()
    try context.stage.checkCancellation()
    try context.stage.progress(0.6)
    // Organized clouds have points that aren't finite, where nothing was seen: a warning follows.
    var scene = try PLYAssembly(file: file, header: table, contents: contents)
      .scene(in: context, checksPositions: false)
    scene.coordinateSystem = PCD.coordinateSystem(of: file.path) ?? scene.coordinateSystem
    unpack(&scene.pointClouds[0], header)
    try dropUnseen(&scene.pointClouds[0])
    if header.hasViewpoint { warn("its viewpoint is not kept, and the points stay where they are") }
    try scene.requireLengths(beyond: table.origin, of: file.path, in: context)
    scene.takeOrigin(table.origin)
    return scene
  }

  private func warn(_ message: String) {
    context.stage.warn("\(FileSystem.name(of: file.path)): \(message)")
  }

  // MARK: Fields

  /// The names of the halves of a signed whole number of 64 bits, which `#` keeps apart from others.
  private static let halves = ["#low", "#high"]

  private func properties(
    _ field: PCDHeader.Field, _ encoding: PCDHeader.Encoding
  ) -> [PLYHeader.Property] {
    let isText = encoding == .text
    let types: [(suffix: String, type: NumberType)]
    if let type = field.type {
      // The bits of a float that is a colour must stay as they are.
      types = [("", field.isColor && !isText ? .uint32 : type)]
    } else if isText {
      types = [("", .float64)]
    } else {
      types = [(Self.halves[0], .uint32), (Self.halves[1], .int32)]
    }
    let name = field.name.lowercased() == "label" ? "label" : field.name
    return (0..<field.count).flatMap { part in
      types.map { suffix, type in
        let index = field.count > 1 ? "_\(part)" : ""
        return PLYHeader.Property(
          name: field.isPadding ? "" : name + index + suffix, type: type, countType: nil)
      }
    }
  }

  // MARK: Attributes

  /// Makes colours of packed ones, and whole numbers of 64 bits of their halves.
  private func unpack(_ cloud: inout PointCloud, _ header: PCDHeader) {
    for field in header.fields where field.isColor {
      guard let packed = cloud.attributes[field.name] else { continue }
      if cloud.colors == nil { cloud.colors = colors(packed, hasAlpha: field.name == "rgba") }
      cloud.attributes[field.name] = nil
    }
    for low in cloud.attributes where low.name.hasSuffix(Self.halves[0]) {
      let name = String(low.name.dropLast(Self.halves[0].count))
      guard let high = cloud.attributes[name + Self.halves[1]] else { continue }
      let words = (0..<low.count).map {
        Int64(high.values.double(at: $0)) << 32 | Int64(low.values.double(at: $0))
      }
      cloud.attributes.removeAll { $0.name == low.name || $0.name == high.name }
      cloud.attributes[name] = CustomAttribute(name, values: .init(words))
    }
  }

  private func colors(_ packed: CustomAttribute, hasAlpha: Bool) -> [Color] {
    let colors: [Color] = Parallel.array(count: packed.count) { index in
      let word: UInt32 =
        switch packed.values {
        case .uint32(let values): values[index]
        case .int32(let values): UInt32(bitPattern: values[index])
        case .float32(let values): values[index].isNaN ? .max : values[index].bitPattern
        default: .max
        }
      return Color(
        red: UInt8(word >> 16 & 255), green: UInt8(word >> 8 & 255), blue: UInt8(word & 255),
        alpha: hasAlpha ? UInt8(word >> 24) : 255)
    }
    // Programs that have no opacity leave it zero.
    guard hasAlpha, colors.allSatisfy({ $0.alpha == 0 }) else { return colors }
    return colors.map { Color(red: $0.red, green: $0.green, blue: $0.blue) }
  }

  /// Removes points where the sensor saw nothing.
  private func dropUnseen(_ cloud: inout PointCloud) throws {
    let isSeen = cloud.positions.map(\.isFinite)
    let count = isSeen.count { !$0 }
    guard count > 0 else { return }
    guard count < isSeen.count else {
      throw ReadingError.content(path: file.path, "no point has finite coordinates")
    }
    cloud.keepPoints(isSeen)
    warn("points without finite coordinates, where nothing was seen, are left out (\(count))")
  }
}
