import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

struct CheckCaptureTests {
  private static func checked(
    _ scene: Scene, _ change: (inout CheckCapture.Parameters) -> Void = { _ in }
  ) throws -> (gates: [String: CaptureGate], context: StageContext) {
    var parameters = CheckCapture.Parameters()
    parameters.stop = false
    change(&parameters)
    #expect(parameters.faults() == [])
    let context = StageContext()
    let gates = try CheckCapture(parameters).run(scene, in: context).gates
    return (Dictionary(uniqueKeysWithValues: gates.map { ($0.name, $0) }), context)
  }

  /// Frames without images that walk along x and turn about y, without a mesh.
  private static func walk(
    _ times: [Double?], step: Double = 0.5, degrees: Double = 10
  ) -> Scene {
    let frames = times.enumerated().map { index, time in
      var pose = Transform(
        rotationAbout: SIMD3(0, 1, 0), by: Angle(degrees: degrees * Double(index)).radians)
      pose.translation = SIMD3(step * Double(index), 0, 0)
      return Capture.Frame(
        name: "f\(index)", image: .file("/nowhere/\(index).jpg"), imageSize: SIMD2(64, 48),
        intrinsics: .init(focalLength: SIMD2(60, 60), principalPoint: SIMD2(32, 24)), pose: pose,
        timestamp: time)
    }
    return Scene(capture: Capture(frames: frames))
  }

  private static let images: [GateKind] = [.brightness, .clipped, .sharpness]

  @Test func `a good capture passes, and blurred frames are named`() throws {
    let capture = try SyntheticCapture {
      $0.frameCount = 16
      $0.blurred = [3: 4, 10: 5]
    }
    let (gates, _) = try Self.checked(capture.scene)
    for (name, gate) in gates
    where !["sharpness", "coverage", "step", "turn", "turn-rate", "speed"].contains(name) {
      #expect([.passed, .unknown].contains(gate.outcome), "\(name): \(gate)")
    }
    let sharpness = try #require(gates["sharpness"])
    let beyond = sharpness.readings(beyond: 0.8).compactMap(\.frame)
    #expect(Set(beyond) == ["frame_00003", "frame_00010"])
    #expect(sharpness.outcome != .passed)
    #expect(
      try Self.checked(capture.scene) { $0.minimumSharpness = [0.8, 0, 0.2] }.gates["sharpness"]?
        .outcome == .passed)

