import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// On exact depth maps of a room with a box in it, from cameras whose true poses are known.
struct DepthPoseRefinerTests {
  private static let settings = PoseRefiner.Settings(
    expectedShift: 0.01, expectedTurn: 0.005, greatestShift: 0.05, greatestTurn: 0.05)

  /// Cameras in the room, its surface as their depth maps show it, and where they are taken to be.
  private struct Trial {
    let capture: DepthCapture
    let surface: ObservedSurface
    var recorded: [Transform]
    var truth: [Transform] { capture.frames.map(\.pose) }

    func source(_ index: Int, isFixed: Bool = false) -> DepthPoseRefiner.Source {
      var frame = capture.frames[index]
      frame.pose = recorded[index]
      frame.timestamp = Double(index) * 0.3
      return DepthPoseRefiner.Source(
        frame, recorded: recorded[index], isFixed: isFixed, .meters)
    }

    func refined(fixed: Set<Int> = []) throws -> [DepthPoseRefiner.Outcome] {
      try DepthPoseRefiner(surface: surface, settings: settings).refined(
        recorded.indices.map { source($0, isFixed: fixed.contains($0)) }
      ) { _ in }
    }

    /// How far the middle of what each camera sees is off.
    func errors(_ poses: [Transform]) -> [Double] {
      zip(poses, truth).map { pose, truth in
        let ahead = SIMD3(0.3, -0.2, -1.2)
        return (pose.apply(toPoint: ahead) - truth.apply(toPoint: ahead)).length
      }.sorted()
    }
  }

  private static func trial(
    _ count: Int = 14, shift: Double = 0.008, turn: Double = 0.003
  ) throws -> Trial {
    let shape = DepthCapture.nearest(of: [
      DepthCapture.room(SIMD3(1.5, 1.2, 1.7)),
      DepthCapture.box(SIMD3(-0.9, -1.2, -1.1), SIMD3(-0.3, -0.4, -0.5)),
    ])
    var capture = try DepthCapture()
    for eye in DepthCapture.eyes(count, around: SIMD3(0.2, 0.1, 0.2), radius: 0.7) {
      try capture.add(shape, from: eye, lookingAt: SIMD3(-eye.x, -0.5, 0.3 - eye.z))
    }
    var random = SeededGenerator(seed: 5)
    func vector(_ size: Double) -> SIMD3<Double> {
      SIMD3(
        .random(in: -size...size, using: &random), .random(in: -size...size, using: &random),
        .random(in: -size...size, using: &random))
    }
    let recorded = capture.frames.map {
      $0.pose.moved(by: PoseChange(rotation: vector(turn), translation: vector(shift)))
    }
    var frames = capture.frames
    for index in frames.indices { frames[index].pose = recorded[index] }
    var fusion = DepthFusion.Settings()
    (fusion.voxel, fusion.noise) = (0.05, 0)
    let mesh = try DepthFusion(frames, .arkit, fusion).fused { _ in }.mesh
    let surface = try ObservedSurface(positions: mesh.positions, indices: mesh.indices)
    return Trial(capture: capture, surface: surface, recorded: recorded)
  }

  @Test func `moved cameras find back by what they measured`() throws {
    let trial = try Self.trial()
    let outcomes = try trial.refined()
    let before = trial.errors(trial.recorded)
    let after = trial.errors(outcomes.map(\.pose))
    #expect(after[after.count / 2] < before[before.count / 2] / 2, "\(before) → \(after)")
    #expect(after[after.count - 1] <= before[before.count - 1])
    #expect(outcomes.count { $0.change == .improved } > 10)
    let alone = try Parallel.withThreads(1) { try trial.refined() }
    #expect(alone.map(\.pose) == outcomes.map(\.pose))
  }

  @Test func `fixed poses stay`() throws {
    let trial = try Self.trial(8)
    let outcomes = try trial.refined(fixed: [0, 3, 4])
    for index in [0, 3, 4] { #expect(outcomes[index].pose == trial.recorded[index]) }
  }

  @Test func `what measured nothing, or something else, keeps its pose`() throws {
    var trial = try Self.trial(8)
    trial.recorded[2].translation += SIMD3(0, 30, 0)
    let outcomes = try trial.refined()
    #expect(outcomes[2].pose == trial.recorded[2] && outcomes[2].change == .tooLittleDetail)
    let refiner = DepthPoseRefiner(surface: trial.surface, settings: Self.settings)
    #expect(try refiner.refined([]) { _ in }.isEmpty)
    #expect(try refiner.refined([trial.source(0)]) { _ in }.map(\.pose) == [trial.recorded[0]])
    var frame = trial.capture.frames[0]
    frame.depth.path = "missing.bin"
    let missing = DepthPoseRefiner.Source(
      frame, recorded: frame.pose, isFixed: false, .meters)
    #expect(missing.points == nil)
    #expect(
      try refiner.refined([missing, trial.source(1)]) { _ in }.map(\.pose)
        == [frame.pose, trial.recorded[1]])
  }

  @Test(arguments: [
    ([0.1, 0.2, 0.1, 0.15, 0.12], true), ([0.1, -0.2, 0.15, -0.1, 0.1], false), ([], false),
    ([0.1, 0.1, 0.1], false), ([-0.1, -0.1, -0.1, -0.1], false),
  ])
  func `frames are better together if nearly all gain`(gains: [Double], areBetter: Bool) {
    #expect(DepthJudge.areBetterTogether(gains) == areBetter)
  }

  @Test func `corrections of neighbours in time become alike`() {
    let corrections = (0..<18).map { $0 < 6 ? 0.01 : 0 }
    let terms = DriftTerms([0, nil, 0.5], corrections, expected: (1, 1))
    #expect(terms.landmarkCount == 1)
    var right = [Double](repeating: 0, count: 18)
    terms.addRightHandSide(of: 0, to: &right)
    #expect(right[..<6].allSatisfy { $0 < 0 } && right[6..<12].allSatisfy { $0 == 0 })
    #expect(zip(right[..<6], right[12...]).allSatisfy { $0 == -$1 })
    var product = [Double](repeating: 0, count: 18)
    terms.addProduct(of: 0, with: corrections, to: &product)
    #expect(zip(product, right).allSatisfy { abs($0 + $1) < 1e-12 })
  }
}
