import Foundation
import MeshTestSupport
import Testing

/// A folder with scans, and with programs that stand in for Slurm's: `sbatch` runs the tasks at once.
private final class ClusterFolder {
  let folder: TemporaryFolder

  init(scans: Int = 6) throws {
    folder = try TemporaryFolder()
    for index in 0..<scans { try folder.writeScan("in/\(index).obj", cells: 2 + index) }
    try program(
      "sbatch",
      """
      echo "$@" >> calls
      n=$(($(cat number 2>/dev/null || echo 6) + 1)); echo $n > number
      for word; do
        case $word in --array=*) last=${word#--array=1-}; last=${last%%%*};; esac
        script=$before; before=$word
      done
      for task in $(seq $last); do
        case " $LOST " in *" $task "*) continue;; esac
        SLURM_ARRAY_JOB_ID=$n SLURM_ARRAY_TASK_ID=$task SLURM_CPUS_ON_NODE=1 \\
          sh "$script" "$word" >> tasks.log 2>&1
      done
      echo "$n;cluster"
      """)
    try program("squeue", "cat queue 2>/dev/null; exit 0")
    try program("scontrol", "echo 'MaxArraySize            = 3'")
    try program("scancel", "echo scancel \"$@\" >> calls")
  }

  func program(_ name: String, _ text: String) throws {
    let path = try folder.write("#!/bin/sh\n\(text)\n", to: "bin/\(name)")
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
  }

  func batch(_ arguments: String..., variables: String = "") throws -> Outcome {
    let words = ["batch", "in", "-o", "out/{stem}.glb"] + arguments
    return try CommandProcess.run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "\(variables) PATH=\"$PWD/bin:$PATH\" exec meshpipe \"$@\"", "sh"] + words, in: folder)
  }

  func counts() throws -> [String: Any] {
    let outcome = try CommandProcess.run(["batch", "status", "out", "--json"], in: folder)
    let json = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
    return try #require(json?["counts"] as? [String: Any])
  }
}

@Suite struct BatchDelegationTests {
  @Test func `a batch goes to Slurm and comes back`() throws {
    let cluster = try ClusterFolder()
    try cluster.folder.write("v 0 0 0\nf 1 2 3\n", to: "in/bad.obj")
    let outcome = try cluster.batch(
      "--submit", "slurm", "--shards", "3", "--tasks-at-once", "2", "--wait", "--slurm-option",
      "--time=5", "--report", "r.html")
    #expect(outcome.status == 3, "\(outcome.errors)")
    #expect(outcome.errors.contains("submitted as job 7 8: 3 shards"))
    #expect(try cluster.counts()["done"] as? Int == 6)
    #expect(try cluster.counts()["failed"] as? Int == 1)
    #expect(try cluster.counts()["due"] as? Int == 0)
    let page = try cluster.folder.text(of: "r.html")
    #expect(page.components(separatedBy: "<article").count == 8)
    #expect(page.components(separatedBy: "data:image/jpeg").count == 7)
    let calls = try cluster.folder.text(of: "calls").split(separator: "\n")
    #expect(calls.count == 2)
    #expect(calls[0].contains("--array=1-2%2 ") && calls[0].contains(" --time=5 "))
    #expect(calls[1].contains("--array=1-1%2 --dependency=afterany:7 "))
  }

