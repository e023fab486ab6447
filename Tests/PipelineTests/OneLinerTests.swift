import MeshPipeline
import Testing

@Suite struct OneLinerTests {
  private func resolve(_ stages: [String], outputs: [String] = ["out.full"]) -> PipelineResolution {
    PipelineDocument(stages: stages, outputs: outputs)
      .resolve(in: TestKit.environment, for: PipelineRequest(input: "scan.tri"))
  }

  @Test func `texts become typed options and keys of the engine`() throws {
    let pipeline = try resolve([
      "pick keep=floor,wall id=kept when='classification and faces > 10'",
      "thin target=20% preserve=borders,seams maxError=5mm ranks=1,2 onError=skip in=kept,input",
    ]).get()
    #expect(pipeline.stages.map(\.id) == ["kept", "thin"])
    #expect(pipeline.stages[0].when?.text == "classification and faces > 10")
    #expect(pipeline.stages[1].inputs == [.stage(0), .input])
    #expect(pipeline.stages[1].onError == .skip)
    let thin = try #require(pipeline.stages[1].stage as? Thin)
    #expect(thin.parameters.target == .fraction(0.2))
    #expect(thin.parameters.preserve == [.borders, .seams])
    #expect(thin.parameters.maxError == .length(Length(meters: 0.005)))
    #expect(thin.parameters.ranks == [1, 2])
    #expect(pipeline.outputs.map(\.path) == ["out.full"])
  }

  @Test func `mistakes name the argument`() {
    let messages = resolve(
      [
        "thin targt=20%", "pick keep='floor", "thinn", "target=3 thin", "thin target=x when=framse",
      ],
      outputs: ["out.ful"]
    ).diagnostics.map(\.description)
    #expect(
      messages == [
        "-s 'pick keep='\\''floor': error: a quote is not closed",
        "-s 'target=3 thin': error: expected the name of a stage, then options as name=value",
        "-s 'thin targt=20%': error: unknown option 'targt' of stage 'thin'; did you mean 'target'?",
        "-s 'thin targt=20%': error: stage 'thin' needs the option 'target': Faces to keep.",
        "-s thinn: error: unknown stage 'thinn'; did you mean 'thin'?",
        "-s 'thin target=x when=framse': error: unknown name 'framse'; did you mean 'frames'?",
        "-s 'thin target=x when=framse': error: 'target' of stage 'thin': expected a count like 50000 or a share like \"20%\", found the string 'x'",
        "-o out.ful: error: no format writes '.ful'; did you mean '.full'?",
      ])
  }

  @Test(arguments: [
    ("tint=1,2", "three numbers like 255,0,0, found 2 values"),
    ("tint=red", "three numbers like 255,0,0, found the string 'red'"),
    ("tint=7", "three numbers like 255,0,0, found 1 value"),
    ("along=1,2,3,4", "three numbers like 0,1,0, found 4 values"),
    ("place=[]", "three lengths like 0,5cm,1.5, found 0 values"),
  ])
  func `an example is as one types it, and in range`(option: String, message: String) {
    let name = option.prefix { $0 != "=" }
    #expect(
      resolve(["thin target=20% \(option)"]).diagnostics.map(\.description) == [
        "-s 'thin target=20% \(option)': error: '\(name)' of stage 'thin': expected \(message)"
      ])
  }

  @Test func `an example in a file is as one writes it there`() {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "stages": [
          { "use": "thin", "with": { "target": 5, "tint": [1, 2], "place": ["1cm"], "along": "x" } }
        ], "outputs": [{ "path": "a.full" }] }
        """, file: "x.json")
    let request = PipelineRequest(input: "scan.tri")
    #expect(
      document.resolve(in: TestKit.environment, for: request).diagnostics.map(\.message) == [
        "'tint' of stage 'thin': expected three numbers like [255, 0, 0], found 2 values",
        "'place' of stage 'thin': expected three lengths like [0, \"5cm\", 1.5], found 1 value",
        "'along' of stage 'thin': expected three numbers like [0, 1, 0], found the string 'x'",
      ])
  }

  @Test func `a pipeline without stages converts`() throws {
    let pipeline = try resolve([], outputs: ["a.full", "b.tri"]).get()
    #expect(pipeline.stages.isEmpty)
    #expect(pipeline.outputs.map(\.from) == [.input, .input])
  }

  @Test func `a folder alone is no output of stages`() {
    #expect(
      resolve(["strip"], outputs: ["models/"]).diagnostics.map(\.description) == [
        "-o models/: error: a folder does not specify a name and a format; give for example "
          + "'models/${stem}.tri'"
      ])
  }

  @Test func `without an output there is nothing to do`() {
    let resolution = resolve(["strip"], outputs: [])
    #expect(
      resolution.diagnostics.map(\.description)
        == ["error: the pipeline has no outputs; give one with -o FILE"])
    #expect(InvalidPipeline(resolution.diagnostics).exitCode == .usage)
  }

  @Test(arguments: [
    ("models/", ["models/scan.full", "models/b/c.tri", "models/d.full"]),
    ("models", ["models/scan.full", "models/b/c.tri", "models/d.full"]),
  ])
  func `outputs go into a folder`(folder: String, paths: [String]) throws {
    let document = PipelineDocument(
      parsing: """
        { "meshpipe": 1, "outputs": [ { "path": "${dir}/${stem}.full" }, { "path": "b/c.tri" },
          { "path": "/somewhere/d.full" } ] }
        """, file: "x.json")
    let request = PipelineRequest(input: "scans/scan.tri", output: folder)
    let pipeline = try document.resolve(in: TestKit.environment, for: request).get()
    #expect(pipeline.outputs.map(\.path) == paths)
  }

  @Test(arguments: [("model.tri", "tri"), ("model.full", "full")])
  func `a single output takes another name and format`(path: String, format: String) throws {
    let document = PipelineDocument(
      parsing: #"{ "meshpipe": 1, "outputs": [ { "path": "x.dat", "format": "full" } ] }"#,
      file: "x.json")
    let request = PipelineRequest(input: "scan.tri", output: path)
    let output = try document.resolve(in: TestKit.environment, for: request).get().outputs[0]
    #expect(output.path == path)
    #expect(output.format.id == format)
  }
}
