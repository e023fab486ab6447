import Foundation
import Testing

/// How the words of a call are told apart: pipelines, scans and stages.
@Suite struct ScanArgumentTests {
  @Test func `an option of a stage without quotes is explained`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try CommandProcess.run(
      ["run", "scan.obj", "-s", "decimate", "target=20%", "-o", "out.glb"], in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("-s 'decimate target=20%'"), "\(outcome.errors)")
    #expect(!folder.exists("out.glb"))
  }

  @Test func `a scan may have an equals sign in its name`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("a=b.obj")
    let outcome = try CommandProcess.run(
      ["run", "a=b.obj", "-s", "weld", "-o", "out.glb"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
  }

  @Test func `a file of any name is a scan when its format is given`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan("scan")
    let outcome = try CommandProcess.run(
      ["run", "scan", "--input-format", "obj", "-o", "out.glb"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.exists("out.glb"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `only formats that can be written are offered for the output`(shell: String) throws {
    let script = try CommandProcess.run(["completions", shell]).text
    let lines = script.split(separator: "\n").filter { $0.contains("output-format") }
    #expect(!lines.isEmpty)
    // 'dxf' is read only; 'glb' is both.
    for line in lines where line.contains("glb") { #expect(!line.contains("dxf"), "\(line)") }
    #expect(script.contains("dxf"))
  }
}
