import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

struct GatePresetTests {
  static func checked(
    _ scene: Scene, _ preset: GatePreset, skip: [GateKind] = [.brightness, .clipped, .sharpness],
    _ change: (inout CheckCapture.Parameters) -> Void = { _ in }
  ) throws -> (gates: [String: CaptureGate], context: StageContext) {
    var parameters = CheckCapture.Parameters()
    (parameters.preset, parameters.skip, parameters.stop) = (preset, skip, false)
    change(&parameters)
    let context = StageContext()
    let gates = try CheckCapture(parameters).run(scene, in: context).gates
    return (Dictionary(uniqueKeysWithValues: gates.map { ($0.name, $0) }), context)
  }

  /// A camera on a tripod for some seconds at 10 frames per second, that once is elsewhere.
  static func tripod(
    seconds: Double = 4, degrees: Double = 0, millimeters: Double = 0, hasTimes: Bool = true
  ) -> Scene {
    let count = Int(seconds * 10) + 1
    let frames = (0..<count).map { index in
      var pose = Transform(rotationAbout: SIMD3(0, 1, 0), by: 0.4)
      if index == count / 2 {
        pose = pose * Transform(rotationAbout: SIMD3(0, 0, 1), by: Angle(degrees: degrees).radians)
        pose.translation = SIMD3(0, millimeters / 1000, 0)
      }
      return Capture.Frame(
        name: "f\(index)", image: .file("/nowhere/\(index).jpg"), imageSize: SIMD2(64, 48),
        intrinsics: .init(focalLength: SIMD2(60, 60), principalPoint: SIMD2(32, 24)), pose: pose,
        timestamp: hasTimes ? 50 + Double(index) / 10 : nil)
    }
    return Scene(capture: Capture(frames: frames))
  }

  @Test(arguments: [(0.3, 1.5, []), (0.7, 1.5, ["lock-turn"]), (0.3, 2.5, ["lock-shift"])])
  func `a tripod shot turns by less than half a degree and moves by less than 2 mm`(
    degrees: Double, millimeters: Double, failed: [String]
  ) throws {
    let scene = Self.tripod(degrees: degrees, millimeters: millimeters)
    let (gates, _) = try Self.checked(scene, .static)
    #expect(gates.values.filter { $0.outcome == .failed }.map(\.name) == failed)
    for (name, value) in [("lock-turn", degrees), ("lock-shift", millimeters)] {
      let gate = try #require(gates[name])
      #expect(abs(try #require(gate.readings.map(\.value).max()) - value) < 1e-6)
      #expect(gate.outcome == (failed.contains(name) ? .failed : .passed))
    }
    #expect(gates["step"] == nil && gates["coverage"] == nil)
  }

  @Test func `a camera that drifts slowly is judged over two seconds`() throws {
    var scene = Self.tripod(seconds: 10)
    for index in 0...100 {
      scene.capture?.frames[index].pose.translation.x = 0.0008 * Double(index) / 10
    }
    let shift = try #require(try Self.checked(scene, .static).gates["lock-shift"])
    #expect(abs(try #require(shift.readings.map(\.value).max()) - 1.6) < 1e-6)
    #expect(shift.outcome == .passed)
    let longer = try Self.checked(scene, .static) { $0.lockTime = 5 }.gates["lock-shift"]
    #expect(longer?.outcome == .failed)
  }

