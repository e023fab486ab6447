import MeshPipeline
import MeshTestSupport
import Stages
import Testing

struct RefineMeshTests {
  private static func refined(_ scene: Scene) throws -> (scene: Scene, context: StageContext) {
    let context = StageContext()
    return (try RefineMesh(RefineMesh.Parameters()).run(scene, in: context), context)
  }

  private static let capture = Result {
    try SyntheticCapture {
      ($0.frameCount, $0.samples, $0.cell) = (8, 1, 0.25)
    }
  }

  @Test func `one frame changes nothing, and the warning says why`() throws {
    var scene = try Self.capture.get().scene
    scene.capture?.frames.removeSubrange(1...)
    let (result, context) = try Self.refined(scene)
    #expect(result == scene)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("at least two frames") == true)
  }

  @Test func `frames that don't see the mesh change nothing`() throws {
    var scene = try Self.capture.get().scene
    scene.meshes[0].positions = scene.meshes[0].positions.map {
      Vector3($0.x + 100, $0.y, $0.z)
    }
    let (result, context) = try Self.refined(scene)
    #expect(result == scene)
    #expect(context.warnings.first?.contains("no two frames") == true)
  }

  @Test func `a frame that can't be read is named, and the others are used`() throws {
    var scene = try Self.capture.get().scene
    scene.capture?.frames[2].image = .file("missing.jpg")
    let (result, context) = try Self.refined(scene)
    #expect(context.warnings.count == 1)
    #expect(context.warnings.first?.contains("frame_00002") == true)
    #expect(result.faceCount == scene.faceCount)
    #expect(context.notes.contains { $0.key == "determinedPercent" })
  }

  @Test func `pieces that share a border stay together, and normals follow`() throws {
    var scene = try Self.capture.get().scene
    let whole = scene.meshes[0]
    let half = whole.faceCount / 2
    let pieces = [0..<half, half..<whole.faceCount].map { faces in
      var piece = whole
      piece.indices = Array(whole.indices[3 * faces.lowerBound..<3 * faces.upperBound])
      piece.normals = [Vector3](repeating: Vector3(0, 1, 0), count: piece.vertexCount)
      return piece
    }
    scene.meshes = pieces
    let (result, _) = try Self.refined(scene)
    let shared = Set(result.meshes[0].indices).intersection(result.meshes[1].indices)
    #expect(!shared.isEmpty)
    for vertex in shared {
      #expect(
        result.meshes[0].positions[Int(vertex)] == result.meshes[1].positions[Int(vertex)])
    }
    #expect(result.meshes[0].normals != pieces[0].normals)
    #expect(result.meshes[0].positions != pieces[0].positions)
  }

  @Test func `points without faces are an error that says how to guard the stage`() throws {
    var scene = try Self.capture.get().scene
    scene.meshes = []
    scene.pointClouds = [PointCloud(positions: [.zero])]
    let error = try #require(throws: RefineMesh.Failure.self) { try Self.refined(scene) }
    #expect(error.message.contains(#""when": "frames and faces""#))
  }
}
