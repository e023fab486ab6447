import Foundation
import MeshPipeline
import MeshTestSupport
import Stages
import Testing

/// A scene moves to where it fits another one.
struct AlignTests {
  private static let target = SceneReference("west")

  private static func aligned(_ scene: Scene, to target: Scene, _ context: StageContext) throws
    -> Scene
  {
    context.lend([Self.target: target])
    var parameters = Align.Parameters()
    parameters.to = Self.target
    return try Align(parameters).run(scene, in: context)
  }

  @Test func `a room that was turned and moved goes back`() throws {
    let room = RoomFixture.scan()
    var moved = room
    moved.apply(
      Transform(translation: SIMD3(4, 0.3, -2))
        * Transform(rotationAbout: SIMD3(0, 1, 0), by: 140 * .pi / 180))
    let context = StageContext()
    let found = try Self.aligned(Scene(meshes: [moved]), to: Scene(meshes: [room]), context)
    let mesh = try #require(found.meshes.first)
    for (one, other) in zip(mesh.positions, room.positions) {
      #expect((one.simd - other.simd).length < 0.001)
    }
    guard
      case .object(let members) = context.notes.first(where: { $0.key == "alignment" })?.value
        .content
    else {
      Issue.record("no figures")
      return
    }
    guard case .number(let turn) = members.first(where: { $0.key == "turn" })?.value.content else {
      Issue.record("no turn")
      return
    }
    #expect(abs(turn + 140) < 0.01)
  }

  /// A room with furniture, of which depth maps see one half or more.
  private static func session(_ eyes: [SIMD3<Double>]) throws -> DepthCapture {
    let boxes = [
      DepthCapture.box(SIMD3(-2, -1.2, -1.5), SIMD3(-1.3, 0.4, -0.7)),
      DepthCapture.box(SIMD3(-0.5, -1.2, 0.4), SIMD3(0.6, -0.5, 1.1)),
      DepthCapture.box(SIMD3(1.2, -1.2, -1.5), SIMD3(2, -0.3, 0.2)),
    ]
    let shape = DepthCapture.nearest(of: [DepthCapture.room(SIMD3(2, 1.2, 1.5))] + boxes)
    var capture = try DepthCapture()
    for (number, eye) in eyes.enumerated() {
      let angle = Double(number) * 2 * .pi / Double(eyes.count)
      try capture.add(
        shape, from: eye, lookingAt: eye + SIMD3(cos(angle), -0.35, sin(angle)))
    }
    return capture
  }

  @Test func `captures without a mesh are aligned by their depth maps`() throws {
    let eyes = (0..<24).map { SIMD3(-0.9 + 0.05 * Double($0), 0.4, -0.2) }
    let (first, second) = (
      try Self.session(eyes), try Self.session(eyes.map { $0 + SIMD3(0.5, 0.1, 0.1) })
    )
    let away =
      Transform(translation: SIMD3(4, 0.3, -2))
      * Transform(rotationAbout: SIMD3(0, 1, 0), by: 140 * .pi / 180)
    var moved = Scene(capture: Capture(depthFrames: second.frames))
    moved.apply(away)
    let found = try Self.aligned(
      moved, to: Scene(capture: Capture(depthFrames: first.frames)), StageContext())
    for (frame, truth) in zip(found.capture?.depthFrames ?? [], second.frames) {
      #expect((frame.pose.translation - truth.pose.translation).length < 0.005)
      // A tenth of a degree.
      #expect((frame.pose.z - truth.pose.z).length < 0.0018)
    }
    #expect(found.capture?.depthFrames.count == 24)
  }

  @Test func `units of the other scene are taken`() throws {
    let room = RoomFixture.scan()
    var millimeters = Scene(meshes: [room])
    millimeters.apply(Transform(scale: SIMD3(repeating: 1000)))
    millimeters.coordinateSystem.metersPerUnit = 0.001
    let found = try Self.aligned(millimeters, to: Scene(meshes: [room]), StageContext())
    #expect(found.coordinateSystem.metersPerUnit == 1)
    let mesh = try #require(found.meshes.first)
    for (one, other) in zip(mesh.positions, room.positions) {
      #expect((one.simd - other.simd).length < 0.001)
    }
  }

  @Test func `something else is refused, and a stage without another scene does nothing`() throws {
    let room = Scene(meshes: [RoomFixture.scan()])
    let ball = Scene(meshes: [MeshFixtures.sphere(segments: 48, rings: 24)])
    #expect(throws: Align.Failure.self) { try Self.aligned(ball, to: room, StageContext()) }
    #expect(try Align(Align.Parameters()).run(ball, in: StageContext()) == ball)
  }
}
