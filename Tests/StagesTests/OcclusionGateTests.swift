import MeshPipeline
import MeshTestSupport
import Testing

@testable import Stages

/// A camera on a tripod before a wall, and a barrier that hides a part of it for a while.
struct OcclusionGateTests {
  private struct Shot {
    /// The share of the width of the grid.
    var cover = 0.65
    var millimeters = 60.0
    var dwell = 5.0
    var claims: [(Capture.Recipe.Claim.Subject, Double)] = []
    var names = (background: ["clear"], hidden: ["covered"])
    var faults: [String] = []
    /// The share of the samples in which the barrier is there.
    var presence = 1.0

    /// Two seconds of the wall, then the barrier, at four depth maps per second.
    func scene() throws -> (DepthCapture, Scene) {
      var capture = try DepthCapture()
      let size = DepthCapture.size
      let edge = Double(size.x) * (0.2 + 0.6 * cover)
      let count = Int((2.5 + dwell) * 4) + 1
      for index in 0..<count {
        let time = Double(index) / 4
        let isHidden = time >= 2.5 && time <= 2.5 + dwell * presence
        try capture.add(
          (0..<size.x * size.y).map { pixel in
            isHidden && Double(pixel % size.x) + 0.5 < edge ? Float(1.5 - millimeters / 1000) : 1.5
          }, pose: .identity)
        capture.frames[index].timestamp = 700 + time
      }
      var scene = Scene(capture: Capture(depthFrames: capture.frames))
      scene.capture?.origin = Capture.Origin(folder: "room", layout: "frames-bundle")
      scene.capture?.origin?.recipe = Capture.Recipe(
        steps: [
          .init(name: "clear", times: 700...702),
          .init(name: "covered", times: 702.5...702.5 + dwell),
        ],
        background: names.background, hidden: names.hidden,
        claims: claims.map { .init($0.0, value: $0.1, place: "room/manifest.json:7:3") },
        faults: faults)
      return (capture, scene)
    }

    func checked() throws -> (gates: [String: CaptureGate], context: StageContext) {
      let (capture, scene) = try scene()
      return try withExtendedLifetime(capture) { try GatePresetTests.checked(scene, .occlusion) }
    }

    func refused() throws -> [String] {
      try checked().gates.values.filter(\.refuses).map(\.name).sorted()
    }
  }

  @Test func `a barrier that is wide, near and steady enough passes`() throws {
    let (gates, context) = try Shot().checked()
    #expect(gates.values.filter(\.refuses).map(\.name) == [])
    #expect(context.warnings == [])
    let covers = try #require(gates["barrier"]).readings.map(\.value)
    #expect(covers.count == 21 && covers.allSatisfy { abs($0 - 0.65) < 0.03 }, "\(covers)")
    let separations = try #require(gates["separation"]).readings.map(\.value)
    #expect(separations.allSatisfy { abs($0 - 60) < 0.01 })
    #expect(gates["short-dwell"]?.readings == [.init(frame: "covered", time: 2.5, value: 5)])
  }

  @Test func `each rule fails alone`() throws {
    #expect(try Shot(cover: 0.55).refused() == ["barrier"])
    #expect(try Shot(millimeters: 40).refused() == ["separation"])
    #expect(try Shot(dwell: 3).refused() == ["short-dwell"])
    #expect(try Shot(dwell: 7).refused() == ["long-dwell"])
    // In 80 % of the samples, and in 60 %.
    #expect(try Shot(presence: 0.8).refused() == [])
    #expect(try Shot(presence: 0.6).refused() == ["barrier", "separation"])
    let warnings = try Shot(dwell: 3).checked().context.warnings
    #expect(
      warnings == [
        "failed: short-dwell: 1 of 1 steps below 4.00 s (covered at 2.5 s: 3.00 s); hold the barrier for longer"
      ])
  }

  @Test func `without steps or depth maps nothing is known, and that is refused`() throws {
    let steps = ["barrier", "long-dwell", "separation", "short-dwell"]
    #expect(try Shot(names: (["clear"], [])).refused() == steps)
    #expect(try Shot(names: ([], ["covered"])).refused() == ["barrier", "separation"])
    let (gates, context) = try GatePresetTests.checked(GatePresetTests.tripod(), .occlusion)
    #expect(gates.values.filter(\.refuses).map(\.name).sorted() == steps)
    #expect(gates["barrier"]?.outcome == .unknown)
    #expect(
      context.warnings.contains {
        $0.hasPrefix("failed: barrier: unknown, since it needs depth maps with times in the steps")
      })
  }

  @Test func `only what lies between the first step and the last must stand still`() throws {
    var scene = GatePresetTests.tripod(seconds: 8)
    for index in 0..<10 { scene.capture?.frames[index].pose.translation.x = 0.1 }
    #expect(try GatePresetTests.checked(scene, .static).gates["lock-shift"]?.outcome == .failed)
    scene.capture?.origin = Capture.Origin(folder: "room", layout: "frames-bundle")
    scene.capture?.origin?.recipe = Capture.Recipe(steps: [.init(name: "still", times: 51...58)])
    let gates = try GatePresetTests.checked(scene, .static).gates
    #expect(gates["lock-shift"]?.outcome == .passed)
    #expect(abs(try #require(gates["duration"]?.readings.first?.value) - 7) < 1e-9)
  }

  @Test func `a summary that is true is not told, and one that lies is`() throws {
    let truth: [(Capture.Recipe.Claim.Subject, Double)] = [
      (.lockRotation, 0), (.lockTranslation, 0.2), (.barrierFraction, 0.66), (.separation, 62),
      (.dwell, 5.1), (.passed, 1),
    ]
    #expect(try Shot(claims: truth).checked().context.warnings == [])
    let lies: [(Capture.Recipe.Claim.Subject, Double)] = [
      (.lockRotation, 0.3), (.lockTranslation, 2), (.barrierFraction, 0.9), (.separation, 90),
      (.dwell, 4), (.passed, 0),
    ]
    let (_, context) = try Shot(claims: lies).checked()
    #expect(context.warnings.count == lies.count)
    #expect(
      context.warnings.contains(
        "room/manifest.json:7:3: 'separation_mm' is 90, but 60 was measured, the median of 21 depth maps"
      ))
    #expect(
      context.warnings.contains(
        "room/manifest.json:7:3: 'dwell_s' is 4.00, but 5.00 was measured, the shortest of 1 steps")
    )
    #expect(context.notes.contains { $0.key == "manifestFaults" && $0.value.elements.count == 6 })
    let failing = try Shot(cover: 0.55, claims: [(.passed, 1)]).checked().context.warnings
    #expect(
      failing.contains("room/manifest.json:7:3: 'passed' is true, but the capture fails at barrier")
    )
    let unseen = try Shot(claims: [(.separation, 60)], names: ([], [])).checked().context.warnings
    #expect(
      unseen.contains {
        $0.contains("'separation_mm' is 60, which nothing in the capture confirms")
      })
  }

  @Test func `what is wrong with the recipe is told by every preset`() throws {
    let (capture, scene) = try Shot(faults: ["manifest.json:3:5: no such step"]).scene()
    let context = try withExtendedLifetime(capture) {
      try GatePresetTests.checked(scene, .scan).context
    }
    #expect(context.warnings.contains("manifest.json:3:5: no such step"))
  }
}
