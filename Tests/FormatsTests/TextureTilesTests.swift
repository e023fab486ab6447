import Formats
import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

/// Textures in tiles (UDIM).
@Suite struct TextureTilesTests {
  init() { AssimpWorker.executable = Program.meshpipe }

  private static let colors: [(UInt8, UInt8, UInt8)] = [(250, 0, 0), (0, 250, 0), (0, 0, 250)]

  private func picture(_ index: Int) throws -> [UInt8] {
    try PNG.encode(Image(width: 4, height: 4, filledWith: Self.colors[index]))
  }

  /// Triangles in some tiles, whose corners lie on the border.
  private func scan(
    _ name: String, tiles: [SIMD2<Int>], files: [String], in folder: TemporaryFolder
  ) throws -> String {
    for (index, file) in files.enumerated() { try folder.write(file, try picture(index)) }
    try folder.write("a.mtl", "newmtl skin\nmap_Kd \(name)\n")
    var text = "mtllib a.mtl\nv 0 0 0\nv 1 0 0\nv 1 1 0\nusemtl skin\n"
    for tile in tiles {
      text += "vt \(tile.x) \(tile.y)\nvt \(tile.x + 1) \(tile.y)\nvt \(tile.x + 1) \(tile.y + 1)\n"
      text += "f 1/-3 2/-2 3/-1\n"
    }
    return try folder.write("a.obj", text)
  }

  /// The first colour of each face's texture, and whether all coordinates are from 0 to 1.
  private func look(_ scene: Scene) throws -> (colors: [UInt8?], isInside: Bool) {
    var colors: [UInt8?] = []
    var isInside = true
    for mesh in scene.meshes {
      for material in try #require(mesh.faceMaterials) {
        let texture = scene.materials[Int(material)].baseColorTexture
        let pixel = try texture.map { try TextureRaster(scene.textures[$0]).pixels[5] }
        colors.append(pixel.map { $0.x > 128 ? 0 : $0.y > 128 ? 1 : 2 })
      }
      isInside =
        isInside
        && (mesh.textureCoordinates ?? []).allSatisfy {
          (0...1).contains($0.x) && (0...1).contains($0.y)
        }
    }
    return (colors, isInside)
  }

  @Test(arguments: [
    ("t.<UDIM>.png", ["t.1001.png", "t.1002.png", "t.1011.png"]),
    ("C:\\tex\\T.<udim>.png", ["t.1001.png", "t.1002.png", "t.1011.png"]),
    ("maps/t_%(UDIM)d.png", ["maps/t_1001.png", "maps/t_1002.png", "maps/t_1011.png"]),
    ("t.<UVTILE>.png", ["t.u1_v1.png", "t.u2_v1.png", "t.u1_v2.png"]),
    ("t.1001.png", ["t.1001.png", "t.1002.png", "t.1011.png"]),
    ("file:///C:/t.%3CUDIM%3E.png", ["t.1001.png", "t.1002.png", "t.1011.png"]),
  ])
  func `each tile has a material of its own in every output`(name: String, files: [String]) throws {
    let folder = try TemporaryFolder()
    let path = try scan(
      name, tiles: [SIMD2(1, 0), SIMD2(0, 0), SIMD2(0, 1), SIMD2(1, 0)], files: files, in: folder)
    let reading = try Reading(path)
    #expect(reading.warnings.isEmpty, "\(reading.warnings)")
    #expect(try look(reading.scene).colors == [1, 0, 2, 1])
    #expect(try look(reading.scene).isInside)
    #expect(reading.scene.materials.map(\.name) == ["skin", "skin.1002", "skin.1011"])
    for format in [GLB.self, USDZ.self, COLLADA.self] as [any WritableFormat.Type] {
      let output = OutputSet(folder: folder.path, mainFileName: "b.\(format.extensions[0])")
      try format.write(reading.scene, to: output, in: WritingContext())
      let found = try look(try Reading(output.mainPath).scene)
      #expect(
        found.colors.map { $0 ?? 9 }.sorted() == [0, 1, 1, 2] && found.isInside, "\(format.name)")
    }
  }

  @Test func `a missing tile is told, and its faces have no picture`() throws {
    let folder = try TemporaryFolder()
    let path = try scan(
      "t.<UDIM>.png", tiles: [SIMD2(0, 0), SIMD2(3, 0)], files: ["t.1001.png"], in: folder)
    let reading = try Reading(path)
    #expect(reading.warnings.count == 1 && reading.warnings[0].contains("no tile 1004"))
    #expect(try look(reading.scene).colors == [0, nil])
  }

  @Test func `a picture with a number is repeated where there are no other tiles`() throws {
    let folder = try TemporaryFolder()
    let path = try scan(
      "t.1001.png", tiles: [SIMD2(0, 0), SIMD2(1, 0)], files: ["t.1001.png"], in: folder)
    let reading = try Reading(path)
    #expect(reading.warnings.isEmpty && reading.scene.materials.count == 1)
    #expect(try look(reading.scene).colors == [0, 0])
  }

  @Test func `a material that names its own tile is as it is`() throws {
    let folder = try TemporaryFolder()
    let path = try scan(
      "t.1002.png", tiles: [SIMD2(1, 0)], files: ["t.1001.png", "t.1002.png"], in: folder)
    let reading = try Reading(path)
    #expect(try look(reading.scene).colors == [1])
    #expect(reading.scene.materials.count == 1 && reading.warnings.isEmpty)
  }

  @Test func `faces far from any tile are told`() throws {
    let folder = try TemporaryFolder()
    let path = try scan(
      "t.<UDIM>.png", tiles: [SIMD2(0, 0), SIMD2(-1, 0), SIMD2(900, 0)], files: ["t.1001.png"],
      in: folder)
    let reading = try Reading(path)
    #expect(reading.warnings.count == 1 && reading.warnings[0].contains("where some faces are"))
    #expect(try look(reading.scene).colors == [0, nil, nil])
  }
}
