import Formats
import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

/// Plugins that break the agreement in every way: each costs an error, and nothing else.
@Suite(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
struct BadPluginTests {
  /// Each way of `Tests/BadPlugins/bad.py`, with the exit code and a part of the message.
  static let ways: [(way: String, status: Int32, words: String)] = [
    ("abort", 70, "crashed (signal 6)"),
    ("loop", 75, "was stopped after 1 s"),
    ("nan", 70, "sent invalid data: mesh 'bad' has non-finite numbers"),
    (
      "index", 70,
      "sent invalid data: mesh 'bad': face 0 refers to vertex 3, but there are 3 vertices"
    ),
    ("length", 70, "sent invalid data: arrays of 103079215080 bytes are more than allowed"),
    ("surplus", 70, "wrote 14 bytes after its result"),
    ("fork", 70, "ended without a result (status 9)"),
    ("chatter", 75, "was stopped after 1 s"),
    ("stubborn", 75, "was stopped after 1 s"),
    ("silence", 70, "ended without a result (status 0)"),
    ("version", 69, "speaks version 7 of the protocol, this meshpipe version 1"),
    ("drip", 75, "was stopped after 1 s"),
    ("garbage", 70, "sent invalid data: the bytes are not a meshpipe message"),
    ("trespass", 65, "succeeded: nothing"),
    ("words", 75, "the scan is \u{FFFD}[31m bad"),
    ("shared-trespass", 65, "succeeded: nothing"),
    (
      "shared-beyond", 70, "sent invalid data: an array reaches beyond the end of the shared memory"
    ),
    ("shared-huge", 70, "sent invalid data: an array reaches beyond the end of the shared memory"),
    (
      "shared-index", 70,
      "sent invalid data: mesh 'bad': face 0 refers to vertex 3, but there are 3"
    ),
    (
      "shared-few", 70,
      "sent invalid data: the header is invalid: 'shared' has 1 offsets for 2 arrays"
    ),
    ("shared-both", 70, "sent invalid data: the header names 0 bytes of arrays, the frame 48"),
    ("shared-unasked", 70, "sent invalid data: the header is invalid: 'shared' was not negotiated"),
  ]

  /// What confines plugins here, by the value of `MESHPIPE_BWRAP` that asks for it.
  enum Guard: String {
    case landlock = ""
    case bubblewrap = "/usr/bin/bwrap"

    /// Whether a program can be started in a view of its own, which systems may forbid.
    static let bubblewrapWorks: Bool = {
      let arguments = ["--ro-bind", "/", "/", "--unshare-pid", "--unshare-net", "--proc", "/proc"]
      let outcome = try? CommandProcess.run(
        URL(fileURLWithPath: bubblewrap.rawValue), arguments + ["true"])
      return outcome?.status == 0
    }()
  }

  /// Those that only a limit ends; the others get time enough for a machine that is busy.
  private static let endless: Set = ["loop", "chatter", "stubborn", "drip"]

  private func run(
    _ way: String, in folder: TemporaryFolder, _ confinement: Guard = .landlock,
    options: [String] = []
  ) throws -> Outcome {
    let program = "bad-\(UUID().uuidString).py"
    try folder.writeScan()
    try folder.write("precious", to: "out.ply")
    try folder.url.writeBadPlugin(
      way, program: program,
      limits: #"{ "seconds": \#(Self.endless.contains(way) ? 1 : 60), "memoryMB": 256 }"#)
    var environment = CommandProcess.environment
    environment["MESHPIPE_BWRAP"] = confinement.rawValue
    let outcome = try CommandProcess.run(
      CommandProcess.executable,
      ["run", "scan.obj", "-s", "go-wrong", "-o", "out.ply", "--plugins", "."] + options,
      in: folder, environment: environment)
    #expect(try runningProcesses(naming: program) == [], "\(way) leaves a process")
    return outcome
  }

  @Test(arguments: ways)
  func `a bad plugin costs an error that names stage and plugin`(
    way: String, status: Int32, words: String
  ) throws {
    try expectError(of: way, status, words, .landlock)
  }

  @Test(
    .enabled(if: Guard.bubblewrapWorks, "needs bubblewrap, and a system that lets it work"),
    arguments: ways)
  func `bubblewrap changes nothing in that`(way: String, status: Int32, words: String) throws {
    try expectError(of: way, status, words, .bubblewrap)
  }

  private func expectError(
    of way: String, _ status: Int32, _ words: String, _ confinement: Guard
  ) throws {
    let folder = try TemporaryFolder()
    let outcome = try run(way, in: folder, confinement)
    #expect(outcome.status == status, "\(outcome.errors)")
    #expect(outcome.errors.contains("stage 'go-wrong': plugin 'bad'"), "\(outcome.errors)")
    #expect(outcome.errors.contains(words), "\(outcome.errors)")
    #expect(try folder.text(of: "out.ply") == "precious")
  }

  @Test(
    .enabled(if: Guard.bubblewrapWorks, "needs bubblewrap, and a system that lets it work"),
    .enabled(if: FileManager.default.isWritableFile(atPath: "/dev/shm"), "needs /dev/shm"))
  func `bubblewrap hides no plugins that lie in memory`() throws {
    let place = URL(fileURLWithPath: "/dev/shm/meshpipe test \(UUID().uuidString)")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: place) }
    try place.writeBadPlugin("trespass")
    let folder = try TemporaryFolder()
    try folder.writeScan()
    var environment = CommandProcess.environment
    environment["MESHPIPE_BWRAP"] = Guard.bubblewrap.rawValue
    environment["TMPDIR"] = place.path
    let outcome = try CommandProcess.run(
      CommandProcess.executable,
      ["run", "scan.obj", "-s", "go-wrong", "-o", "out.ply", "--plugins", place.path], in: folder,
      environment: environment)
    #expect(outcome.errors.contains("succeeded: nothing"), "\(outcome.errors)")
  }

  @Test func `a program that knows no custom attributes gets none`() throws {
    let folder = try TemporaryFolder()
    let scan = """
      ply
      format ascii 1.0
      element vertex 3
      property float x
      property float y
      property float z
      property float intensity
      element face 1
      property list uchar int vertex_indices
      end_header
      0 0 0 1
      1 0 0 2
      0 1 0 3
      3 0 1 2

      """
    try folder.write(scan, to: "scan.ply")
    try folder.url.writeBadPlugin("well")
    let outcome = try CommandProcess.run(
      CommandProcess.executable,
      ["run", "scan.ply", "-s", "go-wrong", "-o", "out.meshscene", "--plugins", "."], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "plugin 'bad' does not take custom attributes: intensity will be lost"))
  }

  @Test func `a program that knows only the first attributes gets no others`() throws {
    let folder = try TemporaryFolder()
    var mesh = MeshFixtures.cube
    mesh.addTangentSpace()
    try MeshScene.write(
      Scene(meshes: [mesh]),
      to: OutputSet(folder: folder.path, mainFileName: "scan.meshscene"), in: WritingContext())
    try folder.url.writeBadPlugin("well")
    let outcome = try CommandProcess.run(
      CommandProcess.executable,
      ["run", "scan.meshscene", "-s", "go-wrong", "-o", "out.meshscene", "--plugins", "."],
      in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(
      outcome.errors.contains(
        "plugin 'bad' does not take second texture coordinates and tangents: they will be lost"))
  }

  @Test func `a plugin that eats memory is stopped`() throws {
    for confinement in [Guard.landlock] + (Guard.bubblewrapWorks ? [.bubblewrap] : []) {
      let outcome = try run("memory", in: TemporaryFolder(), confinement)
      #expect([70, 75].contains(outcome.status), "\(outcome.errors)")
      #expect(outcome.errors.contains("emory"), "\(outcome.errors)")
    }
  }

  @Test func `what a plugin said before it failed is in the report`() throws {
    let folder = try TemporaryFolder()
    let outcome = try run("raise", in: folder, options: ["--report", "report.json"])
    #expect(outcome.status == 70)
    #expect(
      outcome.errors.contains(
        /its last output: File ".*bad.*\.py", line \d+, in measure \| .* \| ValueError: too flat/),
      "\(outcome.errors)")
    let report = try JSONSerialization.jsonObject(with: Data(folder.text(of: "report.json").utf8))
    let stages = (report as? [String: Any])?["stages"] as? [[String: Any]]
    let log = stages?.first?["log"] as? [String] ?? []
    #expect(log.first == "Traceback (most recent call last):", "\(log)")
    #expect(log.contains { $0.contains("in measure") } && log.last == "ValueError: too flat")
  }

  @Test func `a plugin that says too much is cut short`() throws {
    let folder = try TemporaryFolder()
    let outcome = try run("flood", in: folder, options: ["--report", "report.json"])
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("zzz") && outcome.errors.utf8.count < 10_000)
    let report = try folder.text(of: "report.json").utf8.count
    #expect((3_000_000..<5_000_000).contains(report), "\(report)")
  }

  @Test func `what is written after the end is not part of the result`() throws {
    let folder = try TemporaryFolder()
    let outcome = try run("shared-late", in: folder)
    // Either it was read before, or what was read is seen to be wrong.
    if outcome.status == 0 {
      #expect(try !folder.text(of: "out.ply").contains(" nan"))
    } else {
      #expect(outcome.errors.contains("non-finite numbers"), "\(outcome.errors)")
    }
  }
}

/// The ids of the processes whose command line has a text; none where the system does not tell.
func runningProcesses(naming text: String) throws -> [String] {
  guard FileManager.default.fileExists(atPath: "/proc/self/cmdline") else { return [] }
  return try FileManager.default.contentsOfDirectory(atPath: "/proc").filter { entry in
    guard Int(entry) != nil,
      let line = FileManager.default.contents(atPath: "/proc/\(entry)/cmdline")
    else { return false }
    return String(decoding: line, as: UTF8.self).contains(text)
  }
}
