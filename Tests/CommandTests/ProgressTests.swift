import Testing

@testable import MeshPipeline
@testable import MeshpipeCommand

private func progress(_ overall: Double, elapsed: Double) -> RunProgress {
  RunProgress(
    step: RunStep(kind: .stage, name: "light", detail: "decimate", index: 1, count: 4),
    fraction: 0.5, overall: overall, elapsed: elapsed)
}

@Test func `the bar shows stage, percent and the time left`() {
  let line = ProgressLine.bar(progress(0.25, elapsed: 10), width: 79)
  #expect(line == "[######..................]  25%  light (decimate)  30 s left")
}

@Test func `a warning names its file once`() {
  let message = "a.obj:4: unknown statements"
  #expect(ProgressLine.warning(of: "a.obj", message) == message)
  #expect(ProgressLine.warning(of: "scans/a.obj", message) == "scans/a.obj:4: unknown statements")
  #expect(ProgressLine.warning(of: "scans/a", "scans/a: no frame") == "scans/a: no frame")
  #expect(ProgressLine.warning(of: "weld", message) == "weld: " + message)
  #expect(ProgressLine.warning(of: "a", "a.obj: b") == "a: a.obj: b")
}

@Test func `the bar fits into a narrow terminal`() {
  for width in [20, 40, 50, 60] {
    #expect(ProgressLine.bar(progress(0.25, elapsed: 10), width: width).count <= width)
  }
}

@Test func `the bar stays in its bounds whatever the run says`() {
  #expect(ProgressLine.bar(progress(1.5, elapsed: 10), width: 79).contains(" 100%"))
  #expect(ProgressLine.bar(progress(-1, elapsed: 10), width: 79).contains("   0%"))
}

@Test func `JSON lines are JSON`() throws {
  let members = try #require(
    ProgressLine.members(of: .progress(progress(0.25, elapsed: 10)), shouldShow: { _ in true }))
  let line = JSONValue(.object(members)).compactText
  let json = try #require(JSONReader.read(Array(line.utf8)).value)
  #expect(json["event"]?.content == .string("progress"))
  #expect(json["name"]?.content == .string("light"))
  #expect(json["overall"]?.content == .number(0.25))
  #expect(json["left"]?.content == .number(30))
  #expect(!line.contains("\n"))
}

@Test func `the time left follows a new estimate step by step`() {
  var smoothing = TimeSmoothing()
  // A tenth in ten seconds: ninety more. Then it turns out to be done in twenty.
  #expect(smoothing.secondsLeft(progress(0.1, elapsed: 10)) == 90)
  var before = 90.0
  for tick in 1...50 {
    let elapsed = 10 + 0.1 * Double(tick)
    let left = smoothing.secondsLeft(progress(elapsed / 30, elapsed: elapsed)) ?? 0
    #expect(left < before && before - left < 4, "\(left) after \(before)")
    before = left
  }
  #expect(before < 45)
  #expect(smoothing.secondsLeft(progress(1, elapsed: 20)) == 0)
}
