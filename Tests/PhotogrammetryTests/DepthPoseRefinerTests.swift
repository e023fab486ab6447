import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Photogrammetry

/// On exact depth maps of a room with a box in it, from cameras whose true poses are known.
struct DepthPoseRefinerTests {
  private static let settings = PoseRefiner.Settings(
    expectedShift: 0.01, expectedTurn: 0.005, greatestShift: 0.05, greatestTurn: 0.05,
    findsWarps: true)

  /// Cameras in the room, its surface, and where they are taken to be.
  private struct Trial {
    let capture: DepthCapture
    let surface: ObservedSurface
    var recorded: [Transform]
    var truth: [Transform] { capture.frames.map(\.pose) }

    var refiner: DepthPoseRefiner {
      DepthPoseRefiner(surface: surface, settings: settings, sampleCount: 1200)
    }

    func source(_ index: Int, isFixed: Bool = false) -> DepthPoseRefiner.Source {
      var frame = capture.frames[index]
      frame.pose = recorded[index]
      frame.timestamp = Double(index) * 0.3
      return DepthPoseRefiner.Source(
        frame, recorded: recorded[index], isFixed: isFixed, .meters)
    }

    func refined(fixed: Set<Int> = []) throws -> [DepthPoseRefiner.Outcome] {
      try refiner.refined(recorded.indices.map { source($0, isFixed: fixed.contains($0)) }) { _ in }
    }

    /// How far the middle of what each camera sees is off, from the least to the greatest.
    func errors(_ poses: [Transform]) -> [Double] {
      zip(poses, truth).map { pose, truth in
        let ahead = SIMD3(0.3, -0.2, -1.2)
        return (pose.apply(toPoint: ahead) - truth.apply(toPoint: ahead)).length
      }.sorted()
    }
  }

  private static let half = SIMD3(1.5, 1.2, 1.7)
  private static let low = SIMD3(-0.9, -1.2, -1.1)
  private static let high = SIMD3(-0.3, -0.4, -0.5)

  private static var shape: DepthCapture.Shape {
    DepthCapture.nearest(of: [DepthCapture.room(half), DepthCapture.box(low, high)])
  }

  /// The faces of the room and of the box in it.
  private static let surface = Result {
    let corners = [(-half, half), (low, high)].flatMap { low, high in
      (0..<8).map { corner in
        Vector3(
          Float(corner & 1 == 0 ? low.x : high.x), Float(corner & 2 == 0 ? low.y : high.y),
          Float(corner & 4 == 0 ? low.z : high.z))
      }
    }
    let quads: [[UInt32]] = [
      [0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5],
    ]
    let indices = [UInt32(0), 8].flatMap { first in
      quads.flatMap { quad in [0, 1, 2, 0, 2, 3].map { first + quad[$0] } }
    }
    return try ObservedSurface(positions: corners, indices: indices)
  }

  /// Cameras that look into the room from its middle, once around and a quarter more.
  private static let ring = Result {
    var capture = try DepthCapture()
    for index in 0..<count {
      let angle = 2.5 * .pi * Double(index) / Double(count - 1)
      let ahead = SIMD3(cos(angle), -0.5, sin(angle))
      try capture.add(shape, from: ahead * SIMD3(-0.8, -0.6, -0.8), lookingAt: ahead)
    }
    return capture
  }
  private static let count = 12

  /// - Parameter error: That of each frame's recorded pose.
  private static func trial(
    of capture: DepthCapture, error: (Int) -> PoseChange
  ) throws -> Trial {
    let recorded = capture.frames.enumerated().map { $1.pose.moved(by: error($0)) }
    return Trial(capture: capture, surface: try surface.get(), recorded: recorded)
  }

  /// Frames that are off by up to 8 mm and 3 mrad along each axis, independently, but for the first.
  private static let noisy = Result {
    var random = SeededGenerator(seed: 5)
    func vector(_ size: Double) -> SIMD3<Double> {
      SIMD3(
        .random(in: -size...size, using: &random), .random(in: -size...size, using: &random),
        .random(in: -size...size, using: &random))
    }
    return try trial(of: ring.get()) { index in
      index == 0
        ? .none : PoseChange(rotation: vector(0.003), translation: vector(0.008))
    }
  }

  @Test func `moved cameras find back by what they measured`() throws {
    let trial = try Self.noisy.get()
    let outcomes = try trial.refined(fixed: [0])
    let before = trial.errors(trial.recorded)
    let after = trial.errors(outcomes.map(\.pose))
    #expect(after[after.count / 2] < before[before.count / 2] / 2.4, "\(before) → \(after)")
    #expect(after[after.count - 1] < before[before.count - 1] / 2)
    #expect(outcomes.count { $0.change == .improved } > 8)
  }

