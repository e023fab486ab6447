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

  @Test func `check writes a pipeline in its normal form, unless that would lose comments`() throws
  {
    let folder = try TemporaryFolder()
    let stage = #"{ "with": { "target": "5%" }, "use": "decimate" }"#
    try folder.write(
      #"{ "stages":[\#(stage)],"outputs":[{"path":"${stem}.glb"}],"meshpipe":1 }"#, to: "p.json")
    func check(_ name: String) throws -> Outcome {
      try CommandProcess.run(["check", name, "--format"], in: folder)
    }
    #expect(try check("p.json").status == 0)
    let formatted = """
      {
        "meshpipe": 1,
        "stages": [
          {
            "use": "decimate",
            "with": { "target": "5%" }
          }
        ],
        "outputs": [
          { "path": "${stem}.glb" }
        ]
      }

      """
    #expect(try folder.text(of: "p.json") == formatted)
    let again = try check("p.json")
    #expect(again.status == 0 && again.errors.isEmpty)
    let url = #"{ "meshpipe": 1, "description": "http://a \\" // b", "outputs": [] }"#
    try folder.write(url, to: "url.json")
    #expect(!(try check("url.json").errors.contains("comments")))
    try folder.write("// why\n" + formatted, to: "c.jsonc")
    let refused = try check("c.jsonc")
    #expect(refused.status == 78)
    #expect(refused.errors.contains("has comments"))
    #expect(try folder.text(of: "c.jsonc").hasPrefix("// why"))
  }

  @Test func `no plugin is begun that could never be used`() throws {
    let folder = try TemporaryFolder()
    let outcome = try CommandProcess.run(["plugins", "new", "decimate"], in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("already"))
    #expect(!folder.exists("decimate"))
  }

  @Test(arguments: ["bash", "zsh", "fish"])
  func `only formats that can be written are offered for the output`(shell: String) throws {
    let script = try CommandProcess.run(["completions", shell]).text
    let lines = script.split(separator: "\n").filter { $0.contains("output-format") }
    #expect(lines.contains { $0.contains("written-format") }, "\(lines)")
    #expect(!lines.contains { $0.contains("read-format") }, "\(lines)")
    func offered(_ kind: String) throws -> [Substring] {
      try CommandProcess.run(["--complete", kind, "", "run"]).text.split(separator: "\n")
    }
    // 'dxf' is read only; 'glb' is both.
    let written = try offered("written-format")
    #expect(written.contains("glb") && !written.contains("dxf"))
    #expect(try offered("read-format").contains("dxf"))
  }
}
