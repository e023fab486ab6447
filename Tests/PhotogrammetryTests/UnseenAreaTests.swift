import MeshPipeline
import MeshTestSupport
import NativeLibraries
import Testing

@testable import Photogrammetry
@testable import Stages

/// What the stages that bake say of surfaces that no frame sees, and of meshes that hardly any does.
struct UnseenAreaTests {
  private static let scene = Result { try SyntheticCapture.small() }

  private static func texture(
    _ scene: Scene, in context: StageContext = StageContext(),
    _ change: (inout BakeTexture.Parameters) -> Void = { _ in }
  ) throws -> Scene {
    var parameters = BakeTexture.Parameters()
    (parameters.size, parameters.format) = (128, .png)
    change(&parameters)
    return try BakeTexture(parameters).run(scene, in: context)
  }

  private static func colors(
    _ scene: Scene, in context: StageContext = StageContext(), meshError: Double = 0.01,
    minimumSeen: Double = 0.05
  ) throws -> Scene {
    var parameters = BakeColors.Parameters()
    parameters.meshError = Length(meters: meshError)
    parameters.minimumSeen = minimumSeen
    return try BakeColors(parameters).run(scene, in: context)
  }

  private static func unseenShare(_ context: StageContext) throws -> Double {
    try #require(context.notes.first { $0.key == "unseenShare" }?.value.number)
  }

  @Test func `an exact mesh needs no tolerance`() throws {
    let scene = try Self.scene.get().scene
    func share(_ bake: (StageContext) throws -> Scene) throws -> Double {
      let context = StageContext()
      _ = try bake(context)
      return try Self.unseenShare(context)
    }
    let pages = try [0.01, 0].map { error in
      try share { try Self.texture(scene, in: $0) { $0.meshError = Length(meters: error) } }
    }
    #expect(abs(pages[1] - pages[0]) < 0.03, "\(pages)")
    let vertices = try [0.01, 0].map { error in
      try share { try Self.colors(scene, in: $0, meshError: error) }
    }
    #expect(abs(vertices[1] - vertices[0]) < 0.03, "\(vertices)")
  }

  /// Bakes twice with colours that differ by all of red, and measures on the pages how much is of them.
  @Test func `the unseen share is the area that was filled`() throws {
    let scene = try Self.scene.get().scene
    let context = StageContext()
    let baked = try [SIMD3<Double>(255, 0, 0), SIMD3(0, 0, 0)].map { color in
      try Self.texture(scene, in: color.x > 0 ? context : StageContext()) {
        ($0.unseen, $0.fillColor) = (.color, NumberVector(color))
        $0.size = 512
      }
    }
    let pages = try baked.map { try Image.decoded(from: $0.textures[0].bytes, path: "page") }
    let mesh = baked[0].meshes[0]
    let coordinates = try #require(mesh.textureCoordinates)
    var (area, filled) = (0.0, 0.0)
    for face in 0..<mesh.faceCount {
      let (a, b, c) = mesh.vertices(ofFace: face)
      let corners = [a, b, c].map { mesh.positions[Int($0)].simd }
      let normal = (corners[1] - corners[0]).cross(corners[2] - corners[0])
      let part = Double(normal.length) / 72
      for row in 0..<8 {
        for column in 0..<8 - row {
          let weights = (SIMD2<Float>(SIMD2(row, column)) + 1 / 3) / 8
          var place = SIMD2<Float>.zero
          for (corner, weight) in [weights.x, weights.y, 1 - weights.x - weights.y].enumerated() {
            let coordinate = coordinates[3 * face + corner]
            place += SIMD2(coordinate.x, coordinate.y) * weight
          }
          let x = min(Int(place.x * Float(pages[0].width)), pages[0].width - 1)
          let y = min(Int((1 - place.y) * Float(pages[0].height)), pages[0].height - 1)
          let reds = pages.map { page in
            let code = page.pixels[3 * (y * page.width + x)]
            return SRGBTable.linear(ofEncoded: Double(code) / 255)
          }
          area += part
          filled += part * (reds[0] - reds[1])
        }
      }
    }
    let share = try Self.unseenShare(context)
    #expect(filled / area > 0.05)
    #expect(abs(share - filled / area) < 0.01, "\(share), and \(filled / area) on the page")
  }

  @Test func `of vertices the area around them counts`() throws {
    // A large face that nobody sees beside many small ones.
    let capture = try Self.scene.get()
    var scene = capture.scene
    scene.meshes[0].addFace(Vector3(9, 0, 0), Vector3(29, 0, 0), Vector3(9, 20, 0))
    scene.meshes[0].classes = nil
    let context = StageContext()
    _ = try Self.colors(scene, in: context)
    // Of the face, beside that of the room with its furniture.
    let (face, room) = (200.0, 70.0)
    #expect(try Self.unseenShare(context) > face / (face + room))
  }

