import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Colours of whole faces, from the formats that have them to those that don't.
struct FaceColorTests {
  private static let colors = [
    Color(red: 230, green: 30, blue: 30), Color(red: 30, green: 200, blue: 30),
    Color(red: 30, green: 30, blue: 230), Color(red: 230, green: 230, blue: 30),
    Color(red: 30, green: 220, blue: 220), Color(red: 220, green: 30, blue: 220),
  ]
  private static let quads = [
    [4, 6, 7, 5], [0, 1, 3, 2], [2, 3, 7, 6], [0, 4, 5, 1], [1, 5, 7, 3], [0, 2, 6, 4],
  ]
  private static let corners: [SIMD3<Float>] = (0..<8).map { corner in
    let bits = SIMD3<Int>(corner >> 2, corner >> 1 & 1, corner & 1)
    return SIMD3<Float>(bits) - 0.5
  }
  /// A cube of 1 m whose sides have their own colours.
  private static var cube: Mesh {
    var mesh = Mesh(positions: corners.map(Vector3.init))
    mesh.indices = quads.flatMap { [$0[0], $0[1], $0[2], $0[0], $0[2], $0[3]] }.map(UInt32.init)
    mesh.faceColors = colors.flatMap { [$0, $0] }
    return mesh
  }

  /// The cube as PLY: the properties of a face's colour, and its values.
  private func ply(
    _ properties: [String], vertex: String = "", _ values: (Color) -> String
  ) -> String {
    var lines = ["ply", "format ascii 1.0", "element vertex 8"]
    lines += ["x", "y", "z"].map { "property float \($0)" }
    if !vertex.isEmpty { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
    lines += ["element face 6", "property list uchar int vertex_indices"] + properties
    lines.append("end_header")
    lines += Self.corners.map { "\($0.x) \($0.y) \($0.z)\(vertex)" }
    for (quad, color) in zip(Self.quads, Self.colors) {
      lines.append("4 " + quad.map(String.init).joined(separator: " ") + " " + values(color))
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private func properties(_ type: String, _ names: [String] = ["red", "green", "blue"]) -> [String]
  {
    names.map { "property \(type) \($0)" }
  }

  @Test func `PLY has them as bytes, as 16 bits and as fractions`() throws {
    let bytes = ply(properties("uchar")) { "\($0.red) \($0.green) \($0.blue)" }
    let wide = ply(properties("ushort")) {
      "\(257 * Int($0.red)) \(257 * Int($0.green)) \(257 * Int($0.blue))"
    }
    let fractions = ply(properties("float", ["r", "g", "b"])) {
      "\(Float($0.red) / 255) \(Float($0.green) / 255) \(Float($0.blue) / 255)"
    }
    for text in [bytes, wide, fractions] {
      let mesh = try Reading.mesh("a.ply", text)
      #expect(mesh.faceColors == Self.cube.faceColors)
      #expect(mesh.colors == nil && mesh.faceAttributes == [])
      #expect(mesh.vertexCount == 8, "the cube stays joined")
    }
    let clear = ply(properties("uchar", ["red", "green", "blue", "alpha"])) {
      "\($0.red) \($0.green) \($0.blue) 7"
    }
    #expect(
      try Reading.mesh("a.ply", clear).faceColors?.map(\.alpha) == .init(repeating: 7, count: 12))
  }

  @Test func `a default colour beside those of vertices says nothing`() throws {
    let text = ply(properties("uchar"), vertex: " 1 2 3") { _ in "192 192 192" }
    let mesh = try Reading.mesh("a.ply", text)
    #expect(mesh.faceColors == nil)
    #expect(mesh.colors == .init(repeating: Color(red: 1, green: 2, blue: 3), count: 8))
    let alone = ply(properties("uchar")) { _ in "192 192 192" }
    #expect(try Reading.mesh("a.ply", alone).faceColors?.count == 12)
  }

  /// Written with all that the run does, and read again.
  private func roundTrip(
    _ scene: Scene, _ format: any (ReadableFormat & WritableFormat).Type
  ) throws -> (scene: Scene, warnings: [String]) {
    let folder = try TemporaryFolder()
    let output = OutputSet(folder: folder.path, mainFileName: "a.\(format.extensions[0])")
    let context = WritingContext()
    try FormatWriter(format).write(scene, to: output, in: context)
    return (
      try FormatReader(format).read(output.mainPath, in: ReadingContext()), context.stage.warnings
    )
  }

  /// The colours of the corners on each side of the cube, by the axis and sign of its normal.
  private func sides(_ scene: Scene) -> [SIMD3<Float>: Set<Color>] {
    var found: [SIMD3<Float>: Set<Color>] = [:]
    for mesh in scene.meshes {
      for face in 0..<mesh.faceCount {
        let points = mesh.indices[3 * face..<3 * face + 3].map { mesh.positions[Int($0)].simd }
        // In millimetres, too, it is that of an axis.
        let normal = (points[1] - points[0]).cross(points[2] - points[0]).normalized
          .rounded(.toNearestOrEven)
        for corner in 3 * face..<3 * face + 3 {
          if let color = mesh.faceColors?[face] ?? mesh.colors?[Int(mesh.indices[corner])] {
            found[normal, default: []].insert(color)
          } else if let materials = mesh.faceMaterials {
            let material = scene.materials[Int(materials[face])]
            found[normal, default: []].insert(Self.color(of: material))
          }
        }
      }
    }
    return found
  }

  private static func color(of material: Material) -> Color {
    func byte(_ part: Float) -> UInt8 {
      UInt8((SRGBTable.encoded(ofLinear: Double(part)) * 255).rounded())
    }
    let color = material.baseColor
    return Color(red: byte(color.x), green: byte(color.y), blue: byte(color.z))
  }

  @Test(arguments: BuiltInFormats.native.filter { $0.keeps.isSuperset(of: [.faces, .colors]) })
  func `every format with colours shows them`(format: BuiltInFormats.BothWays) throws {
    let expected = sides(Scene(meshes: [Self.cube]))
    #expect(expected.count == 6)
    let scene = Scene(meshes: [Self.cube], coordinateSystem: .arkit)
    var (found, _) = try roundTrip(scene, format)
    found.convert(to: .arkit)
    #expect(sides(found) == expected, "\(format.id)")
  }

  @Test(arguments: [PLY.self, OFF.self, MeshScene.self] as [BuiltInFormats.BothWays])
  func `formats that have them keep faces joined`(format: BuiltInFormats.BothWays) throws {
    let (found, warnings) = try roundTrip(Scene(meshes: [Self.cube]), format)
    #expect(found.meshes[0].faceColors == Self.cube.faceColors)
    #expect(found.meshes[0].colors == nil && found.vertexCount == 8)
    #expect(warnings.allSatisfy { $0.contains("axes") }, "\(warnings)")
  }

  @Test func `a joined cloud of points has their mean`() throws {
    let (found, _) = try roundTrip(Scene(meshes: [Self.cube]), LAS.self)
    #expect(found.pointCount == 8)
    #expect(found.pointClouds[0].colors?.contains { $0.red > 30 && $0.red < 230 } == true)
  }

  // MARK: STL

  private func stl(_ header: [UInt8], _ words: [UInt16]) -> [UInt8] {
    var bytes = header + [UInt8](repeating: 0x20, count: 80 - header.count)
    func put(_ number: some FixedWidthInteger) {
      withUnsafeBytes(of: number.littleEndian) { bytes += $0 }
    }
    put(UInt32(12))
    let mesh = Self.cube
    for face in 0..<12 {
      bytes += [UInt8](repeating: 0, count: 12)
      for vertex in mesh.indices[3 * face..<3 * face + 3] {
        for axis in 0..<3 { put(mesh.positions[Int(vertex)].simd[axis].bitPattern) }
      }
      put(words[face])
    }
    return bytes
  }

  private func colors(_ header: [UInt8], _ words: [UInt16]) throws -> [Color]? {
    let folder = try TemporaryFolder()
    return try Reading(folder.write("a.stl", stl(header, words))).scene.meshes[0].faceColors
  }

  private let blue = Color(red: 0, green: 0, blue: 255)
  private let red = Color(red: 255, green: 0, blue: 0)

  @Test func `STL of VisCAM has blue in the lowest bits, where bit 15 is set`() throws {
    var words = [UInt16](repeating: 0x8000 | 31, count: 12)
    words[1] = 0x8000 | 31 << 10
    words[2] = 31 << 5
    let found = try #require(try colors(Array("binary".utf8), words))
    #expect(found[0] == blue && found[1] == red && found[2] == .white)
    #expect(try colors(Array("binary".utf8), .init(repeating: 31, count: 12)) == nil)
    #expect(try colors(Array("binary".utf8), .init(repeating: 0, count: 12)) == nil)
  }

  @Test
  func `STL of Magics has red in the lowest bits, and the object's colour where bit 15 is set`()
    throws
  {
    let header = Array("COLOR=".utf8) + [10, 20, 30, 255]
    var words = [UInt16](repeating: 31, count: 12)
    words[1] = 31 << 10
    words[2] = 0xFFFF
    let found = try #require(try colors(header, words))
    #expect(found[0] == red && found[1] == blue)
    #expect(found[2] == Color(red: 10, green: 20, blue: 30))
    // The object's colour alone.
    for word in [0, 0x8000, 0xFFFF] as [UInt16] {
      let all = try #require(try colors(header, .init(repeating: word, count: 12)))
      #expect(all == .init(repeating: Color(red: 10, green: 20, blue: 30), count: 12))
    }
    // As MeshLab writes it.
    words = words.map { $0 | 0x8000 }
    #expect(try colors(header, words)?.prefix(2) == [red, blue])
  }

  // MARK: OFF

  @Test func `OFF keeps thousands of colours`() throws {
    let count = 5000
    var text = "OFF\n\(count + 2) \(count) 0\n"
    for index in 0..<count + 2 { text += "\(index) \(index % 2) 0\n" }
    for index in 0..<count {
      text += "3 \(index) \(index + 1) \(index + 2) \(index % 256) \(index / 256) 7\n"
    }
    let folder = try TemporaryFolder()
    let reading = try Reading(folder.write("a.off", text))
    #expect(reading.warnings == [])
    let colors = try #require(reading.scene.meshes[0].faceColors)
    #expect(colors[4999] == Color(red: 135, green: 19, blue: 7))
  }
}
