import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Batch

@Suite struct BatchPlanTests {
  private let environment = PipelineEnvironment(stages: [], formats: builtInFormats)

  private func planner(
    _ template: String, outputs: [String] = [], description: String = ""
  ) throws -> OutputPlanner {
    let list = outputs.map { #"{ "path": "\#($0)" }"# }.joined(separator: ", ")
    let text =
      #"{ "meshpipe": 1, "description": "\#(description)", "stages": [], "outputs": [\#(list)] }"#
    let work = BatchWork(
      outputs.isEmpty ? .stages([]) : .file(name: "\(description).json", text: text))
    return OutputPlanner(work, environment, template: try OutputTemplate(template))
  }

  private func item(_ name: String) -> BatchItem {
    let file = FileSystem.name(of: name)
    let folder = FileSystem.folder(of: name)
    return BatchItem(
      name: name,
      place: .init(
        folder: folder == "." ? "" : folder, stem: FileSystem.stem(of: file),
        fileExtension: fileExtension(of: file)),
      origin: .disk(path: name))
  }

  @Test func `a folder takes what the pipeline writes`() throws {
    var planner = try planner("out", outputs: ["${stem}.glb", "${dir}/small/${name}.ply"])
    let plan = try planner.plan(for: item("day1/room.obj"))
    #expect(plan.target == "out/day1/")
    #expect(plan.outputs == ["out/day1/room.glb", "out/day1/small/room.obj.ply"])
  }

  @Test func `a file stands for the output with its extension`() throws {
    var planner = try planner("out/{stem}.ply", outputs: ["${stem}.glb", "x/${stem}.ply"])
    let plan = try planner.plan(for: item("day1/room.obj"))
    #expect(plan.target == "out/room.ply")
    #expect(plan.outputs == ["out/room.ply"])
  }

  @Test func `an item keeps its extension where the template says so`() throws {
    var planner = try planner("out/{stem}.{ext}")
    #expect(try planner.plan(for: item("a.obj")).outputs == ["out/a.obj"])
    #expect(try planner.plan(for: item("a.ply")).outputs == ["out/a.ply"])
    let fault = #expect(throws: InvalidPipeline.self) { try planner.plan(for: item("a.xyzzy")) }
    #expect(fault?.message.contains("\u{1}") == false)
  }

  @Test func `mistakes name the template and not what stands for it`() throws {
    var planner = try planner("out/{stem}.glbx")
    let error = #expect(throws: InvalidPipeline.self) { try planner.check([]) }
    #expect(error?.message.contains("no format writes '.glbx'; did you mean '.glb'?") == true)
    #expect(error?.message.contains("\u{1}") == false)
    var folder = try self.planner("out/")
    let fault = #expect(throws: TemplateFault.self) { try folder.check([]) }
    #expect(
      fault?.message.contains("give for example 'out/{archive}/{folder}/{stem}.glb'") == true)
  }

  @Test func `the recipe follows the pipeline and not its name`() throws {
    func recipe(_ template: String, _ outputs: [String], _ name: String) throws -> String {
      var planner = try planner(template, outputs: outputs, description: name)
      return try planner.plan(for: item("a.obj")).recipe
    }
    let one = try recipe("out", ["${stem}.glb"], "one")
    #expect(try recipe("out", ["${stem}.glb"], "two") == one)
    #expect(try recipe("out", ["${stem}.ply"], "one") != one)
    #expect(try recipe("other", ["${stem}.glb"], "one") != one)
  }

  @Test func `the recipe follows every option that may change bytes`() throws {
    func recipe(_ change: (inout BatchWork) -> Void) throws -> String {
      var work = BatchWork(.stages([]))
      change(&work)
      var planner = OutputPlanner(
        work, environment, template: try OutputTemplate("out/{stem}.glb"))
      return try planner.plan(for: item("a.obj")).recipe
    }
    let one = try recipe { _ in }
    let changes: [(inout BatchWork) -> Void] = [
      { $0.run.inputReading.up = .z }, { $0.run.inputReading.metersPerUnit = 0.001 },
      { $0.run.inputReading.classes = .asprs }, { $0.run.inputFormat = "ply" },
      { $0.run.frames = .none }, { $0.run.framesReading.up = .z },
      { $0.run.framesReading.metersPerUnit = 0.01 }, { $0.run.framesReading.misfits = .kept },
      { $0.run.framesReading.convention = PoseConvention(text: "cv") },
      { $0.run.framesReading.mesh = "export.obj" },
      { $0.run.allowsExternalFiles = true }, { $0.run.warningsAreErrors = true },
      { $0.run.upload = "https://a.example" },
    ]
    for (index, change) in changes.enumerated() {
      #expect(try recipe(change) != one, "change \(index)")
    }
    let others: [(inout BatchWork) -> Void] = [
      { $0.threads = 7 }, { $0.run.touchesUnchanged = true }, { $0.run.overwriting = .forced },
      { $0.pictures = BatchFolder(root: "x") }, { $0.unpackedFrames = "/tmp/1" },
      { $0.run.uploadRetries = 1 }, { $0.run.networkPlugins = ["a"] },
    ]
    for (index, change) in others.enumerated() {
      #expect(try recipe(change) == one, "change \(index)")
    }
  }

