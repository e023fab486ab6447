import MeshPipeline

/// A layer as a crate file: first the values, then tables of names, fields, paths and specs.
///
/// Version 0.8.0: what Pixar's and Apple's programs wrote for years; since 2026 Pixar's warn of older ones. The parts are
/// made in memory except for the arrays of meshes, which are those of the scene.
struct CrateFile: Sendable {
  private static let identifier = Array("PXR-USDC".utf8)
  private static let version: [UInt8] = [0, 8, 0, 0, 0, 0, 0, 0]
  private static let headerSize = 88

  let parts: [CratePart]
  let byteCount: Int

  init(_ layer: USDLayer) {
    let builder = CrateBuilder(layer, at: Self.headerSize)
    var values = builder.values
    var contents: [(name: String, start: Int, size: Int)] = []
    for (name, bytes) in builder.sections() {
      contents.append((name, values.byteCount, bytes.count))
      values.append(bytes)
    }
    let contentsOffset = values.byteCount
    values.append(UInt64(contents.count))
    for section in contents {
      let name = Array(section.name.utf8)
      values.append(name + [UInt8](repeating: 0, count: 16 - name.count))
      values.append(Int64(section.start))
      values.append(Int64(section.size))
    }
    values.flush()
    var header = CrateParts(at: 0)
    header.append(Self.identifier + Self.version)
    header.append(Int64(contentsOffset))
    header.append([UInt8](repeating: 0, count: Self.headerSize - header.byteCount))
    header.flush()
    parts = header.parts + values.parts
    byteCount = values.byteCount
  }

  func write(to writer: FileWriter) throws {
    for part in parts {
      try unsafe part.withBytes { try unsafe writer.write($0) }
    }
  }
}
