import Foundation
import MeshPipeline
import MeshTestSupport
import Synchronization
import Testing

/// Levels: stages and outputs that run once for each.
@Suite struct LevelTests {
  let folder: TestKit.Folder

  init() throws {
    folder = try TestKit.Folder()
    try folder.write("columns 10\nclasses floor wall", to: "scan.tri")
  }

  /// Nudges the scene once, and then thins it for each of three levels.
  private func pipeline(key: String = "", extra: String = "") -> String {
    """
    { "meshpipe": 1,
      "variables": {
        "faces": { "type": "amount", "default": 9 },
        "ratio": { "type": "number", "default": 0.5 } },
      "levels": {
        "low": { "with": { "faces": 4 } },
        "mid": { "with": { "faces": "50%" } },
        "high": { "enabled": false } },
      "stages": [
        { "id": "head", "use": "nudge", "with": { "key": "\(key)" } },
        { "use": "thin", "with": { "target": "${faces}" } },
        { "id": "tail", "use": "nudge", "with": { "key": "\(key) tail" } }\(extra) ],
      "outputs": [
        { "path": "DIR/${stem}.${level}.tri" },
        { "path": "DIR/whole.tri", "from": "head" } ] }
    """
  }

  private func resolve(
    _ text: String, _ change: (inout PipelineRequest) -> Void = { _ in }
  ) -> PipelineResolution {
    let document = PipelineDocument(
      parsing: text.replacingOccurrences(of: "DIR", with: folder.path), file: "test.json")
    var request = PipelineRequest(input: folder.file("scan.tri"))
    request.environment = { _ in nil }
    change(&request)
    return document.resolve(in: TestKit.environment, for: request)
  }

  @discardableResult
  private func run(
    _ text: String, options: PipelineRunner.Options = .init(),
    _ change: (inout PipelineRequest) -> Void = { _ in },
    observer: @escaping RunObserver = { _ in }
  ) throws -> RunReport {
    try PipelineRunner(try resolve(text, change).get(), options: options, observer: observer).run()
  }

