import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// glTF compressed by `KHR_draco_mesh_compression`, with DracoPy as the other decoder.
struct GLTFDracoTests {
  private func written(_ scene: Scene, in folder: TemporaryFolder) throws
    -> (path: String, warnings: [String])
  {
    let context = WritingContext(options: ["compression": "draco"])
    try GLB.write(scene, to: OutputSet(folder: folder.path, mainFileName: "a.glb"), in: context)
    return (folder.path + "/a.glb", context.stage.warnings)
  }

  private struct Primitive: Decodable {
    var faces: [[Int]]
    var counts: [Int]
    var indices: Int
    var low: [Float]
    var high: [Float]
    var attributes: [String: [[Float]]]
  }

  /// What the other decoder finds.
  private func decoded(_ path: String) throws -> [Primitive] {
    try JSONDecoder().decode(
      [Primitive].self, from: Data(Checkers.run("Tools/checks/draco.py", [path]).utf8))
  }

  @Test(.needs("DracoPy"))
  func `another decoder finds the same faces within half a step`() throws {
    var mesh = MeshFixtures.torus(segments: 32, sides: 16)
    mesh.normals = mesh.positions.map { Vector3($0.simd.normalized) }
    mesh.vertexAttributes = [
      CustomAttribute("id", values: .uint16(mesh.positions.indices.map { UInt16(3 * $0) }))
    ]
    let folder = try TemporaryFolder()
    let file = try written(Scene(meshes: [mesh]), in: folder)
    #expect(file.warnings == [])
    let primitive = try #require(try decoded(file.path).first)
    #expect(primitive.faces.count == mesh.faceCount && primitive.indices == 3 * mesh.faceCount)
    #expect(primitive.counts == [mesh.vertexCount])
    let positions = try #require(primitive.attributes["POSITION"])
    let normals = try #require(primitive.attributes["NORMAL"])
    let identifiers = try #require(primitive.attributes["_id"]).map { Int($0[0]) / 3 }
    #expect(identifiers.sorted() == Array(0..<mesh.vertexCount))
    for (place, vertex) in identifiers.enumerated() {
      let moved = SIMD3(positions[place]) - mesh.positions[vertex].simd
      #expect(max(moved.max(), -moved.min()) <= 0.000_25)
      // Eight bits on an octahedron.
      let normal = SIMD3(normals[place]).normalized
      #expect(normal.dot(mesh.positions[vertex].simd.normalized) > 0.999_8)
    }
    func turned(_ face: [Int]) -> [Int] {
      let first = face.indices.min { face[$0] < face[$1] } ?? 0
      return Array(face[first...] + face[..<first])
    }
    let expected = (0..<mesh.faceCount).map { face in
      turned((0..<3).map { Int(mesh.indices[3 * face + $0]) })
    }
    #expect(Set(primitive.faces.map { turned($0.map { identifiers[$0] }) }) == Set(expected))
    for axis in 0..<3 {
      #expect(primitive.low[axis] == positions.map { $0[axis] }.min())
      #expect(primitive.high[axis] == positions.map { $0[axis] }.max())
    }
  }

  @Test func `positions beyond sixteen bits keep their step`() throws {
    var mesh = MeshFixtures.torus()
    for vertex in mesh.positions.indices { mesh.positions[vertex].simd *= 40 }
    let folder = try TemporaryFolder()
    let file = try written(Scene(meshes: [mesh]), in: folder)
    #expect(file.warnings == [])
    let found = try Reading(file.path).scene.meshes[0].positions
    #expect(found.count == mesh.vertexCount)
    for position in found {
      let nearest = mesh.positions.map { original -> Float in
        let moved = original.simd - position.simd
        return max(moved.max(), -moved.min())
      }
      #expect((nearest.min() ?? 1) <= 0.000_251)
    }
  }

  @Test func `faces that are no surface are left out, with a warning`() throws {
    var mesh = MeshFixtures.torus()
    mesh.indices += [5, 5, 9]
    let folder = try TemporaryFolder()
    let file = try written(Scene(meshes: [mesh]), in: folder)
    #expect(file.warnings.count == 1 && file.warnings[0].contains("leaves out 1 face "))
    #expect(try Reading(file.path).scene.faceCount == mesh.faceCount - 1)
  }

