import Foundation
import MeshTestSupport
import Testing

/// Plugin stages are checked, listed and run as built-in ones are.
struct PluginCommandTests {
  private let examples = Checkout.path("examples/plugins")

  private func run(_ arguments: String..., in folder: TemporaryFolder) throws -> Outcome {
    try CommandProcess.run(arguments, in: folder)
  }

  /// A plugin without a program: enough for all that runs nothing.
  private func writeManifest(_ folder: TemporaryFolder) throws {
    try folder.write("", to: "p/run.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "melt", "version": "1.5", "protocol": 1,
        "executable": "run.py",
        "stages": [ { "name": "melt", "summary": "Melts the mesh.", "needs": ["classification"],
          "parameters": { "properties": {
            "heat": { "type": "integer", "minimum": 1, "default": 3, "description": "How hot." }
          } } } ] }
      """, to: "p/melt.meshpipe-plugin.json")
  }

  @Test(.enabled(if: Checkers.areRequired || Checkers.has("numpy"), "needs numpy"))
  func `the example with numpy smooths a scan`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    // The example names 'python3'; here that is the one with numpy.
    try FileManager.default.copyItem(
      atPath: examples + "/laplacian", toPath: folder.url.path + "/laplacian")
    let name = "laplacian/laplacian.meshpipe-plugin.json"
    try folder.write(
      try folder.text(of: name).replacing("python3", with: Checkers.python), to: name)
    let outcome = try run(
      "run", "scan.obj", "-s", "smooth-laplacian iterations=3 maxDistance=1cm", "-o", "out.ply",
      "--plugins", ".", "--report", "report.json", in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    let report = try folder.text(of: "report.json")
    #expect(report.contains(#""moved":"#))
    #expect(report.contains(#""name": "laplacian""#))
    #expect(try folder.text(of: "out.ply").hasPrefix("ply"))
    #expect(
      outcome.errors.contains(
        "'maxDistance' of stage 'smooth-laplacian' is now called 'maximumShift'"))
  }

  @Test func `options of a plugin's stage are checked as built-in ones are`() throws {
    let folder = try TemporaryFolder()
    try writeManifest(folder)
    try folder.writeScan()
    try folder.writePipeline(stages: [#"{ "use": "melt", "with": { "heet": 2 } }"#])
    let typo = try run("check", "pipeline.json", "--plugins", "p", in: folder)
    #expect(typo.status == 78)
    #expect(typo.errors.contains("unknown option 'heet' of stage 'melt'; did you mean 'heat'?"))
    try folder.writePipeline()
    let low = try run(
      "run", "scan.obj", "-s", "melt", "--set", "melt.heat=0", "-o", "o.ply", "--plugins", "p",
      in: folder)
    #expect(low.status == 64)
    #expect(low.errors.contains("'heat' of stage 'melt': must be at least 1"))
    let unknown = try run(
      "run", "scan.obj", "-s", "melted", "-o", "o.ply", "--plugins", "p", in: folder)
    #expect(unknown.status == 69)
    #expect(unknown.errors.contains("unknown stage 'melted'; did you mean 'melt'?"))
  }

  @Test func `stages and the schema know the stages of plugins`() throws {
    let folder = try TemporaryFolder()
    try writeManifest(folder)
    let page = try run("stages", "melt", "--plugins", "p", in: folder).text
    #expect(page.contains("heat (integer, default 3, at least 1)"))
    #expect(page.contains("From the plugin melt 1.5"))
    #expect(try run("stages", "--no-plugins", in: folder).text.contains("melt") == false)
    let schema = try run("schema", "--with-plugins", "--plugins", "p", in: folder).text
    #expect(schema.contains("stage:melt"))
    #expect(try run("schema", in: folder).text.contains("stage:melt") == false)
  }

  @Test func `a broken manifest is told of only where its stage may be missing`() throws {
    let folder = try TemporaryFolder()
    try folder.write("{ \"name\": 1 }", to: "p/sad.meshpipe-plugin.json")
    try folder.writeScan()
    let fine = try run(
      "run", "scan.obj", "-s", "center", "-o", "o.ply", "--plugins", "p", in: folder)
    #expect(fine.status == 0)
    #expect(!fine.errors.contains("sad"))
    let missing = try run(
      "run", "scan.obj", "-s", "sadden", "-o", "o.ply", "--plugins", "p", in: folder)
    #expect(missing.status == 69)
    #expect(missing.errors.contains("sad.meshpipe-plugin.json:1:11: note: 'name' must be a string"))
  }

  @Test(
    .enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"),
    arguments: ["", "/bin/false", "/no/such/program", "/bin/true"])
  func `where bubblewrap is missing or fails plugins run without it, in silence`(
    bubblewrap: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    try folder.url.writeBadPlugin("well", stage: "go-well")
    var environment = CommandProcess.environment
    environment["MESHPIPE_BWRAP"] = bubblewrap
    func command(_ arguments: String...) throws -> Outcome {
      try CommandProcess.run(
        CommandProcess.executable, arguments, in: folder, environment: environment)
    }
    let outcome = try command("run", "scan.obj", "-s", "go-well", "-o", "o.ply", "--plugins", ".")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.errors.contains("bwrap"), "\(outcome.errors)")
    let list = try command("plugins", "list", "--plugins", ".")
    #expect(list.text.contains("Programs of plugins"), "\(list.text)\(list.errors)")
    #expect(bubblewrap == "/bin/true" || !list.text.contains("by bubblewrap"))
  }

  @Test(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
  func `a plugin sees the variables that it asks for and the user allows`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    // It ends without a result; its last words are told.
    try folder.write(
      """
      import os, sys
      print("saw", os.environ.get("STUDIO_A"), os.environ.get("STUDIO_B"), file=sys.stderr)
      sys.exit(3)
      """, to: "p/look.py")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "look", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "look.py", "environment": ["STUDIO_A"],
        "stages": [ { "name": "look", "summary": "Looks." } ] }
      """, to: "p/look.meshpipe-plugin.json")
    var environment = CommandProcess.environment
    environment["STUDIO_A"] = "one"
    environment["STUDIO_B"] = "two"
    func look(_ options: String...) throws -> Outcome {
      try CommandProcess.run(
        CommandProcess.executable,
        ["run", "scan.obj", "-s", "look", "-o", "o.ply", "--plugins", "p"] + options, in: folder,
        environment: environment)
    }
    #expect(try look().errors.contains("saw None None"))
    #expect(try look("--allow-env", "STUDIO_A").errors.contains("saw one None"))
    let batch = try CommandProcess.run(
      CommandProcess.executable,
      [
        "batch", "scan.obj", "-s", "look", "-o", "out/{stem}.ply", "--plugins", "p", "--allow-env",
        "STUDIO_A",
      ], in: folder, environment: environment)
    #expect(batch.errors.contains("saw one None"), "\(batch.errors)")
    // What it doesn't ask for it doesn't get.
    #expect(try look("--allow-env", "STUDIO_B").errors.contains("saw None None"))
    #expect(try look("--allow-env", "LD_PRELOAD").status == 64)
    environment["MESHPIPE_PLUGIN_ENVIRONMENT"] = "STUDIO_A"
    #expect(try look().errors.contains("saw one None"))
    // Another value may give another result; what is granted to no plugin may not.
    func reasons(_ options: String...) throws -> String {
      try CommandProcess.run(
        CommandProcess.executable,
        [
          "batch", "scan.obj", "-s", "look", "-o", "out/{stem}.ply", "--plugins", "p", "--resume",
          "--dry-run", "--json",
        ] + options, in: folder, environment: environment
      ).text
    }
    #expect(try reasons().contains("stillFailing"))
    #expect(try reasons("--allow-env", "STUDIO_B").contains("stillFailing"))
    environment["STUDIO_A"] = "three"
    #expect(try reasons().contains("recipeChanged"))
  }

  @Test func `a plugin in the current folder is not found by itself`() throws {
    let folder = try TemporaryFolder()
    try writeManifest(folder)
    let outcome = try run("stages", "melt", in: folder)
    #expect(outcome.status == 69)
  }

  @Test(.enabled(if: CommandProcess.program("python3") != nil, "needs Python 3"))
  func `Ctrl-C ends a plugin at once`() throws {
    let folder = try TemporaryFolder()
    let program = "sleep-\(UUID().uuidString).py"
    try folder.writeScan()
    try folder.write(
      "import time\ntime.sleep(3600)\n",
      to: "p/\(program)")
    try folder.write(
      """
      { "meshpipePlugin": 1, "name": "sleep", "version": "1", "protocol": 1,
        "interpreter": ["python3"], "executable": "\(program)",
        "stages": [ { "name": "sleep", "summary": "Sleeps." } ] }
      """, to: "p/sleep.meshpipe-plugin.json")
    let process = Process()
    process.executableURL = CommandProcess.executable
    process.arguments = ["run", "scan.obj", "-s", "sleep", "-o", "o.ply", "--plugins", "p"]
    process.currentDirectoryURL = folder.url
    process.environment = CommandProcess.environment
    process.standardError = FileHandle.nullDevice
    try process.run()
    // Both the plugin and its supervisor are there.
    for _ in 0..<600 where try runningProcesses(naming: program).count < 2 { usleep(100_000) }
    process.interrupt()
    process.waitUntilExit()
    #expect(process.terminationStatus == 130)
    // After a quarter of a second meshpipe ends whatever is left; the supervisor then does so alone.
    for _ in 0..<300 where try !runningProcesses(naming: program).isEmpty { usleep(100_000) }
    #expect(try runningProcesses(naming: program) == [])
  }
}