  @Test func `all levels may be in one file, the nearest first`() throws {
    let text = pipeline().replacingOccurrences(
      of: #"{ "path": "DIR/whole.tri", "from": "head" } ]"#,
      with: #"{ "path": "DIR/all.several", "levels": "together" } ]"#)
    let report = try run(text)
    // The level 'low' has 4 of 20 faces, 'mid' 10.
    #expect(try folder.read("all.several") == "10 4")
    let output = try #require(report.outputs.last)
    #expect(output.level == nil && output.counts.faces == 10)
    let one = try run(text) { $0.levels = ["low"] }
    #expect(try folder.read("all.several") == "4")
    #expect(one.outputs.count == 2)
  }

  @Test func `levels together have an up axis and a limit too`() throws {
    let text = pipeline().replacingOccurrences(
      of: #"{ "path": "DIR/whole.tri", "from": "head" } ]"#,
      with:
        #"{ "path": "DIR/all.several", "levels": "together", "up": "z", "maximumBytes": "1kB" } ]"#)
    _ = try run(text)
    #expect(try folder.read("all.several") == "10z 4z")
  }

  @Test func `what does not depend on the level runs once, before all levels`() throws {
    let report = try run(pipeline(key: "levels once"))
    #expect(report.stages.map(\.id) == ["head", "low.thin", "low.tail", "mid.thin", "mid.tail"])
    #expect(report.stages.map(\.level) == [nil, "low", "low", "mid", "mid"])
    #expect(report.stages.map(\.after.faces) == [20, 4, 4, 10, 10])
    #expect(report.outputs.map(\.level) == [nil, "low", "mid"])
    #expect(report.outputs.map(\.from) == ["head", "low.tail", "mid.tail"])
    #expect(folder.names == ["scan.low.tri", "scan.mid.tri", "scan.tri", "whole.tri"])
    #expect(try folder.read("scan.low.tri").contains("faces 4"))
    #expect(try folder.read("scan.mid.tri").contains("faces 10"))
    #expect(Nudge.addresses.withLock { $0["levels once"]?.count } == 1)
    #expect(Nudge.addresses.withLock { $0["levels once tail"]?.count } == 2)
  }

  @Test func `a level has the same bytes alone and with others`() throws {
    try run(pipeline()) { $0.levels = ["low", "mid", "high"] }
    let together = try ["low", "mid", "high"].map { try folder.read("scan.\($0).tri") }
    for (name, bytes) in zip(["low", "mid", "high"], together) {
      let other = try TestKit.Folder()
      let report = try run(pipeline().replacing("DIR", with: other.path)) { $0.levels = [name] }
      #expect(other.names == ["scan.\(name).tri", "whole.tri"])
      #expect(try other.read("scan.\(name).tri") == bytes)
      #expect(report.stages.map(\.id) == ["head", "\(name).thin", "\(name).tail"])
    }
    #expect(Set(together).count == 3)
  }

  @Test func `levels share the scene before them, and the last one takes it`() throws {
    let text = """
      { "meshpipe": 1,
        "levels": { "a": {}, "b": {}, "c": {} },
        "stages": [
          { "id": "head", "use": "nudge", "with": { "key": "lent head" } },
          { "use": "nudge", "with": { "key": "lent ${level}" } },
          { "use": "nudge", "with": { "key": "lent ${level}" } } ],
        "outputs": [ { "path": "DIR/${level}.tri" } ] }
      """
    try run(text)
    func addresses(_ key: String) -> [UInt] {
      Nudge.addresses.withLock { $0["lent \(key)"] ?? [] }
    }
    let head = addresses("head")
    for level in ["a", "b", "c"] {
      // The second stage of a level changes what the first has made, in place.
      #expect(addresses(level).count == 2)
      #expect(Set(addresses(level)).count == 1)
      #expect((addresses(level).first == head.first) == (level == "c"))
    }
    // A run on one level copies nothing.
    Nudge.addresses.withLock { $0["lent head"] = [] }
    Nudge.addresses.withLock { $0["lent b"] = [] }
    try run(text) { $0.levels = ["b"] }
    #expect(Set(addresses("head") + addresses("b")).count == 1)
  }

  @Test func `ids are found in the same level and before all levels`() throws {
    let report = try run(
      """
      { "meshpipe": 1,
        "variables": { "faces": { "type": "amount", "default": 3 }, "floor": { "type": "string", "default": "few" } },
        "levels": { "a": {}, "b": { "with": { "faces": 5 } } },
        "stages": [
          { "id": "few", "use": "thin", "with": { "target": "${faces}" } },
          { "id": "floor", "use": "pick", "in": "input", "with": { "keep": ["floor"] } },
          { "id": "both", "use": "strip", "in": ["few", "floor"] },
          { "id": "more", "use": "borrow", "in": "floor", "with": { "from": "${floor}" } },
          { "id": "once", "use": "borrow", "in": "floor", "with": { "from": "input" } } ],
        "outputs": [ { "path": "DIR/${level}.tri", "from": "both" },
          { "path": "DIR/${level}.more.tri", "from": "more" }, { "path": "DIR/once.tri" } ] }
      """)
    #expect(report.allWarnings == [])
    #expect(
      report.stages.map { "\($0.id) \($0.after.faces)" } == [
        "floor 10", "once 30", "a.few 3", "a.both 13", "a.more 13", "b.few 5", "b.both 15",
        "b.more 15",
      ])
    #expect(
      folder.names
        == ["a.more.tri", "a.tri", "b.more.tri", "b.tri", "once.tri", "scan.tri"])
  }