    var parameters = CheckCapture.Parameters()
    parameters.minimumSharpness = [0.9, 0.8]
    let error = #expect(throws: CheckCapture.Failure.self) {
      try CheckCapture(parameters).run(capture.scene, in: StageContext())
    }
    let message = try #require(error?.message)
    #expect(message.contains("sharpness: 2 of 16 frames below 0.80 (frame_000"), "\(message)")
    #expect(message.contains("move the phone more slowly") && error?.exitCode == .data)
  }

  @Test func `motion is that of the poses, between frames with times`() throws {
    let (gates, context) = try Self.checked(Self.walk([10, 10.25, 10.5, nil, 11])) {
      $0.skip = Self.images
    }
    func values(_ name: String) -> [Double] { gates[name]?.readings.map(\.value) ?? [] }
    #expect(values("gap") == [0.25, 0.25])
    #expect(values("step") == [0.5, 0.5])
    #expect(values("speed") == [2, 2])
    #expect(values("turn").allSatisfy { abs($0 - 10) < 1e-6 } && values("turn").count == 2)
    #expect(values("turn-rate").allSatisfy { abs($0 - 40) < 1e-5 })
    #expect(gates["gap"]?.readings.map(\.time) == [0.25, 0.5])
    #expect(gates["speed"]?.outcome == .warning)
    #expect(
      context.warnings.contains {
        $0.hasPrefix("speed: 2 of 2 frames above 1.00 m/s (f1 at 0.3 s: 2.00 m/s")
      })
    for name in ["coverage", "depth", "depth-fit", "image-fit", "tracking", "exposure"] {
      #expect(gates[name]?.outcome == .unknown, "\(name)")
    }
    #expect(gates["brightness"] == nil)
  }

  @Test func `exposure, focus and tracking are those of the frames`() throws {
    var scene = Self.walk([0, 1, 2])
    scene.capture?.frames[0].exposure = .init(duration: 0.01, iso: 100)
    scene.capture?.frames[1].exposure = .init(duration: 0.01, iso: 200)
    scene.capture?.frames[2].exposure = .init(duration: 0.16, iso: 100)
    scene.capture?.frames[2].tracking = .limited
    scene.capture?.frames[1].tracking = .normal
    scene.capture?.frames[0].intrinsics.focalLength *= 1.2
    let gates = try Self.checked(scene) { $0.skip = Self.images }.gates
    func values(_ name: String) -> [Double] { gates[name]?.readings.map(\.value) ?? [] }
    for (value, stops) in zip(values("exposure"), [1.0, 0, 3]) {
      #expect(abs(value - stops) < 1e-9)
    }
    #expect(values("tracking") == [1, 0.5])
    #expect(abs(values("focus")[0] - 0.2) < 1e-9 && values("focus")[1...] == [0, 0])
    #expect(gates["focus"]?.outcome == .failed && gates["tracking"]?.outcome == .warning)
  }

  @Test func `depth and confidence are shares of the map`() throws {
    var capture = try DepthCapture()
    let count = DepthCapture.size.x * DepthCapture.size.y
    try capture.add((0..<count).map { $0 % 4 == 0 ? 0 : 2 }, pose: .identity)
    var scene = Self.walk([0])
    scene.capture?.frames = []
    scene.capture?.depthFrames = capture.frames
    let gates = try Self.checked(scene).gates
    #expect(gates["depth"]?.readings.map(\.value) == [0.75])
    #expect(gates["confidence"]?.outcome == .unknown)
  }

  @Test func `a frame elsewhere than its pose is named by depth and by images`() throws {
    let capture = try SyntheticCapture { $0.frameCount = 12 }
    var scene = capture.scene
    let pose = try #require(scene.capture?.frames[5].pose)
    scene.capture?.frames[5].pose =
      pose * Transform(rotationAbout: SIMD3(0, 1, 0), by: Angle(degrees: 80).radians)
    let gates = try withExtendedLifetime(capture) {
      try Self.checked(scene) { $0.skip = Self.images }.gates
    }
    let fit = try #require(gates["depth-fit"])
    #expect(fit.readings(beyond: 0.6).first?.frame == "frame_00005", "\(fit.readings)")
  }

  @Test func `limits that make no sense are faults, and a scan without frames is an error`() throws
  {
    for limits in [[], [0.5], [0.5, 0.8], [0.8, 0.5, 1.5], [0.8, 0.5, 0, 0], [.nan, 0.5]] {
      var parameters = CheckCapture.Parameters()
      parameters.minimumSharpness = limits
      #expect(
        parameters.faults().first?.contains("'minimumSharpness' must be a limit for a warning")
          == true)
    }
    let scan = Scene(meshes: [Mesh(positions: [Vector3(0, 0, 0)])])
    #expect(throws: CheckCapture.Failure.noFrames) {
      try CheckCapture(CheckCapture.Parameters()).run(
        Scene(meshes: scan.meshes, capture: Capture()), in: StageContext())
    }
  }

  @Test func `as many readings as allowed may pass a limit`() {
    func outcome(_ values: [Double], allowed: Double) -> CaptureGate.Outcome {
      CaptureGate(
        name: "x", limits: .init(isMaximum: true, warning: 1, failure: 2, allowed: allowed),
        readings: values.map { CaptureGate.Reading(frame: "f", value: $0) }
      ).outcome
    }
    #expect(outcome([], allowed: 0) == .unknown)
    #expect(outcome([1, 2, 1, 0], allowed: 0.25) == .passed)
    #expect(outcome([1, 2, 1.5, 0], allowed: 0.25) == .warning)
    #expect(outcome([3, 2, 1.5, 0], allowed: 0.25) == .warning)
    #expect(outcome([3, 2.5, 0, 0], allowed: 0.25) == .failed)
  }
}