  @Test func `what can't be judged is refused, and stays unknown`() throws {
    let (short, _) = try Self.checked(Self.tripod(seconds: 1.5), .static)
    #expect(short["duration"]?.outcome == .failed)
    let scene = Self.tripod(hasTimes: false)
    let (gates, context) = try Self.checked(scene, .static)
    #expect(gates["lock-shift"]?.outcome == .unknown && gates["lock-shift"]?.refuses == true)
    #expect(gates["tracking"]?.refuses == false)
    #expect(
      context.warnings.contains("failed: lock-shift: unknown, since it needs frames with times"))
    var parameters = CheckCapture.Parameters()
    (parameters.preset, parameters.skip) = (.static, [.brightness, .clipped, .sharpness])
    #expect(throws: CheckCapture.Failure.self) {
      try CheckCapture(parameters).run(scene, in: StageContext())
    }
    #expect(
      try Self.checked(scene, .static) { $0.require = [] }.gates["duration"]?.refuses == false)
  }

  // MARK: The form of presets

  private static func preset(_ text: String) throws(ParameterFault) -> GatePreset {
    try GatePreset(json: JSONReader.read(Array(text.utf8)).value ?? [:])
  }

  @Test func `options change and add gates of a preset`() throws {
    let scene = Self.tripod(degrees: 0.7)
    let (gates, _) = try Self.checked(scene, .static) {
      $0.maximumLockTurn = [0.5, 1]
      $0.maximumTurn = [45, 90]
    }
    #expect(gates["lock-turn"]?.outcome == .warning)
    #expect(gates["turn"]?.limits.failure == 90)
  }

  @Test func `a file has the gates that it names, or those of the preset that it starts from`()
    throws
  {
    let own = try Self.preset(#"{ "maximumLockTurn": [0.2, 0.25], "lockTime": 1 }"#)
    let (gates, _) = try Self.checked(Self.tripod(degrees: 0.3), own)
    #expect(gates.keys.sorted() == ["lock-turn"] && gates["lock-turn"]?.outcome == .failed)
    let changed = try Self.preset(
      #"{ "description": "ours", "maximumLockTurn": [1, 2], "preset": "static" }"#)
    #expect(changed.limits.count == GatePreset.static.limits.count)
    #expect(changed.limits[.lockTurn] == [1, 2] && changed.required == GatePreset.static.required)
    #expect(changed.description == "ours")
    #expect(try GatePreset(json: changed.json) == changed)
  }

  @Test(arguments: [
    (
      #"{ "maximumLockTrun": [1, 2] }"#, 3,
      "unknown gate 'maximumLockTrun'; did you mean 'maximumLockTurn'?"
    ),
    (#"{ "lock-turn": [1, 2] }"#, 3, "unknown gate 'lock-turn'; did you mean 'maximumLockTurn'?"),
    (#"{ "maximumTurn": [2, 1] }"#, 18, "'maximumTurn' must be a limit for a warning"),
    (#"{ "maximumTurn": [2, "x"] }"#, 22, "'maximumTurn' expected a number, found the string 'x'"),
    (#"{ "preset": "statik" }"#, 13, "did you mean 'static'?"),
    (#"{ "preset": ["scan"] }"#, 13, "'preset' must be the name of a preset"),
    (#"{ "lockTime": 0 }"#, 15, "'lockTime' must be from 0.01 to 60"),
    (
      #"{ "require": ["barrier"] }"#, 14,
      "'require' names 'barrier', for which there is no 'minimumBarrier'"
    ),
    (#"{ "require": ["barier"] }"#, 15, "did you mean 'barrier'?"),
  ])
  func `a mistake in a file is told with its place`(text: String, column: Int, message: String)
    throws
  {
    let fault = #expect(throws: ParameterFault.self) { _ = try Self.preset(text) }
    #expect(fault?.message.contains(message) == true, "\(fault?.message ?? "")")
    #expect(fault?.position == SourcePosition(line: 1, column: column))
  }

  @Test func `presets have names, and a scan is the usual one`() {
    #expect(GatePreset.builtIn.map(\.name) == ["scan", "static", "occlusion"])
    #expect(GatePreset.parameterType == .choiceOrFile(GatePreset.builtIn.compactMap(\.name)))
    #expect(CheckCapture.Parameters().preset == .scan)
    #expect(GatePreset.scan.limits.count == 16 && GatePreset.scan.required == [])
    for preset in GatePreset.builtIn {
      #expect(preset.required.allSatisfy { preset.limits[$0] != nil })
    }
  }
}