  @Test func `a value given for all levels replaces theirs, one given for a level everything`() {
    func faces(_ change: (inout PipelineRequest) -> Void) -> [String]? {
      resolve(pipeline(), change).pipeline?.levels.map { level in
        level.variables.first { $0.name == "faces" }?.value.compactText ?? ""
      }
    }
    let file = VariableFile(path: "v.json", values: [.init("low.faces", 12)])
    #expect(faces { _ in } == ["4", "\"50%\""])
    #expect(faces { $0.levels = ["high"] } == ["9"])
    #expect(faces { $0.variables = ["faces=7"] } == ["7", "7"])
    #expect(faces { $0.variables = ["low.faces=6", "faces=7"] } == ["6", "7"])
    #expect(
      faces {
        $0.variableFiles = [file]
        $0.variables = ["faces=7"]
      } == ["12", "7"])
  }

  @Test func `a setting is for all levels or for one`() throws {
    func faces(_ settings: String...) throws -> [Int] {
      try run(pipeline()) { $0.settings = settings }.stages.map(\.after.faces)
    }
    #expect(try faces("thin.target=3") == [20, 3, 3, 3, 3])
    #expect(try faces("low.thin.target=3") == [20, 3, 3, 10, 10])
    #expect(try faces("target=${faces}") == [20, 4, 4, 10, 10])
    // A stage that runs once becomes one of the levels.
    let report = try run(pipeline().replacing("\"from\": \"head\"", with: "\"from\": \"input\"")) {
      $0.settings = ["low.head.key=other"]
    }
    #expect(
      report.stages.map(\.id)
        == ["low.head", "low.thin", "low.tail", "mid.head", "mid.thin", "mid.tail"])
  }

  @Test func `stages before and after an id are left out in every level`() throws {
    let report = try run(pipeline()) { $0.lastStage = "head" }
    #expect(report.stages.map(\.after.faces) == [20, 20, 20, 20, 20])
    #expect(report.stages.map(\.outcome).filter { $0 == .skipped("disabled") }.count == 4)
  }

  @Test func `messages name the level`() throws {
    let failing = pipeline(
      extra: #", { "id": "bang", "use": "explode", "enabled": "${level}" }"#)
    #expect(resolve(failing).pipeline == nil)
    let expecting = pipeline(
      extra: #", { "id": "check", "use": "strip", "expect": "faces < 8" }"#)
    let error = try #require(throws: RunFailure.self) { try run(expecting) }
    #expect(
      error.message
        == "stage 'check' (strip) of level 'mid': expected 'faces < 8', but faces is 10")
    #expect(error.exitCode == .data)
    // Nothing appears of the level that was done.
    #expect(folder.names == ["scan.tri"])
    let idle = pipeline(extra: #", { "id": "many", "use": "strip", "when": "faces > 8" }"#)
    #expect(
      try run(idle).allWarnings.filter { $0.hasPrefix("skipped") }
        == ["skipped: low.many (faces is 4)"])
    let always = pipeline(extra: #", { "id": "many", "use": "strip", "when": "faces > 88" }"#)
    #expect(
      try run(always).allWarnings.filter { $0.hasPrefix("skipped") }
        == ["skipped: low.many (faces is 4), mid.many (faces is 10)"])
    let none = pipeline(extra: #", { "id": "many", "use": "paint", "when": "frames" }"#)
    #expect(
      try run(none).allWarnings.filter { $0.hasPrefix("skipped") }
        == ["skipped: many (there are no frames); name a capture with --frames"])
  }

  @Test func `progress, plan and report know the level`() throws {
    let steps = Mutex<[String]>([])
    let report = try run(pipeline()) { _ in
    } observer: { event in
      if case .progress(let progress) = event, progress.step.kind == .stage {
        steps.withLock { if $0.last != progress.step.name { $0.append(progress.step.name) } }
      }
    }
    #expect(
      steps.withLock { $0 } == ["head", "low.thin", "low.tail", "mid.thin", "mid.tail"])
    let json = report.json
    #expect(json["stages"]?.elements[1]["level"]?.text == "low")
    #expect(json["outputs"]?.elements[2]["level"]?.text == "mid")
    #expect(json["pipeline"]?["levels"]?["mid"]?["faces"]?.text == "50%")
    #expect(json["pipeline"]?["variables"]?["faces"]?.number == 9)
  }

  @Test func `an included file's levels are ignored, and its stages may be of a level`() throws {
    let include = PipelineDocument.Include(
      path: "tail.json",
      text: """
        { "meshpipe": 1, "levels": { "other": {} },
          "variables": { "faces": { "type": "integer", "default": 2 } },
          "stages": [ { "use": "thin", "with": { "target": "${faces}" } } ] }
        """)
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "levels": { "a": {}, "b": { "with": { "faces": 5 } } },
          "stages": [ { "include": "tail.json" } ], "outputs": [ { "path": "${level}.tri" } ] }
        """, file: "main.json", includes: [include])
    let pipeline = document.resolve(in: TestKit.environment, for: PipelineRequest()).pipeline
    #expect(pipeline?.stages.map(\.id) == ["a.thin", "b.thin"])
    #expect(pipeline?.stages.map { $0.options[0].value.compactText } == ["2", "5"])
  }

  @Test func `the normal form keeps levels`() throws {
    let text = """
      { "meshpipe": 1, "levels": { "b": { "with": {}, "note": "B.", "enabled": false }, "a": {} } }
      """
    let formatted = try PipelineFormatter.format(text, file: "p.json")
    let keys = try ["enabled", "note", "with"].map {
      try #require(formatted.range(of: "\"\($0)\"")).lowerBound
    }
    #expect(keys == keys.sorted())
    let names = PipelineDocument(parsing: formatted, file: "p.json").levels.map(\.name)
    #expect(names == ["b", "a"])
  }
}