  @Test func `a fresh batch begins anew and a resumed one goes on`() throws {
    let cluster = try ClusterFolder()
    func done() throws -> Int {
      let log = try cluster.folder.text(of: "tasks.log")
      try cluster.folder.write("", to: "tasks.log")
      return log.matches(of: /(\d+) done/).reduce(0) { $0 + (Int($1.1) ?? 0) }
    }
    #expect(try cluster.batch("--submit", "slurm", "--shards", "2", "--wait").status == 0)
    #expect(try done() == 6)
    #expect(
      try cluster.batch("--submit", "slurm", "--shards", "2", "--wait", "--resume").status == 0)
    #expect(try done() == 0)
    #expect(try cluster.batch("--submit", "slurm", "--shards", "2", "--wait").status == 0)
    #expect(try done() == 6)
  }

  @Test func `a shard that Slurm lost is named`() throws {
    let cluster = try ClusterFolder()
    let outcome = try cluster.batch(
      "--submit", "slurm", "--shards", "2", "--wait", variables: "LOST=2")
    #expect(outcome.status == 75)
    #expect(outcome.errors.contains("Slurm ended shard 2/2 early"))
    #expect(outcome.errors.contains("submit again with --resume"))
    let again = try cluster.batch("--submit", "slurm", "--shards", "2", "--wait", "--resume")
    #expect(again.status == 0, "\(again.errors)")
    #expect(try cluster.counts()["done"] as? Int == 6)
  }

  @Test func `what is still in the queue is not submitted again`() throws {
    let cluster = try ClusterFolder(scans: 1)
    #expect(try cluster.batch("--submit", "slurm", "--shards", "1").status == 0)
    try cluster.folder.write("7_1\n", to: "queue")
    let outcome = try cluster.batch("--submit", "slurm", "--shards", "1")
    #expect(outcome.status == 75)
    #expect(outcome.errors.contains("'scancel 7' ends it"))
  }

  @Test func `what Slurm refuses is told in its words`() throws {
    let cluster = try ClusterFolder(scans: 1)
    try cluster.program("sbatch", "echo 'sbatch: error: invalid partition' >&2; exit 1")
    let outcome = try cluster.batch("--submit", "slurm", "--shards", "1")
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("invalid partition"))
  }

  @Test func `the line for GNU parallel holds the arguments`() throws {
    let cluster = try ClusterFolder(scans: 1)
    let outcome = try cluster.batch("--emit", "parallel", "--shards", "4", "--timeout", "5m")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains(" batch --shard {}/4 --resume --output "))
    #expect(outcome.text.contains("--timeout 5m in' ::: $(seq 4)"))
  }

  @Test(arguments: ["make", "ninja"])
  func `a build file has a rule for each scan`(tool: String) throws {
    let cluster = try ClusterFolder(scans: 2)
    let outcome = try cluster.batch("--emit", tool, "-s", "decimate faces=50%", "--input-up", "z")
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text.contains("run --stage 'decimate faces=50%' --input-up z"))
    let program = URL(fileURLWithPath: try Checkers.program(tool))
    try cluster.folder.write(outcome.text, to: tool == "make" ? "Makefile" : "build.ninja")
    let build = try CommandProcess.run(program, [], in: cluster.folder)
    #expect(build.status == 0, "\(build.text)\(build.errors)")
    #expect(cluster.folder.exists("out/0.glb") && cluster.folder.exists("out/1.glb"))
    let again = try CommandProcess.run(program, [], in: cluster.folder)
    #expect(!again.text.contains("meshpipe run"))
  }

  @Test(arguments: [
    (["--submit", "slurm"], "--shards"), (["--shards", "4"], "--submit"), (["--wait"], "--submit"),
    (["--submit", "slurm", "--shards", "2", "--shard", "1/2"], "'--shard'"),
    (["--submit", "slurm", "--shards", "2", "--emit", "make"], "exclude"),
    (["--submit", "slurm", "--shards", "2", "--list", "-"], "standard input"),
    (["--submit", "slurm", "--shards", "2", "--output", "out.zip:{stem}.glb"], "archive"),
    (["--submit", "slurm", "--shards", "2", "--slurm-option", "x"], "hyphen"),
  ])
  func `options that don't go together are refused`(options: [String], word: String) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("in/a.obj")
    let outcome = try CommandProcess.run(
      ["batch", "in"] + (options.contains("--output") ? [] : ["-o", "out/{stem}.glb"]) + options,
      in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(word), "\(outcome.errors)")
  }
}
