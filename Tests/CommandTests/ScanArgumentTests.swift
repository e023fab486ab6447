import Foundation
import Testing

/// How the words of a call are told apart: pipelines, scans and stages.
@Suite struct ScanArgumentTests {
  @Test func `an option of a stage without quotes is explained`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try CommandProcess.run(
      ["run", "scan.obj", "-s", "decimate", "faces=20%", "-o", "out.glb"], in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("-s 'decimate faces=20%'"), "\(outcome.errors)")
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

  @Test(arguments: ["check", "plan"])
  func `a scan in the place of the pipeline is told`(verb: String) throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try CommandProcess.run([verb, "scan.obj", "scan.obj"], in: folder)
    // 'plan' takes scans without a pipeline.
    guard verb == "check" else { return #expect(!outcome.errors.contains("not a pipeline")) }
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.contains("'scan.obj' is a scan (Wavefront OBJ), not a pipeline"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("'meshpipe info scan.obj'"), "\(outcome.errors)")
  }

  @Test(arguments: [
    (["small", "scan.obj"], "did you mean 'meshpipe run small scan.obj'?"),
    (["convert", "a.obj", "b.glb"], "did you mean 'meshpipe run a.obj -o b.glb'?"),
    (["decimate", "a.obj"], "did you mean 'meshpipe run a.obj -s decimate -o OUTPUT'?"),
    (["inof", "a.obj"], "did you mean 'info'?"),
  ])
  func `what is no verb may be a pipeline, a stage or a conversion`(
    words: [String], hint: String
  ) throws {
    let folder = try TemporaryFolder()
    try folder.write(#"{ "meshpipe": 1 }"#, to: "pipelines/small.json")
    var environment = CommandProcess.environment
    environment["MESHPIPE_PIPELINE_PATH"] = folder.path + "/pipelines"
    let outcome = try CommandProcess.run(
      CommandProcess.executable, words, in: folder, environment: environment)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(hint), "\(outcome.errors)")
  }

  @Test func `another name of a section is answered by its own`() throws {
    let folder = try TemporaryFolder()
    try folder.writeScan()
    let outcome = try CommandProcess.run(
      ["run", "scan.obj", "-s", "slice", "-o", "a.glb"], in: folder)
    #expect(outcome.status == 69)
    #expect(outcome.errors.contains("did you mean 'section'?"), "\(outcome.errors)")
  }

  #if os(Linux)
    /// As an archive from a Windows of old has them; the names in the files are of the same bytes.
    @Test func `names that are not UTF-8 are names, of scans, folders, materials and outputs`()
      throws
    {
      let folder = try TemporaryFolder()
      try folder.writePicture("wall.png")
      try folder.write(
        """
        e=$(printf '\\351') && mkdir "sc${e}nes" && mv wall.png "sc${e}nes/mur$e.png" && cd "sc${e}nes"
        printf 'newmtl m\\nmap_Kd mur%s.png\\n' "$e" > "caf$e.mtl"
        printf 'mtllib caf%s.mtl\\nusemtl m\\nv 0 0 0\\nv 1 0 0\\nv 0 1 0\\nvt 0 0\\nf 1/1 2/1 3/1\\n' "$e" > "caf$e.obj"
        cd .. && set -e
        meshpipe run --strict -q "sc${e}nes/caf$e.obj" -s 'convert-axes up=z' -o 'out/${stem}.glb'
        meshpipe run -q "out/caf$e.glb" -o 'out/${stem}.fbx' -o 'out/${stem}.dae'
        meshpipe batch -q "sc${e}nes" -s center -o 'batch/${stem}.glb'
        for name in "out/caf$e.glb" "out/caf$e.fbx" "out/caf$e.dae" "batch/caf$e.glb"; do
          meshpipe info "$name" --json | grep -q '"width": 1'
        done
        meshpipe info "out/caf$e.dae" --json
        meshpipe info "sc${e}nes/none$e.obj"
        """, to: "run.sh")
      let outcome = try CommandProcess.run(URL(filePath: "/bin/sh"), ["run.sh"], in: folder)
      #expect(
        outcome.errors.contains(#"error: sc\xE9nes/none\xE9.obj: can't read"#), "\(outcome.errors)")
      #expect(outcome.status == 66)
      let info = try JSONSerialization.jsonObject(with: outcome.output) as? [String: Any]
      #expect(info?["file"] as? String == "out/caf\u{10F7E9}.dae")
    }
  #endif

  @Test func `check writes a pipeline in its normal form, unless that would lose comments`() throws
  {
    let folder = try TemporaryFolder()
    let stage = #"{ "with": { "faces": "5%" }, "use": "decimate" }"#
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
            "with": { "faces": "5%" }
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
    // 'x' is read only; 'glb' is both.
    let written = try offered("written-format")
    #expect(written.contains("glb") && !written.contains("x"))
    #expect(try offered("read-format").contains("x"))
  }
}