  @Test func `hardly anything seen is a warning that says why`() throws {
    let capture = try Self.scene.get()
    let sound = StageContext()
    _ = try Self.colors(capture.scene, in: sound)
    #expect(sound.warnings == [])

    // All faces but those of one corner are turned over.
    var turned = capture.scene
    var elsewhere = capture.scene
    for face in 0..<turned.meshes[0].faceCount {
      let corners = (0..<3).map { Int(turned.meshes[0].indices[3 * face + $0]) }
      let isInCorner = corners.allSatisfy {
        turned.meshes[0].positions[$0].x > 1.9 && turned.meshes[0].positions[$0].z > -0.6
      }
      guard !isInCorner else { continue }
      turned.meshes[0].indices.swapAt(3 * face, 3 * face + 1)
    }
    // A hall of its own beside the room.
    let count = UInt32(elsewhere.meshes[0].vertexCount)
    elsewhere.meshes[0].positions += elsewhere.meshes[0].positions.map {
      Vector3($0.x * 6 + 40, $0.y * 6, $0.z * 6)
    }
    elsewhere.meshes[0].indices += elsewhere.meshes[0].indices.map { $0 + count }
    elsewhere.meshes[0].classes = nil
    func expectWarning(_ reason: String, of bake: (StageContext) throws -> Scene) throws {
      let context = StageContext()
      _ = try bake(context)
      #expect(context.warnings.count == 1)
      #expect(context.warnings.first?.contains(reason) == true, "\(context.warnings)")
    }
    let backs = "the cameras look at the backs of its faces"
    try expectWarning(backs) { try Self.texture(turned, in: $0) { $0.minimumSeen = 0 } }
    try expectWarning(backs) { try Self.colors(turned, in: $0, minimumSeen: 0) }
    let hidden = "is hidden behind other parts of the mesh"
    try expectWarning(hidden) { try Self.colors(elsewhere, in: $0, minimumSeen: 0) }
    // Frames of another scan that happen to see a little are no texture.
    for bake in [{ try Self.texture(elsewhere) }, { try Self.colors(elsewhere) }] {
      let error = #expect(throws: BakingFailure.self) { _ = try bake() }
      let message = error?.message ?? ""
      #expect(
        message.contains("less than 'minimumSeen' (5 %): ") && message.contains(hidden),
        "\(message)")
    }
  }

  @Test func `a mesh that is a speck in a picture is not seen`() throws {
    var scene = try Self.scene.get().scene
    let pose = try #require(scene.capture?.frames.first?.pose)
    let corners = [SIMD3(-1, -1, 0.0), SIMD3(1, -1, 0), SIMD3(1, 1, 0), SIMD3(-1, 1, 0)]
    scene.meshes = [
      Mesh(
        positions: corners.map {
          Vector3(SIMD3<Float>(pose.apply(toPoint: $0 + SIMD3(0, 0, -1000))))
        }, indices: [0, 1, 2, 0, 2, 3])
    ]
    func expectBlindness(_ bake: () throws -> Scene) {
      let error = #expect(throws: BakingFailure.self) { _ = try bake() }
      #expect(error?.message.contains("no frame sees the mesh: ") == true)
    }
    expectBlindness { try Self.texture(scene) }
    expectBlindness { try Self.colors(scene) }
  }

  @Test func `what is farther than the map of what hides it can tell is seen`() throws {
    var scene = try Self.scene.get().scene
    // As from a drone.
    scene.apply(Transform(scale: SIMD3(repeating: 100)))
    for index in scene.capture?.frames.indices ?? 0..<0 { scene.capture?.frames[index].depth = nil }
    let surface = try ObservedSurface(scene)
    let bakeMesh = BakeMesh(surface, edgeLimit: 30)
    let observations = try FrameObservations(
      bakeMesh, on: surface, frames: scene.capture?.frames ?? [], options: .ofTests
    ) { _ in }
    let size = try #require(BakeSize(observations))
    let far = bakeMesh.positions.indices.filter { vertex in
      observations.table.range(of: vertex).contains {
        observations.table.observations[$0].measurement.confidence > 0.2
      }
    }
    #expect(far.count * 2 > bakeMesh.vertexCount)
    #expect(size.density > 0)
  }

  @Test func `points without faces are told where to go`() throws {
    var scene = try Self.scene.get().scene
    scene.pointClouds = [PointCloud(positions: scene.meshes[0].positions)]
    scene.meshes = []
    #expect(throws: BakingFailure.noFaces) { try Self.texture(scene) }
    #expect(BakingFailure.noFaces.message.contains("bake-colors"))
    #expect(throws: RefinePoses.Failure.noFaces) {
      try RefinePoses(RefinePoses.Parameters()).run(scene, in: StageContext())
    }
    #expect(throws: ReportCoverage.Failure.noFaces) {
      try ReportCoverage(ReportCoverage.Parameters()).run(scene, in: StageContext())
    }
    #expect(try Self.colors(scene).pointClouds[0].colors?.count == scene.pointCount)
  }
}
