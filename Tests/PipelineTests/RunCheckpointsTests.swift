import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// What a run takes from the cache, and that nobody sees it in the results.
struct RunCheckpointsTests {
  private let folder: TestKit.Folder
  private let cache: CheckpointFolder
  /// The stages of this test in the records of `nudge`.
  private let mark = "checkpoints \(UInt64.random(in: 0 ... .max))"

  init() throws {
    folder = try TestKit.Folder()
    cache = CheckpointFolder(folder.file("cache"))
    try folder.write("columns 10\nclasses floor wall\nside side.txt", to: "scan.tri")
    try folder.write("side", to: "side.txt")
  }

  /// Three stages in a row that record their runs, warn, and give the same result only with the same offset.
  private static let row = """
    { "id": "a", "use": "nudge", "with": { "key": "MARK a" } },
    { "id": "b", "use": "nudge", "with": { "key": "MARK b" } },
    { "id": "c", "use": "thin", "with": { "target": 7 } },
    { "id": "d", "use": "nudge", "with": { "key": "MARK d" } }
    """

  /// Runs stages on `scan.tri`; every result is worth keeping.
  @discardableResult
  private func run(
    _ stages: String = row, outputs: String = #"{ "path": "DIR/a.tri" }"#, isCached: Bool = true,
    program: String = "1", environment: PipelineEnvironment = TestKit.environment,
    _ change: (inout PipelineRequest) -> Void = { _ in },
    observingInput observe: @escaping @Sendable () -> Void = {}
  ) throws -> RunReport {
    let text = #"{ "meshpipe": 1, "stages": [ \#(stages) ], "outputs": [ \#(outputs) ] }"#
      .replacing("DIR", with: folder.path).replacing("MARK", with: mark)
    var request = PipelineRequest(input: folder.file("scan.tri"))
    change(&request)
    let document = PipelineDocument(parsing: text, file: "test.json")
    let pipeline = try document.resolve(in: environment, for: request).get()
    var options = PipelineRunner.Options(request.run)
    if isCached {
      var use = CheckpointUse(
        store: cache, program: program, places: ShownPaths(), rerunFrom: request.run.rerunFrom)
      use.isWorthKeeping = { _, _ in true }
      options.checkpoints = use
    }
    options.inputObserver = { _ in observe() }
    return try PipelineRunner(pipeline, options: options).run()
  }

  /// How often a stage ran so far.
  private func runs(_ stage: String) -> Int {
    Nudge.addresses.withLock { $0["\(mark) \(stage)"]?.count ?? 0 }
  }

  private var runs: [Int] { ["a", "b", "d"].map(runs) }

