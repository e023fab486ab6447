import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Batch

struct ClusterTests {
  @Test(arguments: [
    "a.obj", "", "a b", "it's", "$(rm -rf x)", "a\nb", "ä", "*", "~", "-x", "a\\b", "\"", "{stem}",
  ])
  func `a shell reads a word back as it was`(word: String) throws {
    let shell = try Program.run(
      "/bin/sh", ["-c", "printf '%s|' " + ShellText.line([word, "x"])])
    #expect(shell.output == "\(word)|x|")
  }

  // MARK: Slurm

  @Test func `shards are divided into arrays that Slurm takes`() {
    #expect(SlurmArray.arrays(shards: 8, maximumSize: 1001) == [SlurmArray(offset: 0, count: 8)])
    #expect(
      SlurmArray.arrays(shards: 25, maximumSize: 11) == [
        SlurmArray(offset: 0, count: 10), SlurmArray(offset: 10, count: 10),
        SlurmArray(offset: 20, count: 5),
      ])
    #expect(SlurmArray.arrays(shards: 2, maximumSize: 0).count == 2)
  }

  @Test func `arrays that are limited together follow one another`() {
    let arguments = SlurmArray(offset: 10, count: 4).arguments(
      script: "s.sh", log: "l", name: "n", tasksAtOnce: 2, after: "7", options: ["--time=1:00"])
    #expect(arguments.contains("--array=1-4%2"))
    #expect(arguments.contains("--dependency=afterany:7"))
    #expect(arguments.suffix(3) == ["--time=1:00", "s.sh", "10"])
  }

  private func script(_ folder: TemporaryFolder, shards: Int = 16) throws -> String {
    try folder.write("x/meshpipe", "#!/bin/sh\necho \"$@\"\npwd\nexit ${CODE:-0}\n")
    try folder.write("x/scontrol", "#!/bin/sh\necho \"scontrol $@\"\nexit 1\n")
    for name in ["x/meshpipe", "x/scontrol"] {
      try FileSystem.setPermissions(0o755, of: "\(folder.path)/\(name)")
    }
    let script = SlurmScript(
      command: ShardCommand(
        program: "\(folder.path)/x/meshpipe", arguments: ["-o", "o/{stem}.glb", "--", "it's"]),
      shards: shards, workingFolder: folder.path, choosesJobs: false, choosesMemory: false)
    return try folder.write("job.sh", script.text)
  }

  private func run(
    _ script: String, _ folder: TemporaryFolder, _ variables: [String: String] = [:]
  ) throws -> Program {
    var environment = [
      "SLURM_ARRAY_TASK_ID": "3", "SLURM_ARRAY_JOB_ID": "70", "SLURM_CPUS_ON_NODE": "4",
      "PATH": "\(folder.path)/x:/usr/bin:/bin",
    ]
    environment.merge(variables) { $1 }
    return try Program.run("/bin/sh", [script, "10"], environment: environment)
  }

  @Test func `the script of a task works on its shard with what Slurm gives it`() throws {
    let folder = try TemporaryFolder()
    let path = try script(folder)
    let plain = try run(path, folder)
    #expect(plain.status == 0)
    #expect(
      plain.output
        == "batch --shard 13/16 --resume -j 4 -o o/{stem}.glb -- it's\n\(FileSystem.canonicalPath(of: folder.path) ?? "")\n"
    )
    let limited = try run(path, folder, ["SLURM_MEM_PER_NODE": "2048"])
    #expect(limited.output.contains(" -j 4 --memory 2048MiB -o "))
    #expect(try run(path, folder, ["SLURM_MEM_PER_NODE": "0"]).output == plain.output)
  }

  @Test(arguments: [(0, false), (3, false), (65, false), (75, true), (137, true)])
  func `a task that was killed is queued again`(code: Int32, isRequeued: Bool) throws {
    let folder = try TemporaryFolder()
    let path = try script(folder)
    let task = try run(path, folder, ["CODE": "\(code)"])
    #expect(task.status == code)
    #expect(task.output.contains("scontrol requeue 70_3") == isRequeued)
    let last = try run(path, folder, ["CODE": "\(code)", "SLURM_RESTART_COUNT": "3"])
    #expect(!last.output.contains("requeue"))
  }

  // MARK: GNU parallel

  @Test func `the line for GNU parallel has all shards`() throws {
    let folder = try TemporaryFolder()
    _ = try script(folder)
    let line = ParallelLine(
      command: ShardCommand(
        program: "\(folder.path)/x/meshpipe", arguments: ["it's", "-o", "{stem} x"]),
      shards: 3, workingFolder: folder.path)
    #expect(line.text.contains("--sshloginfile hosts.txt"))
    _ = try Checkers.program("parallel")
    try folder.write("hosts.txt", "1/:\n")
    let outcome = try Program.run(
      "/bin/sh", ["-c", line.text], in: folder.path, environment: ["HOME": folder.path])
    #expect(outcome.status == 0, "\(outcome.errors)")
    for shard in 1...3 {
      #expect(
        outcome.output.contains("batch --shard \(shard)/3 --resume it's -o {stem} x"),
        "\(outcome.output)")
    }
  }

  // MARK: make and ninja

  private func rule(_ path: String, _ output: String, target: String? = nil) -> BuildFile.Rule {
    BuildFile.Rule(
      item: BatchItem(name: path, place: .init(stem: "x"), origin: .disk(path: path)),
      target: target ?? output, output: output)
  }

  /// A stand-in for the command, which writes its input's text and the name of its input.
  private static let standIn = """
    #!/bin/sh
    echo "$@" >> calls
    while [ $# -gt 0 ]; do case $1 in -o) out=$2;; -MF) dep=$2;; esac; shift; done
    case $out in */) out=$out"x.glb";; esac
    mkdir -p "$(dirname "$out")"; echo made > "$out"; : > "$dep"

    """

  @Test(arguments: ["make", "ninja"])
  func `a build file makes each item once`(tool name: String) throws {
    let path = try Checkers.program(name)
    let tool = try #require(BuildFile.Tool(rawValue: name))
    let folder = try TemporaryFolder()
    let scans = ["in/a b.obj", "in/it's $5 #1.obj", "in/c:d.obj"]
    for scan in scans { try folder.write(scan, "v") }
    try folder.write("web.json", "{}")
    try folder.write("meshpipe", Self.standIn)
    try FileSystem.setPermissions(0o755, of: folder.path + "/meshpipe")
    let file = try BuildFile(
      for: tool,
      [
        rule(scans[0], "out/a b.glb"), rule(scans[1], "out/it's $5 #1.glb"),
        rule(scans[2], "out/c:d/x.glb", target: "out/c:d/"),
      ], pipeline: "web.json", arguments: ["--var", "a=$x y"])
    try folder.write(tool == .make ? "Makefile" : "build.ninja", try file.text())
    func build() throws -> [String] {
      try folder.write("calls", "")
      let run = try Program.run(
        path, [], in: folder.path, environment: ["PATH": "\(folder.path):/usr/bin:/bin"])
      #expect(run.status == 0, "\(run.output)\(run.errors)")
      return try String(contentsOfFile: folder.path + "/calls", encoding: .utf8)
        .split(separator: "\n").map(String.init).sorted()
    }
    let calls = try build()
    #expect(calls.count == 3)
    #expect(calls.allSatisfy { $0.hasPrefix("run web.json --var a=$x y ") })
    for (scan, target) in zip(scans, ["out/a b.glb", "out/it's $5 #1.glb", "out/c:d/"]) {
      #expect(calls.contains { $0.contains(" \(scan) ") && $0.contains(" -o \(target) ") })
    }
    #expect(try build() == [])
    Thread.sleep(forTimeInterval: 0.05)
    try folder.write(scans[1], "v 1")
    #expect(try build().count == 1)
    Thread.sleep(forTimeInterval: 0.05)
    try folder.write("web.json", "{ }")
    #expect(try build().count == 3)
  }

  @Test func `what a build file can't say is refused`() {
    let member = BatchItem(
      name: "s.zip/a.obj", place: .init(stem: "a"), origin: .archive("s.zip", member: "a.obj"))
    #expect(throws: UnbuildableItem.self) {
      try BuildFile(
        for: .make, [.init(item: member, target: "a.glb", output: "a.glb")], pipeline: nil,
        arguments: [])
    }
    for (tool, path) in [
      (BuildFile.Tool.make, "50%.obj"), (.make, "a\nb.obj"), (.ninja, "a\nb.obj"),
    ] {
      #expect(throws: UnbuildableItem.self) {
        try BuildFile(for: tool, [rule(path, "x.glb")], pipeline: nil, arguments: []).text()
      }
    }
  }
}
