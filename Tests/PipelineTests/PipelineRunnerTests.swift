import Foundation
import MeshPipeline
import MeshTestSupport
import Synchronization
import Testing

@Suite struct PipelineRunnerTests {
  let folder: TestKit.Folder

  init() throws {
    folder = try TestKit.Folder()
    try folder.write("columns 10\nclasses floor wall", to: "scan.tri")
  }

  /// Runs a pipeline on `scan.tri`; `DIR` in its text is the test's folder.
  @discardableResult
  func run(
    _ text: String, _ change: (inout PipelineRequest) -> Void = { _ in },
    options: PipelineRunner.Options = .init(), observer: @escaping RunObserver = { _ in }
  ) throws -> RunReport {
    let document = PipelineDocument(
      parsing: text.replacingOccurrences(of: "DIR", with: folder.path), file: "test.json")
    var request = PipelineRequest(input: folder.file("scan.tri"))
    change(&request)
    let resolution = document.resolve(in: TestKit.environment, for: request)
    return try PipelineRunner(try resolution.get(), options: options, observer: observer).run()
  }

  @Test func `one decode feeds several outputs and branches`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "stages": [
          { "id": "floor", "use": "pick", "with": { "keep": ["floor"] } },
          { "id": "wall", "use": "pick", "in": "input", "with": { "keep": ["wall"] } },
          { "id": "half", "use": "thin", "with": { "target": "50%" } },
          { "id": "both", "use": "strip", "in": ["floor", "half"] } ],
        "outputs": [
          { "path": "${dir}/${stem}.both.tri" },
          { "path": "DIR/floor.tri", "from": "floor" },
          { "path": "DIR/whole.tri", "from": "input" } ] }
      """)
    #expect(report.input?.counts.faces == 20)
    #expect(report.stages.map(\.after.faces) == [10, 10, 5, 15])
    #expect(report.stages.map(\.before.faces) == [20, 20, 10, 15])
    #expect(try folder.read("scan.both.tri").contains("faces 15"))
    #expect(try folder.read("floor.tri").contains(#"classes ["floor"]"#))
    #expect(try folder.read("whole.tri").contains("faces 20"))
    #expect(folder.names == ["floor.tri", "scan.both.tri", "scan.tri", "whole.tri"])
  }

  @Test func `a stage gets the scenes that its options refer to`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "stages": [
          { "id": "floor", "use": "pick", "with": { "keep": ["floor"] } },
          { "id": "few", "use": "thin", "with": { "target": 3 } },
          { "id": "more", "use": "borrow", "with": { "from": "floor" } },
          { "id": "all", "use": "borrow" } ],
        "outputs": [ { "path": "DIR/a.tri" } ] }
      """)
    #expect(report.allWarnings == [])
    #expect(report.stages.map(\.after.faces) == [10, 3, 13, 33])
  }

  @Test func `a scene is kept for a reference, and no longer`() throws {
    func addresses(_ between: String) throws -> Int {
      try run(
        """
        { "meshpipe": 1, "stages": [
            { "id": "one", "use": "nudge", "with": { "key": "lent \(between)" } },
            { "use": "nudge", "with": { "key": "lent \(between)" } },
            { "use": "borrow", "with": { "from": "\(between)" } } ],
          "outputs": [ { "path": "DIR/a.tri" } ] }
        """)
      return Set(Nudge.addresses.withLock { $0["lent \(between)"] ?? [] }).count
    }
    // What is needed again is copied before the next stage changes it, the input by the first one.
    #expect(try addresses("one") == 2)
    #expect(try addresses("input") == 1)
  }

  @Test func `stages that find no work are told of in one line, unless they are optional`() throws {
    func warnings(_ optional: Bool) throws -> [String] {
      try run(
        """
        { "meshpipe": 1, "stages": [
            { "use": "strip", "when": "frames and faces", "optional": \(optional) },
            { "id": "skin", "use": "paint", "when": "frames", "optional": \(optional) },
            { "id": "many", "use": "strip", "when": "faces > 1000", "optional": \(optional) } ],
          "outputs": [ { "path": "DIR/a.tri" } ] }
        """
      ).allWarnings
    }
    #expect(
      try warnings(false) == [
        "skipped: strip, skin (there are no frames), many (faces is 20); "
          + "name a capture with --frames"
      ])
    #expect(try warnings(true) == [])
  }

  @Test func `a stage works on the classes and meshes that it names`() throws {
    func faces(_ place: String) throws -> RunReport {
      try run(
        """
        { "meshpipe": 1, "stages": [
            { "use": "thin", "where": \(place), "with": { "target": 3 } } ],
          "outputs": [ { "path": "DIR/a.tri" } ] }
        """)
    }
    // Half of the twenty faces are floor: three of these and ten others stay.
    let report = try faces(#""floor""#)
    #expect(report.stages[0].after.faces == 13)
    #expect(try folder.read("a.tri").contains(#"["floor", "wall"]"#))
    #expect(try faces(#"["floor", "wall"]"#).stages[0].after.faces == 3)
    #expect(try faces(#""mesh*""#).stages[0].after.faces == 3)
    let none = try faces(#"["door", "x*y"]"#)
    #expect(none.allWarnings == ["skipped: thin (there is no class or mesh named 'door' or 'x*y')"])
  }

  @Test func `what will be skipped takes no part of the time`() throws {
    let seen = Mutex<[String: Double]>([:])
    try run(
      """
      { "meshpipe": 1, "stages": [
          { "id": "a", "use": "strip" },
          { "id": "b", "use": "strip", "when": "frames", "optional": true },
          { "id": "c", "use": "strip", "enabled": false },
          { "id": "d", "use": "strip" } ],
        "outputs": [ { "path": "DIR/a.tri", "from": "a" }, { "path": "DIR/d.tri" } ] }
      """,
      observer: { event in
        if case .progress(let progress) = event, progress.fraction == 0 {
          seen.withLock { $0[progress.step.name] = progress.overall }
        }
      })
    // Reading, a, its output, d, its output, and the commit are a sixth each.
    let parts = seen.withLock { $0 }
    for (name, part) in [("a", 1.0), ("b", 3), ("d", 3), (folder.file("d.tri"), 4), ("", 5)] {
      #expect(abs((parts[name] ?? 0) - part / 6) < 1e-9, "\(name) \(parts)")
    }
  }

  @Test func `a run may begin and end at a stage`() throws {
    let text = """
      { "meshpipe": 1, "stages": [
          { "id": "a", "use": "thin", "with": { "target": 15 } },
          { "id": "b", "use": "thin", "with": { "target": 10 } },
          { "id": "c", "use": "thin", "with": { "target": 5 } } ],
        "outputs": [ { "path": "DIR/a.tri" } ] }
      """
    #expect(try run(text) { $0.firstStage = "b" }.stages.map(\.after.faces) == [20, 10, 5])
    #expect(try run(text) { $0.lastStage = "b" }.stages.map(\.after.faces) == [15, 10, 10])
    let only = try run(text) { ($0.firstStage, $0.lastStage) = ("b", "b") }
    #expect(only.stages.map(\.after.faces) == [20, 10, 10])
    #expect(throws: InvalidPipeline.self) { try run(text) { $0.firstStage = "d" } }
  }

  @Test func `warnings of the machine are no errors when others are`() throws {
    var options = PipelineRunner.Options()
    options.warningsAreErrors = true
    func nudged(blamingMachine: Bool) throws -> RunReport {
      try run(
        """
        { "meshpipe": 1, "stages": [
            { "use": "nudge", "with": { "blamesMachine": \(blamingMachine) } } ],
          "outputs": [ { "path": "DIR/a.tri" } ] }
        """, options: options)
    }
    #expect(try nudged(blamingMachine: true).allWarnings == ["nudge: nudged"])
    let failure = try #require(throws: RunFailure.self) { try nudged(blamingMachine: false) }
    #expect(failure.exitCode == .data)
  }

  @Test func `a scene is handed over without a copy`() throws {
    let key = "handed over"
    try run(
      """
      { "meshpipe": 1, "stages": [
          { "id": "one", "use": "nudge", "with": { "key": "\(key)" } },
          { "id": "off", "use": "strip", "enabled": false },
          { "id": "never", "use": "strip", "when": "frames" },
          { "id": "two", "use": "nudge", "with": { "key": "\(key)" } },
          { "id": "three", "use": "nudge", "with": { "key": "\(key)" }, "expect": "faces > 3" } ],
        "outputs": [ { "path": "DIR/a.tri", "from": "one" }, { "path": "DIR/b.tri" } ] }
      """)
    let addresses = Nudge.addresses.withLock { $0[key] ?? [] }
    #expect(addresses.count == 3)
    #expect(Set(addresses).count == 1)
  }

  @Test func `a scene that is needed again is not changed`() throws {
    let key = "needed again"
    let report = try run(
      """
      { "meshpipe": 1, "stages": [
          { "id": "one", "use": "nudge", "with": { "key": "\(key)" } },
          { "id": "two", "use": "nudge", "in": "input", "with": { "key": "\(key)" } } ],
        "outputs": [ { "path": "DIR/a.tri", "from": "one" }, { "path": "DIR/b.tri" } ] }
      """)
    #expect(Set(Nudge.addresses.withLock { $0[key] ?? [] }).count == 2)
    #expect(report.stages.map(\.warnings) == [["nudged"], ["nudged"]])
    #expect(try folder.read("a.tri") == folder.read("b.tri"))
  }

  @Test func `a stage whose condition does not hold is passed over and reported`() throws {
    let report = try run(
      """
      { "meshpipe": 1, "stages": [
          { "use": "paint", "when": "frames" },
          { "use": "thin", "when": "faces(floor) >= 10 and not texture", "with": { "target": 4 } },
          { "use": "thin", "when": "faces and texture and frames > 3", "with": { "target": 4 } },
          { "use": "thin", "when": "'a' == 'b' and frames", "with": { "target": 4 } } ],
        "outputs": [ { "path": "DIR/out.tri" } ] }
      """)
    #expect(report.stages[0].outcome == .skipped("there are no frames"))
    // The first part that is false is enough, and variables have no counts.
    #expect(report.stages[2].outcome == .skipped("there are no textures"))
    #expect(report.stages[3].outcome == .skipped("ruled out by variables"))
    #expect(report.stages[1].outcome == .done)
    #expect(report.stages[1].after.faces == 4)
  }

  @Test func `a failing stage ends the run unless it may be skipped`() throws {
    let text = """
      { "meshpipe": 1, "stages": [ { "use": "explode", "onError": "ON" } ],
        "outputs": [ { "path": "DIR/out.tri" } ] }
      """
    let failure = try #require(throws: RunFailure.self) {
      try run(text.replacingOccurrences(of: "ON", with: "fail"))
    }
    #expect(failure.message == "stage 'explode': the scan is too loud")
    #expect(failure.exitCode == .data)
    #expect(failure.report.stages.map(\.outcome) == [.failed("the scan is too loud")])
    #expect(folder.names == ["scan.tri"])

    let report = try run(text.replacingOccurrences(of: "ON", with: "skip"))
    #expect(report.stages.map(\.outcome) == [.failed("the scan is too loud")])
    #expect(report.allWarnings == ["explode: failed and was skipped: the scan is too loud"])
    #expect(try folder.read("out.tri").contains("faces 20"))
  }

  @Test func `an expectation that fails ends the run and says what was found`() throws {
    let failure = try #require(throws: RunFailure.self) {
      try run(
        """
        { "meshpipe": 1, "stages": [
            { "id": "few", "use": "thin", "with": { "target": 3 },
              "expect": "faces > 3 and extent < 20m" } ],
          "outputs": [ { "path": "DIR/out.tri" } ] }
        """)
    }
    #expect(
      failure.message
        == "stage 'few' (thin): expected 'faces > 3 and extent < 20m', but faces is 3, extent is 2 m"
    )
    #expect(failure.exitCode == .data)
    #expect(folder.names == ["scan.tri"])
  }

  @Test func `variables arrive with their types`() throws {
    let text = """
      { "meshpipe": 1,
        "variables": {
          "keep": { "type": "[class]", "default": ["floor"], "help": "classes" },
          "share": { "type": "amount", "default": "50%", "help": "faces" },
          "least": { "type": "integer", "default": 2, "help": "faces at least" } },
        "stages": [
          { "use": "pick", "with": { "keep": "${keep}" } },
          { "use": "thin", "with": { "target": "${share}" }, "when": "faces >= ${least}" } ],
        "outputs": [ { "path": "DIR/${stem}-${least}.tri" } ] }
      """
    #expect(try run(text).stages.map(\.after.faces) == [10, 5])
    let report = try run(text) {
      $0.variables = ["keep=floor,wall", "share=4", "least=7"]
    }
    #expect(report.stages.map(\.after.faces) == [20, 4])
    #expect(folder.names == ["scan-2.tri", "scan-7.tri", "scan.tri"])
    #expect(try run(text) { $0.settings = ["thin.target=3"] }.stages[1].after.faces == 3)
  }

  @Test func `a setting finds a stage by its id, or by its name when there is no other`() throws {
    let text = """
      { "meshpipe": 1,
        "stages": [ { "id": "light", "use": "thin", "with": { "target": 9 } } ],
        "outputs": [ { "path": "DIR/${stem}-light.tri" } ] }
      """
    #expect(try run(text) { $0.settings = ["light.target=3"] }.stages[0].after.faces == 3)
    #expect(try run(text) { $0.settings = ["thin.target=3"] }.stages[0].after.faces == 3)
  }

  @Test func `a cancelled run ends in the middle of a stage and leaves nothing`() throws {
    let document = PipelineDocument(stages: ["wait"], outputs: [folder.file("out.tri")])
    let request = PipelineRequest(input: folder.file("scan.tri"))
    let pipeline = try document.resolve(in: TestKit.environment, for: request).get()
    let cancellation = Cancellation()
    Thread.detachNewThread {
      while !Wait.started.load(ordering: .relaxed) { usleep(1000) }
      cancellation.request()
    }
    let failure = try #require(throws: RunFailure.self) {
      try PipelineRunner(pipeline, cancellation: cancellation).run()
    }
    #expect(failure.exitCode == .interrupted)
    #expect(folder.names == ["scan.tri"])
  }

  @Test func `a scene in memory takes the place of the input`() throws {
    let text = #"{ "meshpipe": 1, "outputs": [ { "path": "\#(folder.path)/${stem}.tri" } ] }"#
    let document = PipelineDocument(parsing: text, file: "test.json")
    let scene = Scene(meshes: [MeshFixtures.cube])
    let request = PipelineRequest(input: "cube.tri")
    let pipeline = try document.resolve(in: TestKit.environment, for: request).get()
    #expect(try PipelineRunner(pipeline).run(on: scene).outputs.map(\.counts.faces) == [12])
    #expect(try folder.read("cube.tri").contains("faces 12"))

    let unnamed = try document.resolve(in: TestKit.environment).get()
    #expect(throws: RunFailure.self) { try PipelineRunner(unnamed).run(on: scene) }
    #expect(throws: RunFailure.self) { try PipelineRunner(unnamed).run() }
  }

  @Test func `progress rises to one and counts every step`() throws {
    let fractions = Locked<[Double]>([])
    let steps = Locked<[String]>([])
    try run(
      """
      { "meshpipe": 1, "stages": [ { "use": "thin", "with": { "target": 3 } } ],
        "outputs": [ { "path": "DIR/out.tri" } ] }
      """,
      observer: { event in
        guard case .progress(let progress) = event else { return }
        fractions.withLock { $0.append(progress.overall) }
        if progress.fraction == 0 { steps.withLock { $0.append(progress.step.kind.rawValue) } }
      })
    #expect(steps.withLock { $0 } == ["read", "stage", "write", "commit"])
    #expect(fractions.withLock { $0 } == fractions.withLock { $0.sorted() })
    #expect(fractions.withLock { $0.last } == 1)
  }
}

/// A value that observers may change from any thread.
final class Locked<Value>: @unchecked Sendable {
  private var value: Value
  private let lock = NSLock()
  init(_ value: Value) { self.value = value }
  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    lock.lock()
    defer { lock.unlock() }
    return body(&value)
  }
}
