import Foundation
import MeshTestSupport
import MeshpipeKit
import Testing

/// The cache as a user meets it: options of runs, and the verbs that show and tidy it.
struct CacheCommandTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try folder.write("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 3 4\n", to: "scan.obj")
  }

  /// Makes the plugin 'pause', whose stage takes long enough to be worth keeping.
  private func makePlugin() throws {
    #expect(try run("plugins", "new", "pause", "--lang", "python").status == 0)
    let path = "\(folder.path)/pause/pause.py"
    let program = try String(contentsOfFile: path, encoding: .utf8)
    let slow = program.replacing("import meshpipe\n", with: "import time\n\nimport meshpipe\n")
      .replacing(
        "    step =", with: "    time.sleep(1.3)\n    meshpipe.warn(\"waited\")\n    step =")
    try folder.write(slow, to: "pause/pause.py")
  }

  private func run(_ words: String..., cache: String? = "cache") throws -> Outcome {
    try run(words, cache: cache)
  }

  private func run(_ words: [String], cache: String? = "cache") throws -> Outcome {
    var environment = CommandProcess.environment
    let python = FileSystem.folder(of: Checkers.python)
    environment["PATH"] = "\(python):\(environment["PATH"] ?? "")"
    environment["PYTHONPATH"] = Checkout.path("bindings/python")
    environment["MESHPIPE_CACHE"] = cache.map { "\(folder.path)/\($0)" } ?? "none"
    return try CommandProcess.run(
      CommandProcess.executable, words, in: folder, environment: environment)
  }

  @Test(.needs("numpy"))
  func `a result is kept, shown, used, and removed`() throws {
    try makePlugin()
    let words = ["run", "scan.obj", "--plugins", "pause", "-s", "pause", "-o", "a.ply"]
    func seconds(_ more: [String] = []) throws -> Double {
      let start = Date()
      let outcome = try run(words + more)
      #expect(outcome.status == 0)
      #expect(outcome.errors.contains("waited"), "\(outcome.errors)")
      return -start.timeIntervalSinceNow
    }
    #expect(try seconds() > 1.3)
    let written = try FileSystem.contents(of: "\(folder.path)/a.ply")
    #expect(try seconds(["--force"]) < 1.3)
    #expect(try FileSystem.contents(of: "\(folder.path)/a.ply") == written)
    #expect(try seconds(["--rerun-from", "pause"]) > 1.3)
    #expect(try seconds(["--no-cache"]) > 1.3)

    let list = try run("cache", "list").text
    #expect(list.contains("stage 'pause'") && list.contains("scan.obj"))
    #expect(list.contains("1 result,"))
    let plan = try run("plan", "scan.obj", "--plugins", "pause", "-s", "pause", "-o", "a.ply")
    #expect(plan.text.contains("pause: cached"), "\(plan.errors)")

    let json = try #require(
      JSONReader.read(Array(try run("cache", "list", "--json").text.utf8)).value)
    let file = try #require(json["results"]?.elements.first?["path"]?.text)
    #expect(try run("info", file).text.contains("2"))
    var bytes = try FileSystem.contents(of: file)
    bytes[bytes.count / 2] ^= 1
    try Data(bytes).write(to: URL(filePath: file))
    let damaged = try run("cache", "verify")
    #expect(damaged.status == 65)
    #expect(damaged.text.contains("damaged"))
    let clean = try run("cache", "verify")
    #expect(clean.status == 0)
    #expect(try run("cache", "prune").text.contains("removed 0 results"))
  }

  @Test(.needs("numpy"))
  func `two runs at once share it`() async throws {
    try makePlugin()
    let outcomes = await withTaskGroup(of: Int32?.self) { group in
      for name in ["a", "b"] {
        group.addTask {
          try? self.run(
            "run", "scan.obj", "--plugins", "pause", "-s", "pause", "-o", "\(name).ply"
          ).status
        }
      }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(outcomes == [0, 0])
    #expect(
      try FileSystem.contents(of: "\(folder.path)/a.ply")
        == FileSystem.contents(of: "\(folder.path)/b.ply"))
    #expect(try run("cache", "list").text.contains("1 result,"))
    #expect(try run("cache", "verify").status == 0)
  }

  /// Whether a process may have a file system of its own.
  private static let canMount =
    (try? Program.run("/usr/bin/env", ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/mnt"]))?
    .status == 0

  @Test(.needs("numpy"), .enabled(if: canMount, "needs unshare and tmpfs"))
  func `a full disk costs a warning and no result`() throws {
    try makePlugin()
    try FileSystem.createFolder("\(folder.path)/full")
    let script = """
      mount -t tmpfs -o size=64k none full
      head -c 1000000 /dev/zero > full/rest 2> /dev/null
      export PATH="\(FileSystem.folder(of: Checkers.python)):$PATH"
      export PYTHONPATH="\(Checkout.path("bindings/python"))" MESHPIPE_CACHE="$PWD/full"
      "$0" run scan.obj --plugins pause -s pause -o a.ply && rm full/rest && ls -R full
      """
    let run = try Program.run(
      "/usr/bin/env",
      ["unshare", "-rm", "sh", "-c", script, CommandProcess.executable.path], in: folder.path)
    #expect(run.status == 0, Comment(rawValue: run.errors))
    #expect(run.errors.contains("no results of stages are kept"))
    #expect(folder.exists("a.ply"))
    #expect(!run.output.contains("meshscene"))
  }

  @Test func `without a cache its verbs say how to name one`() throws {
    for verb in ["list", "prune", "verify"] {
      let outcome = try run("cache", verb, cache: nil)
      #expect(outcome.status == 64)
      #expect(outcome.errors.contains("--cache"))
    }
    let empty = try run("cache", "list")
    #expect(empty.status == 0)
    #expect(empty.text.contains("no kept results"))
  }

  @Test func `an unknown stage or size is told before anything is read`() throws {
    let stage = try run("run", "scan.obj", "-s", "weld", "-o", "a.ply", "--rerun-from", "wled")
    #expect(stage.status == 64)
    #expect(stage.errors.contains("did you mean 'weld'"))
    let size = try run("run", "scan.obj", "-o", "a.ply", "--cache-size", "much")
    #expect(size.status == 64)
    #expect(size.errors.contains("is not a size"))
    let bytes = try run("run", "scan.obj", "-o", "a.ply", "--cache-size", "5")
    #expect(bytes.status == 64 && bytes.errors.contains("5GB"))
  }
}
