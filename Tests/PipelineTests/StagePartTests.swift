import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Synchronization
import Testing

/// A stage whose costly part depends on one of its two options.
private struct TwoParts: Stage, PartKeepingStage {
  static let summary = "Moves the scene, then names it."
  struct Parameters: StageParameters {
    @Parameter("How far to move.")
    var shift = 1.0
    @Parameter("The name of the first mesh.")
    var word = "a"
  }

  /// The shifts of which the costly part was made, in order.
  static let made = Mutex<[Double]>([])

  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }

  static let parts = [StagePart("moved", regardlessOf: ["word"])]

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    var result = try context.part(Self.parts[0]) {
      Self.made.withLock { $0.append(parameters.shift) }
      context.warn("moved by \(parameters.shift)")
      context.note("shift", JSONValue(.number(parameters.shift)))
      var moved = copy scene
      moved.apply(Transform(translation: SIMD3(parameters.shift, 0, 0)))
      return moved
    } pack: {
      StagePart.Packed($0, facts: ["meshes": $0.meshes.count.json])
    } unpack: {
      $0.facts["meshes"]?.number == Double($0.scene.meshes.count) ? $0.scene : nil
    }
    if !result.meshes.isEmpty { result.meshes[0].name = parameters.word }
    return result
  }
}

/// Results of parts of stages, which runs with other options go on from.
@Suite(.serialized)
struct StagePartTests {
  private let folder: TestKit.Folder
  private let cache: CheckpointFolder

  init() throws {
    folder = try TestKit.Folder()
    cache = CheckpointFolder(folder.file("cache"))
    try folder.write("columns 10\nclasses floor wall", to: "scan.tri")
    TwoParts.made.withLock { $0 = [] }
  }

  private var made: [Double] { TwoParts.made.withLock(\.self) }

  private func pipeline(shift: Double = 1, word: String) throws -> ResolvedPipeline {
    let environment = PipelineEnvironment(
      stages: StageRegistry([StageDefinition(TwoParts.self)]),
      formats: TestKit.environment.formats)
    let text = """
      { "meshpipe": 1, "stages": [
        { "id": "a", "use": "two-parts", "with": { "shift": \(shift), "word": "\(word)" } }
      ], "outputs": [ { "path": "\(folder.file("a.tri"))" } ] }
      """
    let request = PipelineRequest(input: folder.file("scan.tri"))
    return try PipelineDocument(parsing: text, file: "test.json")
      .resolve(in: environment, for: request).get()
  }

  private func use(rerunFrom: String? = nil) -> CheckpointUse {
    var use = CheckpointUse(store: cache, program: "1", places: ShownPaths(), rerunFrom: rerunFrom)
    use.isWorthKeeping = { _, _ in true }
    return use
  }

  private func run(
    shift: Double = 1, word: String, isCached: Bool = true, rerunFrom: String? = nil
  ) throws -> (report: RunReport, scene: Scene) {
    var options = PipelineRunner.Options(RunSettings())
    if isCached { options.checkpoints = use(rerunFrom: rerunFrom) }
    let pipeline = try pipeline(shift: shift, word: word)
    let shown = Mutex<Scene?>(nil)
    options.resultObserver = { scene in shown.withLock { $0 = scene } }
    let report = try PipelineRunner(pipeline, options: options).run()
    let scene = shown.withLock { $0 }
    return (report, try #require(scene))
  }

  @Test func `another option of the rest takes the part from the run before`() throws {
    let plain = try run(word: "b", isCached: false)
    _ = try run(word: "a")
    let second = try run(word: "b")
    #expect(made == [1, 1])
    #expect(!second.report.stages[0].isRecalled)
    #expect(second.scene == plain.scene)
    #expect(second.report.stages[0].warnings == ["moved by 1.0"])
    #expect(second.report.stages[0].notes == plain.report.stages[0].notes)
    // All of it is known now.
    #expect(try run(word: "b").report.stages[0].isRecalled)
  }

  @Test func `a plan says which part would come from the cache`() throws {
    _ = try run(word: "a")
    func decision(
      shift: Double = 1, word: String, rerunFrom: String? = nil
    ) throws -> PipelinePlan.Decision {
      let pipeline = try pipeline(shift: shift, word: word)
      let checkpoints = try #require(
        RunCheckpoints(
          of: pipeline, RunSettings(), use(rerunFrom: rerunFrom), sideFiles: [],
          since: FileSystem.now, cancellation: Cancellation()))
      #expect(try checkpoints.find(takingScenes: false) == [])
      return PipelinePlan(pipeline, on: Scene()).recalling(checkpoints).steps[0].decision
    }
    #expect(try decision(word: "a") == .isRecalled)
    #expect(try decision(word: "b") == .runs("with moved from the cache"))
    #expect(try decision(shift: 2, word: "a") == .runs(""))
    #expect(try decision(word: "b", rerunFrom: "a") == .runs(""))
  }

  @Test func `an option that the part depends on makes it anew`() throws {
    _ = try run(word: "a")
    let other = try run(shift: 2, word: "a")
    #expect(made == [1, 2])
    #expect(other.report.stages[0].warnings == ["moved by 2.0"])
  }

  @Test func `other bytes of the input, a forced stage and a damaged file make it anew`() throws {
    _ = try run(word: "a")
    try folder.write("columns 11\nclasses floor wall", to: "scan.tri")
    _ = try run(word: "b")
    #expect(made == [1, 1])
    _ = try run(word: "c", rerunFrom: "a")
    #expect(made == [1, 1, 1])
    for file in try cache.files() {
      let handle = try #require(FileHandle(forUpdatingAtPath: file.path))
      try handle.seek(toOffset: UInt64(file.byteCount - 1))
      try handle.write(contentsOf: [0xAA])
      try handle.close()
    }
    let damaged = try run(word: "d")
    #expect(damaged.scene.meshes[0].name == "d")
    #expect(made == [1, 1, 1, 1])
    let warning = try #require(damaged.report.warnings.first)
    #expect(warning.contains("is damaged") && warning.hasSuffix("makes its moved again"))
    #expect(damaged.report.warnings.count == 1)
    // All is as it was again, and of the damage nothing is told any more.
    for word in ["e", "d"] {
      let report = try run(word: word).report
      #expect(report.warnings == [] && report.stages[0].warnings == ["moved by 1.0"])
    }
    #expect(made == [1, 1, 1, 1])
  }

  @Test func `a kept part whose beginning is damaged is told of and removed`() throws {
    _ = try run(word: "a")
    for file in try cache.files() { try Data().write(to: URL(filePath: file.path)) }
    let warnings = try run(word: "b").report.warnings
    #expect(made == [1, 1])
    #expect(warnings.count == 1 && warnings[0].contains("is damaged"))
    #expect(try run(word: "c").report.warnings == [])
    #expect(made == [1, 1])
  }

  @Test func `the cache says what the part is of`() throws {
    _ = try run(word: "a")
    let stages = try cache.files().map { $0.opened()?.checkpoint?.stage ?? "" }.sorted()
    #expect(stages.count == 2)
    #expect(stages.contains { $0.hasSuffix(", moved") })
  }
}
