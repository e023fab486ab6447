import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

struct PLYWritingTests {
  private func write(_ scene: Scene, ascii: Bool = false) throws -> Data {
    let folder = try TemporaryFolder()
    try PLY.write(
      scene, to: OutputSet(folder: folder.path, mainFileName: "x.ply"),
      in: WritingContext(options: ascii ? ["ascii": true] : [:]))
    return try Data(contentsOf: URL(filePath: folder.path + "/x.ply"))
  }

  @Test func `the header says what each row holds`() throws {
    let data = try write(SceneFixtures.room)
    let end = try #require(data.range(of: Data("end_header\n".utf8)))
    let header = String(decoding: data[..<end.upperBound], as: UTF8.self).split(separator: "\n")
    #expect(header[0] == "ply")
    #expect(header[1] == "format binary_little_endian 1.0")
    #expect(header.contains("comment TextureFile x_wall-paper.png"))
    #expect(header.contains("comment classification 4 table"))
    let declarations = header.filter { !$0.hasPrefix("comment") }.dropFirst(2)
    #expect(
      Array(declarations) == [
        "element vertex 80", "property float x", "property float y", "property float z",
        "property float nx", "property float ny", "property float nz", "property uchar red",
        "property uchar green", "property uchar blue", "property float confidence",
        "element face 112", "property list uchar int vertex_indices",
        "property uchar classification", "property list uchar float texcoord", "end_header",
      ])
    let vertexLength = 6 * 4 + 3 + 4
    let faceLength = 1 + 3 * 4 + 1 + 1 + 6 * 4
    #expect(data.count - end.upperBound == 80 * vertexLength + 112 * faceLength)
  }

  @Test func `a picture without colours is few programs' and says so`() throws {
    func warnings(_ scene: Scene) throws -> [String] {
      let (context, folder) = (WritingContext(), try TemporaryFolder())
      let output = OutputSet(folder: folder.path, mainFileName: "x.ply")
      try PLY.write(scene, to: output, in: context)
      return context.stage.warnings
    }
    var scene = SceneFixtures.room
    #expect(try !warnings(scene).contains { $0.contains("bake-colors") })
    for index in scene.meshes.indices { scene.meshes[index].colors = nil }
    scene.pointClouds = []
    #expect(try warnings(scene).contains { $0.contains("'bake-colors'") })
  }

  @Test func `text and binary hold the same numbers`() throws {
    let text = String(decoding: try write(SceneFixtures.classifiedRoom, ascii: true), as: UTF8.self)
    let rows = text.split(separator: "\n").drop { $0 != "end_header" }.dropFirst()
    #expect(rows.count == 80 + 112)
    let mesh = SceneFixtures.classifiedRoom.meshes[0]
    let first = rows.prefix(80).map { $0.split(separator: " ").compactMap { Float($0) } }
    #expect(first == mesh.positions.map { [$0.x, $0.y, $0.z] })
    let faces = rows.suffix(112).map { $0.split(separator: " ").compactMap { Int($0) } }
    #expect(
      faces
        == (0..<112).map { face in
          [3] + mesh.indices[3 * face..<3 * face + 3].map(Int.init)
            + [Int(mesh.classes?.labels[face] ?? 0)]
        })
  }

  @Test func `parts with different class lists agree on one`() throws {
    var first = MeshFixtures.cube
    first.classes = FaceClasses(labels: [UInt16](repeating: 1, count: 12), names: ["none", "roof"])
    var second = MeshFixtures.cube
    second.classes = FaceClasses(
      labels: [UInt16](repeating: 2, count: 12), names: ["none", "stairs", "roof"])
    let text = String(
      decoding: try write(Scene(meshes: [first, second, MeshFixtures.cube]), ascii: true),
      as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(
      lines.filter { $0.hasPrefix("comment classification") }
        == [
          "comment classification 0 none", "comment classification 1 roof",
          "comment classification 2 stairs",
        ])
    let labels = lines.suffix(36).map { $0.split(separator: " ").last }
    #expect(labels == Array(repeating: "1", count: 24) + Array(repeating: "0", count: 12))
    // The second mesh refers to vertices of its own.
    #expect(lines[lines.count - 24].hasPrefix("3 8 10 11 "))
  }

  @Test func `points have their classes as a property of their own`() throws {
    let text = String(decoding: try write(SceneFixtures.points, ascii: true), as: UTF8.self)
    let lines = text.split(separator: "\n")
    #expect(lines.contains("property uchar classification"))
    #expect(!text.contains("element face"))
    let labels = lines.suffix(80).map { $0.split(separator: " ").last.flatMap { UInt16($0) } }
    #expect(labels == SceneFixtures.points.pointClouds[0].classes?.labels)
  }
}
