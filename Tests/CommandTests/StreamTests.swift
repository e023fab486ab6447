import Foundation
import Testing

@testable import MeshpipeCommand

private func shell(_ script: String) throws -> Outcome {
  let bash = try #require(CommandProcess.program("bash"))
  return try CommandProcess.run(bash, ["-c", script])
}

@Test func `a full disk behind standard output is told`() throws {
  let outcome = try shell("meshpipe --help > /dev/full")
  #expect(outcome.status == 74)
  #expect(
    outcome.errors
      == "meshpipe: error: standard output: can't write: no space left on device\n")
}

@Test func `a reader that goes away is not worth a word`() throws {
  // The reader is gone before the first byte is written.
  let outcome = try shell("set -o pipefail; { sleep 0.2; meshpipe help run; } | true")
  #expect(outcome.status == 74)
  #expect(outcome.errors.isEmpty)
}

@Test func `a closed standard error doesn't change the exit code`() throws {
  #expect(try shell("meshpipe rnu 2>&-").status == 64)
}

@Test func `with JSON progress every line of standard error is JSON`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan(materials: "none.mtl")
  try folder.writePipeline(outputs: ["${stem}.ply"])
  for arguments in [
    ["run", "pipeline.json", "scan.obj"], ["run", "pipeline.json", "none.obj"],
    ["run", "pipeline.json", "scan.obj", "--set", "weld.tolerence=1mm"],
  ] {
    let outcome = try CommandProcess.run(arguments + ["--progress", "json"], in: folder)
    let lines = outcome.errors.split(separator: "\n")
    #expect(!lines.isEmpty)
    for line in lines {
      let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
      #expect(object?["event"] is String, "\(line)")
    }
    if outcome.status != 0 { #expect(lines.last?.contains("\"exitCode\"") == true) }
  }
}

@Test func `a run is silent when all is well and nobody watches`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan()
  try folder.writePipeline()
  let outcome = try CommandProcess.run(["run", "pipeline.json", "scan.obj"], in: folder)
  #expect(outcome.status == 0)
  #expect(outcome.errors.isEmpty && outcome.text.isEmpty)
  #expect(folder.exists("scan.glb"))
}

@Test(.enabled(if: CommandProcess.terminal != nil, "needs script and a terminal from /dev/pts"))
func `on a terminal a table closes the run, unless it is to be quiet`() throws {
  let script = try #require(CommandProcess.terminal)
  let folder = try TemporaryFolder()
  try folder.writeScan()
  try folder.writePipeline()
  let command = "\(CommandProcess.executable.path) run pipeline.json scan.obj"
  let shown = try CommandProcess.run(script, ["-qec", command, "/dev/null"], in: folder)
  #expect(shown.status == 0)
  #expect(shown.text.contains("weld") && shown.text.contains("32 faces"), "\(shown.text)")
  #expect(!shown.text.contains("\u{1B}[3"), "no colours")
  let quiet = try CommandProcess.run(script, ["-qec", command + " -q", "/dev/null"], in: folder)
  #expect(quiet.text.isEmpty)
}

@Test func `a scan goes from a pipe into a pipe`() throws {
  let folder = try TemporaryFolder()
  try folder.writeScan()
  let scan = try Data(contentsOf: folder.url.appendingPathComponent("scan.obj"))
  let outcome = try CommandProcess.run(
    ["run", "-", "-s", "weld", "-o", "-", "--output-format", "glb"], in: folder, input: scan)
  #expect(outcome.status == 0, "\(outcome.errors)")
  #expect(outcome.output.starts(with: Data("glTF".utf8)))
  #expect(outcome.errors.isEmpty)
  // Byte for byte what a file holds.
  _ = try CommandProcess.run(["run", "-", "-s", "weld", "-o", "out.glb"], in: folder, input: scan)
  #expect(
    try outcome.output == Data(contentsOf: folder.url.appendingPathComponent("out.glb")))
}

@Test(arguments: [("", 65), ("\u{1}\u{2}what is this", 69)] as [(String, Int32)])
func `a pipe without a scan is told`(text: String, status: Int32) throws {
  let outcome = try CommandProcess.run(
    ["run", "-", "-s", "weld", "-o", "-", "--output-format", "glb"], input: Data(text.utf8))
  #expect(outcome.status == status)
  #expect(outcome.output.isEmpty)
  #expect(outcome.errors.hasPrefix("meshpipe: error: standard input"), "\(outcome.errors)")
}

@Test func `an error about standard input calls it so`() throws {
  let outcome = try CommandProcess.run(
    ["info", "-"], input: Data("v 0 0 0\nf 1 2 3\n".utf8))
  #expect(outcome.status == 65)
  #expect(outcome.errors.hasPrefix("meshpipe: error: standard input:"), "\(outcome.errors)")
}

@Test func `a pipe is read again whether or not it has changed`() throws {
  let folder = try TemporaryFolder()
  let triangle = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"
  for (text, faces) in [(triangle, 1), (triangle + "v 1 1 0\nf 2 4 3\n", 2)] {
    let outcome = try CommandProcess.run(
      ["run", "-", "-o", "out.ply", "--if-changed", "--report", "report.json"], in: folder,
      input: Data(text.utf8))
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(try folder.text(of: "out.ply").contains("element face \(faces)\n"))
    #expect(try folder.text(of: "report.json").contains(#""path": "standard input""#))
  }
}