  @Test func `a mesh without any surface is written as it is`() throws {
    let mesh = Mesh(
      positions: [Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0)],
      indices: [0, 1, 1, 2, 2, 0])
    let folder = try TemporaryFolder()
    let file = try written(Scene(meshes: [mesh]), in: folder)
    #expect(try Reading(file.path).scene.faceCount == 2)
  }

  @Test func `surfaces that touch in a vertex or share an edge among three faces come back`() throws
  {
    let mesh = Mesh(
      positions: [
        Vector3(0, 0, 0), Vector3(1, 0, 0), Vector3(0, 1, 0), Vector3(0, -1, 0), Vector3(0, 0, 1),
        Vector3(-1, 0, 0), Vector3(-1, 1, 1),
      ], indices: [0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 5, 6])
    let folder = try TemporaryFolder()
    let scene = try Reading(written(Scene(meshes: [mesh]), in: folder).path).scene
    #expect(scene.faceCount == 4)
    #expect(Set(scene.meshes[0].positions) == Set(mesh.positions))
  }

  // MARK: Bad data

  /// A file as written, with the bytes of its first primitive replaced.
  private func file(_ compressed: [UInt8], in folder: TemporaryFolder) throws -> String {
    let text = Data(compressed).base64EncodedString()
    return try folder.write(
      "a.gltf",
      Array(
        """
        {"asset":{"version":"2.0"},"extensionsRequired":["KHR_draco_mesh_compression"],
        "buffers":[{"byteLength":\(compressed.count),"uri":"data:;base64,\(text)"}],
        "bufferViews":[{"buffer":0,"byteLength":\(compressed.count)}],
        "nodes":[{"mesh":0}],"meshes":[{"primitives":[{"attributes":{"POSITION":0},"indices":1,
          "extensions":{"KHR_draco_mesh_compression":{"bufferView":0,"attributes":{"POSITION":0}}}}]}],
        "accessors":[{"componentType":5126,"type":"VEC3","count":3},
          {"componentType":5125,"type":"SCALAR","count":3}]}
        """.utf8))
  }

  private func fault(_ compressed: [UInt8]) throws -> String {
    let folder = try TemporaryFolder()
    let path = try file(compressed, in: folder)
    let error = #expect(throws: ReadingError.self) { try Reading(path) }
    return error?.message.split(separator: "/").last.map(String.init) ?? ""
  }

  private static let header = Array("DRACO".utf8)

  @Test(arguments: [
    // Edgebreaker: a traversal, the vertices and 268,435,455 faces.
    ([2, 2, 1, 1, 0, 0, 0, 3, 0xFF, 0xFF, 0xFF, 0x7F], "the data claim more faces than plausible"),
    // Sequential: 268,435,455 faces and three points; one face and 268,435,455 points.
    ([2, 2, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 3], "the data claim more faces than plausible"),
    ([2, 2, 1, 0, 0, 0, 1, 0xFF, 0xFF, 0xFF, 0x7F], "the data claim more faces than plausible"),
    ([2, 0, 1, 1, 0, 0, 0, 3, 1], "the data are of an older version of Draco than glTF has"),
    ([2, 2, 0, 0, 0, 0, 1], "the data are points instead of a mesh"),
    ([2, 2, 1, 1, 0, 0], "the compressed data are damaged, or of a newer version of Draco"),
    ([3, 9, 1, 1, 0, 0], "the compressed data are damaged, or of a newer version of Draco"),
  ])
  func `claims that can't be true are refused`(rest: [UInt8], message: String) throws {
    #expect(
      try fault(Self.header + rest)
        == "a.gltf: meshes[0].primitives[0]: \(message) (KHR_draco_mesh_compression)")
  }

  @Test func `what Draco has not made is refused`() throws {
    #expect(
      try fault(Array("OCARD and nothing else".utf8))
        == "a.gltf: meshes[0].primitives[0]: the data are not Draco's (KHR_draco_mesh_compression)")
  }

  @Test func `damage is an error that names the primitive, or leaves a valid mesh`() throws {
    let folder = try TemporaryFolder()
    var mesh = MeshFixtures.torus()
    mesh.normals = mesh.positions
    let bytes = try FileSystem.contents(of: written(Scene(meshes: [mesh]), in: folder).path)
    let start = 20 + Int(bytes[12]) + Int(bytes[13]) << 8
    var random = SeededGenerator(seed: 11)
    var faults = 0
    for round in 0..<200 {
      var damaged = bytes
      let place = Int.random(in: start + 8..<bytes.count, using: &random)
      for offset in place..<min(place + 1 + round % 8, bytes.count) {
        damaged[offset] = UInt8.random(in: 0...255, using: &random)
      }
      let file = try folder.write("damaged.glb", damaged)
      do {
        _ = try Reading(file)
      } catch let error as ReadingError {
        faults += 1
        #expect(error.message.contains("meshes[0].primitives[0]"), "\(error.message)")
      }
    }
    #expect(faults > 20)
  }
}