  /// A report without what was measured.
  private static func told(_ report: RunReport) -> String {
    var report = report
    (report.seconds, report.peakMemory) = (0, 0)
    report.input?.seconds = 0
    report.input?.peakMemory = 0
    for index in report.stages.indices {
      (report.stages[index].seconds, report.stages[index].peakMemory) = (0, 0)
      report.stages[index].isRecalled = false
    }
    for index in report.outputs.indices { report.outputs[index].seconds = 0 }
    return report.json.prettyText.replacing(#""unchanged": true"#, with: #""unchanged": false"#)
  }

  @Test func `a second run does no work, and tells and writes the same`() throws {
    let plain = try run(isCached: false)
    let written = try folder.read("a.tri")
    let first = try run()
    let second = try run()
    #expect(runs == [2, 2, 2])
    #expect(second.stages.map(\.isRecalled) == [true, true, true, true])
    #expect(first.stages.map(\.isRecalled) == [false, false, false, false])
    #expect(second.allWarnings == ["a: nudged", "b: nudged", "d: nudged"])
    #expect(Self.told(plain) == Self.told(first))
    #expect(Self.told(plain) == Self.told(second))
    #expect(try folder.read("a.tri") == written)
    #expect(second.json.prettyText.contains(#""cached": true"#))
  }

  @Test func `a stage with another option runs again with what follows it`() throws {
    try run()
    let other = Self.row.replacing("\"target\": 7", with: "\"target\": 9")
    let report = try run(other)
    #expect(runs == [1, 1, 2])
    #expect(report.stages.map(\.isRecalled) == [true, true, false, false])
    #expect(report.stages.map(\.after.faces) == [20, 20, 9, 9])
    #expect(try folder.read("a.tri").contains("faces 9"))
  }

  @Test func `another input, side file or program makes everything anew`() throws {
    try run()
    // The same size, so that only the bytes tell.
    try folder.write("columns 11\nclasses floor wall\nside side.txt", to: "scan.tri")
    #expect(try run().stages.map(\.before.faces) == [22, 22, 22, 7])
    #expect(runs == [2, 2, 2])
    try folder.write("tide", to: "side.txt")
    try run()
    #expect(runs == [3, 3, 3])
    try run(program: "2")
    #expect(runs == [4, 4, 4])
    // What was kept of each is still there.
    try folder.write("side", to: "side.txt")
    try run(program: "1")
    #expect(runs == [4, 4, 4])
  }

  @Test func `a failed run goes on after the last stage that worked`() throws {
    let failing = Self.row + #", { "id": "e", "use": "explode" }"#
    #expect(throws: RunFailure.self) { try run(failing) }
    let report = try run()
    #expect(runs == [1, 1, 1])
    #expect(report.stages.map(\.isRecalled) == [true, true, true, true])
    // One that fails and is skipped may not fail again: it runs, and what follows it.
    let skipping = """
      \(Self.row), { "id": "e", "use": "explode", "onError": "skip" },
      { "id": "f", "use": "nudge", "with": { "key": "MARK f" } }
      """
    for count in 1...2 {
      let report = try run(skipping)
      #expect(report.stages.suffix(2).map(\.isRecalled) == [false, false])
      #expect(runs("f") == count)
    }
    #expect(runs == [1, 1, 1])
  }

  @Test func `an expectation is looked at again, and changes nothing before it`() throws {
    func expecting(_ condition: String) -> String {
      Self.row.replacing(#""use": "thin","#, with: #""use": "thin", "expect": "\#(condition)","#)
    }
    #expect(throws: RunFailure.self) { try run(expecting("faces > 8")) }
    #expect(runs == [1, 1, 0])
    #expect(throws: RunFailure.self) { try run(expecting("faces > 8")) }
    #expect(throws: RunFailure.self) { try run(expecting("faces > 9")) }
    #expect(runs == [1, 1, 0])
    try run(expecting("faces > 6"))
    try run(expecting("faces > 6"))
    #expect(runs == [1, 1, 1])
    // What followed a promise does not stand for a run without that promise.
    #expect(throws: RunFailure.self) { try run(expecting("faces > 7")) }
  }

  @Test func `a branch takes its scene from the cache, and runs the rest`() throws {
    try run()
    let branched =
      Self.row + """
        , { "id": "e", "use": "borrow", "in": "b", "with": { "from": "a" } },
        { "id": "f", "use": "nudge", "in": ["d", "e"], "with": { "key": "MARK f" } }
        """
    let report = try run(branched)
    #expect(runs == [1, 1, 1])
    #expect(runs("f") == 1)
    #expect(report.stages.map(\.isRecalled) == [true, true, true, true, false, false])
    #expect(report.stages.map(\.after.faces) == [20, 20, 7, 7, 40, 47])
    let plain = try run(branched, isCached: false)
    #expect(Self.told(plain) == Self.told(report))
  }

  @Test func `outputs of stages on the way are written`() throws {
    try run()
    let outputs = """
      { "path": "DIR/a.tri" }, { "path": "DIR/early.tri", "from": "b" },
      { "path": "DIR/input.tri", "from": "input" }
      """
    let report = try run(outputs: outputs)
    #expect(report.outputs.map(\.counts.faces) == [20, 20, 7])
    #expect(try run(outputs: outputs).stages.map(\.isRecalled) == [true, true, true, true])
    #expect(report.outputs.count == 3)
  }

  @Test func `a named stage runs again with what depends on it`() throws {
    try run()
    let report = try run { $0.run.rerunFrom = "b" }
    #expect(runs == [1, 2, 2])
    #expect(report.stages.map(\.isRecalled) == [true, false, false, false])
    #expect(throws: (any Error).self) { try run { $0.run.rerunFrom = "bb" } }
    // The new result has taken the place of the old one.
    #expect(try cache.files().count == 4)
    try run()
    #expect(runs == [1, 2, 2])
  }

  @Test func `warnings of kept results count, and those of the machine don't`() throws {
    try run()
    #expect(throws: RunFailure.self) { try run { $0.run.warningsAreErrors = true } }
    let patient = Self.row.replacing("\" }", with: "\", \"blamesMachine\": true }")
    try run(patient) { $0.run.warningsAreErrors = true }
    let report = try run(patient) { $0.run.warningsAreErrors = true }
    #expect(report.stages.map(\.isRecalled) == [true, true, true, true])
    #expect(report.allWarnings == ["a: nudged", "b: nudged", "d: nudged"])
  }

  @Test func `a stage that is skipped is told of as before`() throws {
    let stages = Self.row.replacing(
      #""id": "b", "use": "nudge","#, with: #""id": "b", "use": "nudge", "when": "frames","#)
    let first = try run(stages)
    let second = try run(stages)
    #expect(runs == [1, 0, 1])
    #expect(Self.told(first) == Self.told(second))
    #expect(second.warnings == ["skipped: b (there are no frames); name a capture with --frames"])
    #expect(second.stages[1].isRecalled)
  }

  @Test func `a damaged result is told of and made again`() throws {
    let plain = try run(isCached: false)
    try run()
    for file in try cache.files() {
      var bytes = try FileSystem.contents(of: file.path)
      bytes[bytes.count - 5] ^= 4
      try Data(bytes).write(to: URL(filePath: file.path))
    }
    let report = try run()
    #expect(runs == [3, 3, 3])
    #expect(report.warnings.count == 4)
    #expect(try cache.files().count == 4)
    #expect(report.warnings.allSatisfy { $0.contains("damaged") && $0.contains("runs again") })
    #expect(report.stages.map(\.warnings) == plain.stages.map(\.warnings))
    #expect(try run().warnings == [])
    #expect(runs == [3, 3, 3])
  }

  @Test func `a file whose beginning is damaged is told of and removed, but not by a plan`() throws
  {
    try run()
    for (index, file) in try cache.files().enumerated() {
      let bytes = try FileSystem.contents(of: file.path)
      try Data(index == 0 ? [] : bytes.prefix(40 * index)).write(to: URL(filePath: file.path))
    }
    let names = try FileSystem.deepNames(inFolder: cache.path)
    #expect(try plan().find(takingScenes: false).count == 4)
    #expect(try FileSystem.deepNames(inFolder: cache.path) == names)
    let report = try run()
    #expect(report.warnings.count == 4)
    #expect(runs == [2, 2, 2])
    #expect(try run().warnings == [])
    #expect(runs == [2, 2, 2])
  }

  @Test func `two inputs whose names differ in the form of an accent are two`() throws {
    let (composed, decomposed) = ("\u{E9}.tri", "e\u{301}.tri")
    for name in [composed, decomposed] { try folder.write("columns 2", to: name) }
    func faces() throws -> Int? {
      try run {
        $0.joined = [composed, decomposed].map {
          PipelineRequest.JoinedScan(path: folder.file($0))
        }
      }.input?.counts.faces
    }
    #expect(try faces() == 28)
    try folder.write("columns 3", to: decomposed)
    #expect(try faces() == 30)
    #expect(runs == [2, 2, 2])
  }

  @Test func `settings of outputs alone leave what was kept`() throws {
    let patient = Self.row.replacing("\" }", with: "\", \"blamesMachine\": true }")
    try run(patient)
    for change: (inout RunSettings) -> Void in [
      { $0.warningsAreErrors = true }, { $0.isPrivate = true }, { $0.omitsProvenance = true },
    ] {
      let report = try run(patient) { change(&$0.run) }
      #expect(report.stages.map(\.isRecalled) == [true, true, true, true])
    }
    #expect(runs == [1, 1, 1])
  }

  @Test func `a file that takes the place of one during the run is not known, whatever its time`()
    throws
  {
    try folder.write("tide", to: "new.txt")
    let old = Date(timeIntervalSinceNow: -86_400)
    for name in ["new.txt", "side.txt"] {
      try FileManager.default.setAttributes(
        [.modificationDate: old], ofItemAtPath: folder.file(name))
    }
    let (from, to) = (folder.file("new.txt"), folder.file("side.txt"))
    try run(observingInput: { try? FileSystem.rename(from, to: to) })
    #expect(try cache.files().isEmpty)
    try run()
    #expect(runs == [2, 2, 2])
    // A time to come says nothing of the run.
    try FileManager.default.setAttributes(
      [.modificationDate: Date(timeIntervalSinceNow: 3600)], ofItemAtPath: to)
    try run()
    #expect(runs == [2, 2, 2])
  }

  @Test func `a cache that can't be written costs a warning and no result`() throws {
    try folder.write("", to: "cache")
    let report = try run()
    #expect(report.warnings.count == 1)
    #expect(report.warnings[0].contains("no results of stages are kept"))
    #expect(try folder.read("a.tri").contains("faces 7"))
    try run { $0.run.warningsAreErrors = false }
  }

  private func plan(_ stages: String = row) throws -> RunCheckpoints {
    let text =
      #"{ "meshpipe": 1, "stages": [ \#(stages) ], "outputs": [ { "path": "DIR/a.tri" } ] }"#
      .replacing("DIR", with: folder.path).replacing("MARK", with: mark)
    let request = PipelineRequest(input: folder.file("scan.tri"))
    let pipeline = try PipelineDocument(parsing: text, file: "test.json")
      .resolve(in: TestKit.environment, for: request).get()
    return try #require(
      RunCheckpoints(
        of: pipeline, request.run, CheckpointUse(store: cache, program: "1", places: ShownPaths()),
        sideFiles: [folder.file("side.txt")], since: FileSystem.now, cancellation: Cancellation()))
  }

  @Test func `a plan says what would come from the cache`() throws {
    try run()
    let checkpoints = try plan(Self.row.replacing("\"target\": 7", with: "\"target\": 8"))
    #expect(try checkpoints.find(takingScenes: false) == [])
    #expect(checkpoints.recalled == [0, 1])
  }

  @Test func `what may give another result each time is not kept, nor what follows it`() throws {
    var nudge = StageDefinition(Nudge.self)
    nudge.isDeterministic = false
    let environment = PipelineEnvironment(
      stages: StageRegistry([nudge, StageDefinition(Thin.self)]),
      formats: TestKit.environment.formats)
    for _ in 0..<2 { try run(environment: environment) }
    #expect(runs == [2, 2, 2])
    #expect(try cache.files().isEmpty)
  }

  @Test func `what is worth keeping took long for its size`() {
    #expect(!CheckpointUse.savesMore(0.9, 0))
    #expect(CheckpointUse.savesMore(1, 1_000_000))
    #expect(!CheckpointUse.savesMore(1, 100_000_000))
    #expect(CheckpointUse.savesMore(10, 100_000_000))
  }
}
