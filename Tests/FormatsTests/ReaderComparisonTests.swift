import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Real files, read by meshpipe and by others.
@Suite struct ReaderComparisonTests {
  private static let files =
    [
      "common/stanford-bunny.obj", "common/spot/spot_quadrangulated.obj",
      "common/spot/spot_triangulated.obj", "fuze-textured/fuze.obj", "fuze-textured/fuze.ply",
      "fuze-textured/capsule.obj", "banana-textured/textured_simple_reoriented.obj",
      "arkit-mesh-anchors/green_v2.derived.obj",
    ].map { "meshes/" + $0 } + ["captures/chair-3dscannerapp/export.obj"]

  private static func paths() -> [String] { files.compactMap { Checkout.shared($0) } }

  @Test(.needs("trimesh"), .needsShared("meshes"))
  func `trimesh sees the same faces, area and bounds`() throws {
    struct Model: Decodable {
      var faces: Int
      var area: Double
      var bounds: [[Double]]
    }
    let paths = Self.paths()
    let text = try Checkers.run("Tools/checks/models.py", paths)
    let models = try JSONDecoder().decode([String: Model].self, from: Data(text.utf8))
    for path in paths {
      let model = try #require(models[path])
      let scene = try Reading(path).scene
      #expect(scene.faceCount == model.faces, "\(path)")
      let area = scene.meshes.reduce(0) { $0 + $1.totalArea }
      #expect(abs(area - model.area) <= 1e-4 * model.area, "\(path): \(area), not \(model.area)")
      expectEqual(scene.bounds, model.bounds, path)
    }
  }

  @Test(.needsShared("meshes"))
  func `a model in OBJ and in PLY has the same texture coordinates`() throws {
    let meshes = try ["fuze.obj", "fuze.ply"].map { name in
      let path = try #require(Checkout.shared("meshes/fuze-textured/" + name))
      return try #require(try Reading(path).scene.meshes.first)
    }
    #expect(meshes[0].indices == meshes[1].indices)
    let points = try meshes.map { try #require($0.textureCoordinates) }
    for (one, other) in zip(points[0], points[1]) {
      #expect(abs(one.x - other.x) < 1e-5)
      #expect(abs(one.y - other.y) < 1e-5)
    }
  }

  private static let assimp = "/usr/bin/assimp"

  @Test(
    .enabled(if: FileManager.default.isExecutableFile(atPath: assimp), "needs the assimp command"),
    .needsShared("meshes"))
  func `Assimp sees the same faces and bounds`() throws {
    for path in Self.paths() {
      let output = try Program.run(Self.assimp, ["info", path, "-s"]).output
      var scene = try Reading(path).scene
      for index in scene.meshes.indices { scene.meshes[index].removeUnusedVertices() }
      let faces = try #require(output.firstMatch(of: /Faces:\s+(\d+)/))
      #expect(Int(faces.1) == scene.faceCount, "\(path)")
      let bounds = try ["Minimum", "Maximum"].map { word in
        let line = try #require(
          output.split(separator: "\n").first { $0.hasPrefix(word + " point") })
        return line.matches(of: /-?\d+\.\d+/).compactMap { Double($0.output) }
      }
      expectEqual(scene.bounds, bounds, path, tolerance: 1e-5)
    }
  }

  private func expectEqual(
    _ box: Box, _ bounds: [[Double]], _ path: String, tolerance: Double = 1e-6
  ) {
    for axis in 0..<3 {
      let scale = Double(box.extent) + abs(bounds[0][axis]) + abs(bounds[1][axis])
      #expect(abs(Double(box.minimum[axis]) - bounds[0][axis]) <= tolerance * scale, "\(path)")
      #expect(abs(Double(box.maximum[axis]) - bounds[1][axis]) <= tolerance * scale, "\(path)")
    }
  }

  @Test(.needsShared("meshes"))
  func `the classes of a real room are those in the bytes of its file`() throws {
    let path = try #require(
      Checkout.shared("meshes/arkit-room-classified/derived/room_classified_faces.ply"))
    let bytes = try [UInt8](Data(contentsOf: URL(filePath: path)))
    let faceCount = 66_908
    var counts = [Int](repeating: 0, count: 8)
    // The faces are the last records: a length, three integers and the class.
    for face in 0..<faceCount { counts[Int(bytes[bytes.count - 14 * face - 1])] += 1 }
    let mesh = try #require(try Reading(path).scene.meshes.first)
    #expect(mesh.vertexCount == 46_911)
    #expect(mesh.faceCount == faceCount)
    #expect(mesh.classes?.counts == counts)
  }

  @Test(.needsShared("meshes"))
  func `awkward material libraries of real scans are understood`() throws {
    let fuze = try Reading(try #require(Checkout.shared("meshes/fuze-textured/fuze.obj")))
    #expect(fuze.warnings.isEmpty)
    #expect(fuze.scene.materials.map(\.name) == ["a-super-duper-material"])
    #expect(fuze.scene.materials[0].baseColor == SIMD4(1, 1, 1, 1))
    #expect(fuze.scene.textures.map(\.fileName) == ["fuze uv.jpg"])
    #expect(fuze.scene.textures.map(\.encoding) == [.jpeg])
    let ply = try Reading(try #require(Checkout.shared("meshes/fuze-textured/fuze.ply")))
    #expect(ply.scene.textures == fuze.scene.textures)
    let capsule = try Reading(try #require(Checkout.shared("meshes/fuze-textured/capsule.obj")))
    #expect(capsule.scene.materials.map(\.name) == ["material0"])
    #expect(capsule.scene.textures.map(\.fileName) == ["capsule0.jpg"])
  }
}

extension Mesh {
  fileprivate var totalArea: Double {
    (0..<faceCount).reduce(0) { sum, face in
      let (a, b, c) = vertices(ofFace: face)
      let origin = positions[Int(a)].double
      let (u, v) = (positions[Int(b)].double - origin, positions[Int(c)].double - origin)
      return sum + u.cross(v).length / 2
    }
  }
}
