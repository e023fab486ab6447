import Foundation
import MeshTestSupport
import Testing

/// Calls that are nearly right: the message names the call that was meant.
@Suite struct WayOutTests {
  /// A folder with the pipeline `small`, which has the variable `faces`, and a scan.
  private static func folder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.write(
      """
      {
        "meshpipe": 1,
        "variables": {
          "faces": { "type": "amount", "default": "20%", "help": "Faces." },
          "geometry": { "type": "scan | depth", "default": "scan", "help": "Surface." }
        },
        "stages": [
          { "use": "fuse-depth", "when": "'${geometry}' == 'depth'" },
          { "use": "decimate", "with": { "faces": "${faces}" } }
        ],
        "outputs": [{ "path": "${stem}.glb" }]
      }
      """, to: "pipelines/small.json")
    try folder.writeScan()
    return folder
  }

  private func run(_ words: [String], in folder: TemporaryFolder? = nil) throws -> Outcome {
    let folder = try folder ?? Self.folder()
    var environment = CommandProcess.environment
    environment["MESHPIPE_PIPELINE_PATH"] = folder.path + "/pipelines"
    return try CommandProcess.run(
      CommandProcess.executable, words, in: folder, environment: environment)
  }

  @Test(arguments: [
    (["run", "small", "scan.obj", "--faces", "10%"], "of the pipeline: --var faces=10%"),
    (["run", "--faces=10%", "small", "scan.obj"], "of the pipeline: --var faces=10%"),
    (["batch", "small", ".", "--faces", "9", "-o", "o/"], "of the pipeline: --var faces=9"),
    (["run", "small", "scan.obj", "--face", "9"], "did you mean --var faces=9?"),
    (["run", "small", "scan.obj", "--max-error", "5mm"], "of a stage: --set maximumError=5mm"),
    (["run", "small", "scan.obj", "--compression", "draco"], "an output: --set compression=draco"),
    (["run", "scan.obj", "-s", "decimate", "--target", "9"], "its name: -s 'decimate faces=9'"),
    (["run", "scan.obj", "--target=9", "-o", "a.glb"], "of 'decimate': -s 'decimate faces=9'"),
    (["run", "scan.obj", "-o", "a.glb", "--forse"], "did you mean '--force'?"),
  ])
  func `an unknown option may be a variable, or an option of a stage or an output`(
    words: [String], wayOut: String
  ) throws {
    let outcome = try run(words)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(wayOut), "\(outcome.errors)")
  }

  @Test(arguments: [
    ("decimate 20%", "did you mean 'faces=20%'?"), ("center bottom", "did you mean 'at=bottom'?"),
    ("clean orientation", "did you mean 'orientation=true'?"),
    ("decimate faces", "give 'faces' a value: faces=…"),
    ("decimate fats", "expected name=value, found 'fats'\n"),
  ])
  func `a word without an equals sign is a value or an option`(stage: String, wayOut: String) throws
  {
    let outcome = try run(["run", "scan.obj", "-s", stage, "-o", "a.glb"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains(wayOut), "\(outcome.errors)")
  }

  @Test func `a plugin at hand is named`() throws {
    let folder = try Self.folder()
    #expect(try run(["plugins", "new", "inflate"], in: folder).status == 0)
    func errors(_ stage: String) throws -> String {
      let outcome = try run(["run", "scan.obj", "-s", stage, "-o", "a.glb"], in: folder)
      #expect(outcome.status == 69)
      return outcome.errors
    }
    #expect(try errors("inflate").contains("'inflate' has it: --plugins inflate"))
    #expect(try errors("./inflate").contains("--plugins ./inflate -s inflate"))
    #expect(try !errors("spherify").contains("--plugins"))
  }

  @Test func `help explains stages and pipelines, too`() throws {
    let stage = try run(["help", "decimate"])
    #expect(stage.status == 0)
    #expect(try stage.text == run(["stages", "decimate"]).text)
    let pipeline = try run(["help", "small"])
    #expect(pipeline.status == 0 && pipeline.text.contains("--var faces=VALUE"))
    #expect(try run(["help", "decimat"]).status == 64)
  }

  @Test func `a pipeline behind the scans is told`() throws {
    let outcome = try run(["run", "scan.obj", "small", "-o", "o/"])
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("the pipeline must precede the scans: give 'small' first"))
  }

  @Test(arguments: ["scn.obj", "scan.OBJ", "./scam.obj"])
  func `a scan that does not exist is told with the nearest one`(name: String) throws {
    for verb in ["run", "info"] {
      let outcome = try run([verb, name] + (verb == "run" ? ["-o", "a.glb"] : []))
      #expect(outcome.status == 66)
      #expect(
        outcome.errors.contains("did you mean '\(name.hasPrefix("./") ? "./" : "")scan.obj'?"),
        "\(outcome.errors)")
    }
    #expect(try !run(["info", "other.glb"]).errors.contains("did you mean"))
  }

  @Test func `of several scans those run that exist`() throws {
    let folder = try Self.folder()
    let words = ["run", "-k", "small", "scn.obj", "scan.obj", "-o", "o/", "--report", "r.json"]
    let kept = try run(words, in: folder)
    #expect(kept.status == 3 && kept.errors.contains("did you mean 'scan.obj'?"), "\(kept.errors)")
    #expect(folder.exists("o/scan.glb") && folder.exists("r.json"))
  }

  @Test func `the variable that needs frames is named, not a line of its pipeline`() throws {
    let outcome = try run(["run", "small", "scan.obj", "-o", "o/", "--var", "geometry=depth"])
    #expect(outcome.status == 64)
    #expect(
      outcome.errors.contains("--var geometry=depth: error: stage 'fuse-depth'"),
      "\(outcome.errors)")
    #expect(outcome.errors.contains("name a capture with --frames, or omit the variable"))
    #expect(!outcome.errors.contains("small.json"))
  }

  @Test func `two scans of one name are kept apart by a batch`() throws {
    let folder = try Self.folder()
    for name in ["a", "b"] { try folder.writeScan("\(name)/scan.obj") }
    let outcome = try run(["run", "small", "a/scan.obj", "b/scan.obj", "-o", "o/"], in: folder)
    #expect(outcome.status == 64)
    #expect(outcome.errors.contains("give their folders to 'meshpipe batch'"), "\(outcome.errors)")
    #expect(!outcome.errors.contains("${stem}"))
    let batch = try run(["batch", "small", "a", "b", "-o", "o/"], in: folder)
    #expect(batch.status == 0 && folder.exists("o/a/scan.glb") && folder.exists("o/b/scan.glb"))
  }

  @Test func `a pipeline writes its output to several files`() throws {
    let folder = try Self.folder()
    let outcome = try run(["run", "small", "scan.obj", "-o", "a.glb", "-o", "b/c.ply"], in: folder)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(folder.exists("a.glb") && folder.exists("b/c.ply") && !folder.exists("scan.glb"))
    try folder.writePipeline("two.json", outputs: ["${stem}.glb", "${stem}.ply"])
    let forms = try run(
      ["run", "two.json", "scan.obj", "-o", "d.stl", "-o", "d.glb"], in: folder)
    #expect(forms.status == 0, "\(forms.errors)")
    #expect(folder.exists("d.stl") && folder.exists("d.glb") && !folder.exists("scan.ply"))
    let twice = try run(
      ["run", "two.json", "scan.obj", "-o", "e.glb", "-o", "e.glb"], in: folder)
    #expect(twice.status != 0 && twice.errors.contains("-o e.glb: error: it is given twice"))
    #expect(!twice.errors.contains("two outputs"), "\(twice.errors)")
    let mixed = try run(["run", "small", "scan.obj", "-o", "a.glb", "-o", "b/"], in: folder)
    #expect(mixed.status != 0 && mixed.errors.contains("folder"), "\(mixed.errors)")
  }

  @Test func `hints name options that end in the name, and take no scan for a value`() throws {
    let folder = try Self.folder()
    let unit = try run(["run", "scan.obj", "--unit", "mm", "-o", "a.glb"], in: folder)
    #expect(unit.status == 64 && unit.errors.contains("'--input-unit'"), "\(unit.errors)")
    let near = try run(["help", "decimat"], in: folder)
    #expect(near.status == 64 && near.errors.contains("did you mean 'decimate'?"))
  }

  @Test func `a mesh is not verified, and a report that is damaged is told as such`() throws {
    let folder = try Self.folder()
    let mesh = try run(["verify", "scan.obj"], in: folder)
    #expect(mesh.status == 65 && mesh.errors.contains("neither a frames bundle nor the report"))
    try folder.write(#"{ "outputs": [ }"#, to: "report.json")
    let damaged = try run(["verify", "report.json"], in: folder)
    #expect(damaged.status == 65)
    #expect(damaged.errors.contains("report.json:1:16"), "\(damaged.errors)")
  }

  @Test func `warnings of merged scans name each file once`() throws {
    let folder = try Self.folder()
    for name in ["Floor", "Door", "Wall"] {
      try folder.write("0 0 0\n1 0 0\n5 5\n", to: "\(name).xyz")
    }
    let outcome = try run(
      ["run", "--join", "Floor.xyz", "Door.xyz", "Wall.xyz", "-o", "a.ply"], in: folder)
    #expect(outcome.status == 0)
    for name in ["Floor", "Door", "Wall"] {
      #expect(outcome.errors.contains("warning: \(name).xyz:3:"), "\(outcome.errors)")
    }
  }

  @Test func `a gate that measured nothing does not pass`() throws {
    let outcome = try run(["info", "--gates", "scan.obj"])
    #expect(outcome.status == 65)
    #expect(outcome.errors.contains("'--gates' has no frames to measure"), "\(outcome.errors)")
    #expect(outcome.text.contains("area"))
  }

  @Test func `bounds have a unit`() throws {
    #expect(try run(["info", "scan.obj"]).text.contains("to (1.000, 0.000, 1.000) m\n"))
    let text = try run(["info", "scan.obj", "--input-unit", "ft"]).text
    #expect(text.contains("to (1.000, 0.000, 1.000) in the file's unit, 0.3048 m\n"), "\(text)")
  }

  @Test func `a terminal is not filled with a model`() throws {
    guard let terminal = CommandProcess.terminal else { return }
    let folder = try Self.folder()
    let call = "'\(CommandProcess.executable.path)' run scan.obj -o - --output-format glb"
    let refused = try CommandProcess.run(
      terminal, ["-qec", call, "/dev/null"], in: folder)
    #expect(refused.status == 64 && refused.text.contains("would fill the terminal"))
    let piped = try CommandProcess.run(
      terminal, ["-qec", call + " | cat", "/dev/null"], in: folder)
    #expect(piped.status == 0 && piped.text.contains("glTF"))
  }
}