  @Test func `the number of threads does not matter`() throws {
    let trial = try Self.noisy.get()
    let sources = (0..<4).map { trial.source($0) }
    let many = try trial.refiner.refined(sources) { _ in }
    let alone = try Parallel.withThreads(1) { try trial.refiner.refined(sources) { _ in } }
    #expect(alone.map(\.pose) == many.map(\.pose))
    #expect(alone.map(\.shift) == many.map(\.shift) && many.allSatisfy { $0.shift > 0 })
  }

  private static let exact = Result { try trial(of: ring.get()) { _ in .none } }

  @Test func `exact poses stay`() throws {
    let trial = try Self.exact.get()
    let after = trial.errors(try trial.refined().map(\.pose))
    #expect(after[after.count - 1] < 0.0003, "\(after)")
  }

  @Test func `one frame finds back from afar to others that are fixed`() throws {
    var trial = try Self.exact.get()
    trial.recorded[4].translation += SIMD3(0.02, -0.01, 0.015)
    let fixed = Set(trial.recorded.indices.filter { $0 != 4 })
    let outcomes = try trial.refined(fixed: fixed)
    let after = trial.errors(outcomes.map(\.pose))
    #expect(after[after.count - 1] < 0.001, "\(after)")
    for index in fixed { #expect(outcomes[index].pose == trial.recorded[index]) }
  }

  @Test func `a loop that drifted is closed`() throws {
    let trial = try Self.trial(of: Self.ring.get()) { index in
      let share = Double(index) / Double(Self.count - 1)
      return PoseChange(
        rotation: SIMD3(0, 0.008 * share, 0), translation: SIMD3(0.04, 0.02, -0.02) * share)
    }
    let poses = try trial.refined().map(\.pose)
    /// How far the last camera is off, seen from the first.
    func drift(_ poses: [Transform]) -> Double {
      func place(_ poses: [Transform]) -> SIMD3<Double> {
        poses[0].inverse?.apply(toPoint: poses[Self.count - 1].translation) ?? .zero
      }
      return (place(poses) - place(trial.truth)).length
    }
    #expect(drift(poses) < drift(trial.recorded) / 10)
  }

  @Test func `what measured nothing, or something else, keeps its pose`() throws {
    var trial = try Self.noisy.get()
    trial.recorded[2].translation += SIMD3(0, 30, 0)
    let outcomes = try trial.refiner.refined((0..<4).map { trial.source($0) }) { _ in }
    #expect(outcomes[2].pose == trial.recorded[2] && outcomes[2].change == .tooLittleDetail)
    #expect(try trial.refiner.refined([]) { _ in }.isEmpty)
    #expect(
      try trial.refiner.refined([trial.source(0)]) { _ in }.map(\.pose) == [trial.recorded[0]])
    var frame = trial.capture.frames[0]
    frame.depth.path = "missing.bin"
    let missing = DepthPoseRefiner.Source(
      frame, recorded: frame.pose, isFixed: false, .meters)
    #expect(missing.points == nil)
    #expect(
      try trial.refiner.refined([missing, trial.source(1)]) { _ in }.map(\.pose)
        == [frame.pose, trial.recorded[1]])
  }

  @Test func `progress rises to 1 and may stop`() throws {
    let trial = try Self.noisy.get()
    let sources = [trial.source(0), trial.source(1)]
    var parts: [Double] = []
    _ = try trial.refiner.refined(sources) { parts.append($0) }
    #expect(parts == parts.sorted() && parts.last == 1 && parts.count > 4)
    #expect(throws: CancellationError.self) {
      try trial.refiner.refined(sources) { if $0 > 0.3 { throw CancellationError() } }
    }
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
    let times = [SessionTime(seconds: 0), nil, SessionTime(seconds: 0.5)]
    let terms = DriftTerms(times, corrections, expected: (1, 1))
    #expect(terms.landmarkCount == 1)
    var right = [Double](repeating: 0, count: 18)
    terms.addRightHandSide(of: 0, to: &right)
    #expect(right[..<6].allSatisfy { $0 < 0 } && right[6..<12].allSatisfy { $0 == 0 })
    #expect(zip(right[..<6], right[12...]).allSatisfy { $0 == -$1 })
    var product = [Double](repeating: 0, count: 18)
    terms.addProduct(of: 0, with: corrections, to: &product)
    #expect(zip(product, right).allSatisfy { abs($0 + $1) < 1e-12 })
  }

  @Test func `corrections of sessions are chains of their own`() {
    let times = [(0, 0.0), (1, 0.1), (0, 0.2), (1, 0.3), (2, 0.1)].map {
      SessionTime(session: $0, seconds: $1)
    }
    let corrections = times.flatMap { [Double](repeating: Double($0.session), count: 6) }
    let terms = DriftTerms(times, corrections, expected: (1, 1))
    #expect(terms.landmarkCount == 2)
    // Within a session all are alike, so that nothing pulls, however far sessions are apart.
    var right = [Double](repeating: 0, count: 30)
    for pair in 0..<terms.landmarkCount { terms.addRightHandSide(of: pair, to: &right) }
    #expect(right.allSatisfy { $0 == 0 })
  }
}
