import Foundation
import MeshTestSupport
import MeshpipeScene
import Photogrammetry
import Testing

/// Up, ground and size of a world that is turned, moved and scaled as photographs leave it.
struct PhotographedWorldTests {
  /// From the true world, with Y up and metres, to that of the photographs.
  private static let disguise: Transform = {
    let turn = Transform(quaternion: SIMD4(0.3, -0.7, 0.2, 0.5))
    return Transform(translation: SIMD3(5, -3, 2)) * turn
      * Transform(scale: SIMD3(repeating: 0.37))
  }()

  private static func disguised(_ pose: Transform) -> Transform {
    var result = disguise * pose
    (result.x, result.y, result.z) = (
      result.x.normalized, result.y.normalized, result.z.normalized
    )
    return result
  }

  /// Cameras on a circle that look down at the middle, rolled by some degrees.
  private static func views(
    turns: Double = 1, roll: Double = 0.03
  ) -> [PhotographedWorld.View] {
    var random = SeededGenerator(seed: 3)
    return (0..<24).map { index in
      let angle = 2 * .pi * turns * Double(index) / 24
      let eye = SIMD3(2 * sin(angle), 1.6, 2 * cos(angle))
      let pose = SyntheticCapture.pose(at: eye, lookingAt: SIMD3(0, 0.3, 0))
      let tilt = roll * Double.random(in: -1...1, using: &random)
      let rolled = Transform(
        x: pose.x * cos(tilt) + pose.y * sin(tilt), y: pose.y * cos(tilt) - pose.x * sin(tilt),
        z: pose.z, translation: pose.translation)
      // Every third is a portrait, with the stored left side up.
      guard index % 3 == 0 else { return .init(pose: disguised(rolled), top: SIMD2(0, 1)) }
      let portrait = Transform(
        x: -rolled.y, y: rolled.x, z: rolled.z, translation: rolled.translation)
      return .init(pose: disguised(portrait), top: SIMD2(-1, 0))
    }
  }

  /// Points of a box, and of the floor below it if asked for.
  private static func points(floor: Int) -> [SIMD3<Double>] {
    var random = SeededGenerator(seed: 5)
    func coordinate(_ limit: Double) -> Double { .random(in: -limit...limit, using: &random) }
    let box = (0..<400).map { _ in SIMD3(coordinate(0.4), 0.4 + coordinate(0.4), coordinate(0.4)) }
    let ground = (0..<floor).map { _ in SIMD3(coordinate(1.5), coordinate(0.004), coordinate(1.5)) }
    return (box + ground).map { disguise.apply(toPoint: $0) }
  }

  private func degrees(_ direction: SIMD3<Double>) -> Double {
    let truth = Self.disguise.apply(toVector: SIMD3(0, 1, 0)).normalized
    return acos(min(1, direction.dot(truth))) * 180 / .pi
  }

  @Test func `a floor shows up, ground and size`() throws {
    let world = try #require(
      PhotographedWorld(Self.views(roll: 0.1), points: Self.points(floor: 600)))
    guard case .plane(let share) = world.evidence else {
      Issue.record("\(world.evidence)")
      return
    }
    #expect(share > 0.5)
    #expect(degrees(world.up) < 0.1)
    let placement = world.placement(viewingDistance: world.viewingDistance / 0.37)
    let back = placement * Self.disguise
    // The true world, turned about Y.
    #expect(abs(back.y.y - 1) < 1e-3)
    #expect(abs(back.determinant - 1) < 1e-6)
    #expect(abs(back.apply(toPoint: .zero).y) < 0.003)
  }

  @Test(arguments: [1.0, -1]) func `a large floor shows up where files say another side`(
    side: Double
  ) throws {
    let views = Self.views().map {
      PhotographedWorld.View(pose: $0.pose, top: SIMD2($0.top.y, -$0.top.x) * side)
    }
    let world = try #require(PhotographedWorld(views, points: Self.points(floor: 600)))
    #expect(degrees(world.up) < 0.1)
  }

  @Test func `without a floor the lower edges of photographs show up`() throws {
    for turns in [1, 0.5, 0.25] {
      let world = try #require(
        PhotographedWorld(Self.views(turns: turns), points: Self.points(floor: 0)))
      #expect(world.evidence == .cameras)
      #expect(degrees(world.up) < 2)
    }
  }

  @Test func `cameras that look the same way show it by their upper side`() throws {
    let world = try #require(
      PhotographedWorld(Self.views(turns: 0.02, roll: 0), points: Self.points(floor: 0)))
    #expect(world.evidence == .sides)
    // They look down by 33 degrees, which nothing tells.
    #expect(degrees(world.up) < 40)
  }

  @Test func `the cameras are as far as they are said to be, and nothing has no world`() throws {
    let world = try #require(PhotographedWorld(Self.views(), points: Self.points(floor: 600)))
    let placement = world.placement(viewingDistance: 3)
    #expect(abs(placement.x.length - 3 / world.viewingDistance) < 1e-9)
    #expect(abs(world.viewingDistance / 0.37 - 2.3) < 0.3)
    #expect(PhotographedWorld([], points: [SIMD3(1, 0, 0)]) == nil)
    #expect(PhotographedWorld(Self.views(), points: []) == nil)
  }
}