  @Test(arguments: RunSettings.declarations.map(\.key))
  func `what a batch hashes of a setting is as declared`(key: String) throws {
    let declaration = try #require(RunSettings.declarations.first { $0.key == key })
    let work = BatchWork(.stages([]), run: try RunSettings.sample(of: declaration))
    let counts = [.results, .outputs, .input, .delivery].contains(declaration.effect)
    #expect((work.recipe != BatchWork(.stages([])).recipe) == counts)
  }

  // MARK: Collisions

  private func plan(
    _ names: [String], _ template: String, journal: JournalContents = JournalContents(),
    mode: BatchPlan.Mode = .fresh, preferred: [String] = []
  ) throws -> BatchPlan {
    var planner = try planner(template)
    return try BatchPlan(
      names.map(item), planner: &planner, journal: journal, mode: mode, preferred: preferred)
  }

  @Test func `a clash costs the items that clash, and all clashes are named`() throws {
    let plan = try plan(
      ["a.obj", "a.ply", "b.obj", "c.glb", "c.obj", "c.ply"], "out/{stem}.glb")
    #expect(plan.entries.count == 6)
    let sound = plan.entries.filter { $0.item.fault == nil }
    #expect(sound.map(\.item.name) == ["b.obj"])
    let message = try #require(plan.entries[3].item.fault?.message)
    #expect(message.contains("'c.glb', 'c.obj' and 'c.ply' would all be written to 'out/c.glb'"))
    #expect(message.contains("--prefer"))
    let all = #expect(throws: OutputCollision.self) {
      try self.plan(["a.obj", "a.ply", "c.glb", "c.obj"], "out/{stem}.glb")
    }
    #expect(all?.message.contains("'a.obj' and 'a.ply'") == true)
    #expect(all?.message.contains("'c.glb' and 'c.obj'") == true)
  }

  @Test func `of one scan in several formats the preferred one is taken`() throws {
    let names = ["a.obj", "a.ply", "b.ply", "c.GLB", "c.obj", "d.obj", "x/d.obj"]
    let plan = try plan(names, "out/{stem}.glb", preferred: ["glb", "obj"])
    #expect(plan.passedOver == ["a.ply", "c.obj"])
    let sound = plan.entries.filter { $0.item.fault == nil }
    #expect(sound.map(\.item.name) == ["a.obj", "b.ply", "c.GLB"])
    // Two of the same format are no choice.
    #expect(plan.entries.filter { $0.item.fault != nil }.count == 2)
  }

  @Test func `two items for one place are refused, case aside`() throws {
    let same = #expect(throws: OutputCollision.self) {
      try plan(["a/room.obj", "b/room.obj"], "out/{stem}.glb")
    }
    #expect(
      same?.message.hasPrefix(
        "'a/room.obj' and 'b/room.obj' would both be written to 'out/room.glb'") == true)
    #expect(same?.exitCode == .usage)
    let alike = #expect(throws: OutputCollision.self) {
      try plan(["Room.obj", "room.obj"], "out/{stem}.glb")
    }
    #expect(alike?.items == ["Room.obj", "room.obj"])
    #expect(alike?.message.contains("the same file where case is ignored") == true)
    #expect(try plan(["a/room.obj", "b/room.obj"], "out/{folder}/{stem}.glb").entries.count == 2)
  }

  @Test func `a clash of many is told in a line, with what tells them apart`() throws {
    let names = (1...300).map { "day\($0)/room.obj" }
    let flat = #expect(throws: OutputCollision.self) { try plan(names, "out/flat.glb") }
    #expect(
      flat?.message
        == "'day1/room.obj', 'day2/room.obj', 'day3/room.obj' and 297 more would all be "
        + "written to 'out/flat.glb'; tell them apart by {folder}, which -o out/flat.glb does not "
        + "have, or exclude some of them with --exclude")
    let stems = #expect(throws: OutputCollision.self) { try plan(["a.obj", "b.obj"], "flat.glb") }
    #expect(stems?.message.contains("apart by {stem}, which -o flat.glb does not have") == true)
    let formats = #expect(throws: OutputCollision.self) {
      try plan(["a.obj", "a.ply"], "{folder}/{stem}.glb")
    }
    #expect(formats?.message.contains("--prefer") == true)
    #expect(formats?.message.contains("apart by {ext}") == true)
  }

  @Test func `a scan in the way of an output is refused, unless the batch made it`() throws {
    let names = ["a.obj", "a.ply"]
    let error = #expect(throws: InputInTheWay.self) { try plan(names, "{stem}.ply") }
    #expect(error?.message.hasPrefix("'a.ply' is one of the scans") == true)
    var entry = JournalEntry(item: "a.obj", state: .done)
    entry.outputs = [.init(path: "a.ply", size: 1, sha256: "")]
    var journal = JournalContents()
    journal.merge(entry)
    let known = try plan(names, "{stem}.ply", journal: journal)
    #expect(known.entries.map(\.item.name) == ["a.obj"])
    #expect(known.products == ["a.ply"])
  }

  // MARK: Reasons

  /// A folder with a scan that the journal says was done.
  private struct Done {
    let folder: TemporaryFolder
    let input: String
    let output: String
    var journal = JournalContents()

    /// Changes what the journal says.
    mutating func record(_ entry: JournalEntry) { journal.merge(entry) }
  }

  private func done() throws -> (Done, entry: JournalEntry) {
    let folder = try TemporaryFolder()
    let input = try folder.write("a.obj", "scan")
    let output = try folder.write("out/a.glb", "model")
    var planner = try planner("\(folder.path)/out/{stem}.glb")
    var entry = JournalEntry(item: input, state: .done)
    entry.inputs = [
      .init(path: input, size: 4, sha256: try SHA256.hexadecimal(ofFile: input))
    ]
    entry.outputs = [
      .init(path: output, size: 5, sha256: try SHA256.hexadecimal(ofFile: output))
    ]
    entry.missing = ["\(folder.path)/a.mtl"]
    entry.key = ItemKey.key(of: entry, recipe: try planner.plan(for: item(input)).recipe)
    var done = Done(folder: folder, input: input, output: output)
    done.record(entry)
    return (done, entry)
  }

  private func reason(_ done: Done, mode: BatchPlan.Mode = .resume) throws -> BatchPlan.Reason? {
    let template = "\(done.folder.path)/out/{stem}.glb"
    return try plan([done.input], template, journal: done.journal, mode: mode).entries.first?.reason
  }

  @Test func `what is done is up to date until something changes`() throws {
    let (done, _) = try done()
    #expect(try reason(done) == .upToDate)
    #expect(try reason(done, mode: .retryFailed) == .upToDate)
    #expect(try reason(done, mode: .fresh) == .again)
    try done.folder.write("a.mtl", "mtl")
    #expect(try reason(done) == .changed("\(done.folder.path)/a.mtl"))
    try FileSystem.removeFile("\(done.folder.path)/a.mtl")
    try done.folder.write("out/a.glb", "modem")
    #expect(try reason(done) == .outputChanged(done.output))
    try FileSystem.removeFile(done.output)
    #expect(try reason(done) == .outputChanged(done.output))
    try done.folder.write("a.obj", "scum")
    #expect(try reason(done) == .changed(done.input))
  }

  @Test func `another recipe makes an item due`() throws {
    var (done, entry) = try done()
    entry.key = ItemKey.key(of: entry, recipe: "another")
    done.record(entry)
    #expect(try reason(done) == .recipeChanged)
  }

  @Test func `what failed is left alone until it is to be tried again`() throws {
    var (done, entry) = try done()
    var planner = try planner("\(done.folder.path)/out/{stem}.glb")
    let plan = try planner.plan(for: item(done.input))
    entry.state = .failed
    entry.error = "no faces"
    entry.key = ItemKey.key(of: entry, recipe: plan.recipe(ofResult: .failed))
    done.record(entry)
    #expect(plan.recipe(ofResult: .failed) != plan.recipe(ofResult: .done))
    #expect(try reason(done) == .stillFailing("no faces"))
    #expect(try reason(done, mode: .retryFailed) == .failedBefore("no faces"))
    try done.folder.write("a.obj", "better")
    #expect(try reason(done) == .changed(done.input))
  }

  @Test func `what the journal does not know is new`() throws {
    var (done, _) = try done()
    done.journal = JournalContents()
    #expect(try reason(done) == .new)
  }
}
