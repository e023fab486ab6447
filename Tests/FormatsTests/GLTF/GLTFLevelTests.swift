import Formats
import MeshPipeline
import MeshTestSupport
import Testing

/// Levels of detail in one file (MSFT_lod).
@Suite struct GLTFLevelTests {
  /// A square of 10 m with a texture, at a height.
  private func square(height: Float, columns: Int, texture: [UInt8]? = nil) -> Scene {
    var mesh = MeshFixtures.grid(columns: columns, rows: columns)
    let scale = 10 / Float(columns)
    mesh.positions = mesh.positions.map { Vector3($0.x * scale, height, $0.z * scale) }
    mesh.textureCoordinates = [Vector2](repeating: .zero, count: mesh.cornerCount)
    mesh.faceMaterials = [UInt32](repeating: 0, count: mesh.faceCount)
    let bytes = texture ?? [1, 2, 3]
    return Scene(
      name: "square", meshes: [mesh], materials: [Material(baseColorTexture: 0)],
      textures: [Texture(fileName: "a.png", encoding: .png, bytes: bytes)])
  }

  private func write(
    _ scene: Scene, _ lighter: [Scene], as format: any WritableFormat.Type = GLTF.self,
    options: [String: JSONValue] = [:], in folder: TemporaryFolder
  ) throws -> String {
    var context = WritingContext(options: options)
    context.lighterLevels = lighter
    let output = OutputSet(folder: folder.path, mainFileName: "square.\(format.id)")
    try format.write(scene, to: output, in: context)
    return output.mainPath
  }

  private func json(_ path: String) throws -> JSONValue {
    try #require(JSONReader.read(try FileSystem.contents(of: path)).value)
  }

  private func numbers(_ value: JSONValue?) -> [Double] {
    value?.elements.compactMap(\.number) ?? []
  }

  @Test func `the nearest level names the others, which are not in the tree`() throws {
    let folder = try TemporaryFolder()
    let lighter = [square(height: 0.1, columns: 4), square(height: 0.5, columns: 1)]
    let file = try json(try write(square(height: 0, columns: 8), lighter, in: folder))
    let nodes = try #require(file["nodes"]).elements
    let tops = numbers(file["scenes"]?.elements.first?["nodes"])
    #expect(tops.count == 1)
    let top = nodes[Int(tops[0])]
    let ids = numbers(top["extensions"]?["MSFT_lod"]?["ids"]).map { Int($0) }
    let groups = [top] + ids.map { nodes[$0] }
    #expect(groups.map { $0["name"]?.text } == ["square_LOD0", "square_LOD1", "square_LOD2"])
    // The triangles of each level, through its only child.
    let accessors = try #require(file["accessors"]).elements
    let triangles = groups.map { group in
      let children = numbers(group["children"])
      let mesh = nodes[Int(children[0])]["mesh"]?.number ?? -1
      let primitive = file["meshes"]?.elements[Int(mesh)]["primitives"]?.elements.first
      let indices = primitive?["indices"]?.number ?? -1
      return (accessors[Int(indices)]["count"]?.number ?? 0) / 3
    }
    #expect(triangles == [128, 32, 2])
    #expect(file["extensionsUsed"]?.elements.map(\.text) == ["MSFT_lod"])
    #expect(file["extensionsRequired"] == nil)
  }

  @Test func `a level begins where its deviation is a pixel`() throws {
    let folder = try TemporaryFolder()
    // The square's diagonal is 14.14 m. A deviation of 0.1 m is a pixel of 1080 where that fills 0.131 of the screen.
    let lighter = [square(height: 0.1, columns: 4), square(height: 0.5, columns: 1)]
    let file = try json(try write(square(height: 0, columns: 8), lighter, in: folder))
    let coverages = file["nodes"]?.elements.compactMap { node in
      node["extras"]?["MSFT_screencoverage"].map { numbers($0) }
    }
    let found = try #require(coverages?.first)
    let diagonal = 200.0.squareRoot()
    #expect(found.count == 3)
    #expect(abs(found[0] - diagonal / 1080 / 0.1) < 1e-4)
    #expect(abs(found[1] - diagonal / 1080 / 0.5) < 1e-4)
    #expect(found[2] == 0)
  }

  @Test func `levels that are the same are drawn at any size`() throws {
    let folder = try TemporaryFolder()
    let file = try json(
      try write(square(height: 0, columns: 2), [square(height: 0, columns: 1)], in: folder))
    let coverages = file["nodes"]?.elements.compactMap { node in
      node["extras"]?["MSFT_screencoverage"].map { numbers($0) }
    }
    #expect(coverages == [[1, 0]])
  }

  @Test func `levels share equal textures and materials`() throws {
    let folder = try TemporaryFolder()
    let lighter = [
      square(height: 0, columns: 4), square(height: 0, columns: 1, texture: [9, 9]),
    ]
    let file = try json(try write(square(height: 0, columns: 8), lighter, in: folder))
    #expect(file["images"]?.elements.count == 2)
    #expect(file["materials"]?.elements.count == 2)
  }

  @Test(arguments: ["none", "quantize"])
  func `others read the nearest level`(compression: String) throws {
    let folder = try TemporaryFolder()
    var scene = square(height: 0, columns: 8)
    // Axes of another convention put a node above.
    scene.convert(to: CoordinateSystem.arkit.with(up: .z))
    var lighter = [square(height: 0.125, columns: 4)]
    (scene.textures, scene.materials) = ([], [Material()])
    (lighter[0].textures, lighter[0].materials) = ([], [Material()])
    let path = try write(
      scene, lighter, as: GLB.self, options: ["compression": compression.json], in: folder)
    let read = try Reading(path)
    #expect(read.warnings.isEmpty)
    #expect(read.scene.faceCount == 128)
    let size = read.scene.bounds.size
    #expect(abs(size.x - 10) < 1e-3 && size.y < 1e-3 && abs(size.z - 10) < 1e-3)
    let checker = try GLTFChecker(path: path)
    #expect(checker.faults == [])
    // Each level is turned by itself.
    let levels = checker.list("nodes").filter { ($0["name"] as? String ?? "").contains("_LOD") }
    #expect(levels.count == 2 && levels.allSatisfy { ($0["matrix"] as? [Double])?.count == 16 })
  }

  @Test func `points stand beside the levels`() throws {
    let folder = try TemporaryFolder()
    var scene = square(height: 0, columns: 8)
    scene.pointClouds = [PointCloud(positions: [.zero, Vector3(1, 1, 1)])]
    let path = try write(scene, [square(height: 0.1, columns: 4)], as: GLB.self, in: folder)
    let read = try Reading(path).scene
    #expect(read.faceCount == 128 && read.pointCount == 2)
  }
}
