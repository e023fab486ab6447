import MeshPipeline

/// The verbs, in the order of the help page: parsing, help, completions and the manual page follow it.
enum CommandTable {
  static let summary = "chains post-processing stages over 3D scans and writes many formats"

  static let verbs: [Verb] = [
    run, check, plan, batch, batchStatus, batchReport, info, preview, stages, formats, schema,
    pipelines, pipelinesShow, pipelinesNew, plugins, pluginsList, pluginsCheck, pluginsNew, doctor,
    completions,
    help,
  ]

  static func verb(named name: String) throws(UsageError) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    let nearest = nearestName(to: name, in: verbs.map(\.name))
    if nearest == nil, name.contains(where: { $0 == "." || $0 == "/" }) {
      let call = fileExtension(of: name) == "json" ? "\(name) SCAN" : "PIPELINE \(name)"
      throw UsageError(
        "'\(name)' is not a verb; say what to do with it: 'meshpipe run \(call)', for instance")
    }
    throw UsageError("unknown verb '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  /// The verb that a call begins with, and what follows its name.
  ///
  /// A name may be of two words: `batch status`.
  static func call(
    _ words: ArraySlice<String>, among verbs: [Verb] = verbs
  ) throws(UsageError) -> (verb: Verb, rest: ArraySlice<String>) {
    var twoWords = words.prefix(2).joined(separator: " ")
    // The other order is as natural.
    if let swapped = ["new pipeline": "pipelines new", "new plugin": "plugins new"][twoWords] {
      twoWords = swapped
    }
    if words.count > 1, let verb = verbs.first(where: { $0.name == twoWords }) {
      return (verb, words.dropFirst(2))
    }
    return (try verb(named: words.first ?? ""), words.dropFirst())
  }

  /// What may stand right behind the command, each word once.
  static var firstWords: [String] {
    verbs.filter { $0.secondWord == nil }.map(\.name)
  }

  static let run = Verb(
    name: "run", summary: "run a scan through a pipeline",
    discussion: """
      Reads each INPUT, runs it through the stages of PIPELINE, and writes the pipeline's outputs. \
      An output appears complete or not at all, and a file that would not change is left untouched. \
      Existing outputs are replaced; an input never is.

      With -s no pipeline file is needed: the stages are given on the command line, and each -o is \
      an output. With a scan in the place of the pipeline it is only converted.

      'meshpipe run PIPELINE --help' also lists the variables that the pipeline declares.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a file (JSON), or the name of one; none with -s.",
        kind: .pipeline, isOptional: true),
      Operand(
        name: "INPUT", help: "The scans; '-' is standard input.", kind: .scan, repeats: true),
    ],
    forms: ["PIPELINE INPUT...", "INPUT... [-s STAGE]... -o OUTPUT..."],
    options: [
      .output, .stage, .variable, .variableFile, .set, .firstStage, .lastStage,
      .join, .inputFormat, .inputUp, .inputUnit, .frames,
      .framesConvention, .framesUp, .framesUnit, .forcePoses, .allowExternal, .requireConfinement,
      .outputFormat,
      .force, .noOverwrite, .touch, .ifChanged, .dependencies, .dependencyFile,
      .dependencyTarget,
      .report, .progress, .jobs, .keepGoing, .plugins, .noPlugins, .allowEnvironment,
      .allowNetwork, .allowReading, .strict, .quiet, .help,
    ],
    examples: [
      Example(
        line: "meshpipe run pipelines/blender.json scan.obj",
        purpose: "A scan for Blender; the outputs appear in the current folder."),
      Example(
        line: "meshpipe run pipelines/blender.json scan.obj -o models/ --var faces=10%",
        purpose: "The same into a folder, with fewer faces."),
      Example(
        line: "meshpipe run scan.obj -s 'filter-classification keep=floor,wall' "
          + "-s 'decimate target=20%' -o out.glb",
        purpose: "Two stages without a pipeline file."),
      Example(
        line: "meshpipe run scan.ply -o scan.glb -o scan.fbx", purpose: "Other formats only."),
      Example(
        line: "meshpipe run blender Floor.obj Walls.obj Table.obj --join -o room.glb",
        purpose: "A room that was exported in parts; classes come from the names of the files."),
      Example(
        line: "meshpipe run part.stl --input-unit mm --input-up z -o part.glb",
        purpose: "A scan in millimetres with Z up, at its true size."),
      Example(
        line: "curl -s https://example.com/scan.ply | meshpipe run - -s 'decimate target=20%' "
          + "-o - --output-format glb > scan.glb",
        purpose: "From a pipe into a pipe."),
      Example(
        line: "meshpipe run web.json scan.obj -o scan.glb --if-changed -MD -MF scan.d",
        purpose: "In a build: nothing is done twice, and make knows what it depends on."),
    ],
    perform: RunVerb.perform)

  static let check = Verb(
    name: "check", summary: "find the mistakes in a pipeline without running it",
    discussion: """
      Lists every mistake of the pipeline file at once, each with its line and column, and the \
      exit code is the one that 'run' would end with. With an INPUT it also checks that the scan \
      exists and that its format can bring what the stages need.

      With --format a file without mistakes is written anew in its normal form: keys in the order of the \
      documentation, two blanks a level, short objects in a line. Comments can't be kept, so a file \
      that has any is refused.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a file (JSON), or the name of one.", kind: .pipeline),
      Operand(
        name: "INPUT", help: "A scan that it is to run on.", kind: .scan, isOptional: true),
    ],
    options: [
      .variable, .variableFile, .set, .firstStage, .lastStage,
      .inputFormat, .frames, .framesConvention, .framesUp, .framesUnit,
      .forcePoses, .format, .plugins, .noPlugins, .strict, .quiet, .help,
    ],
    examples: [
      Example(line: "meshpipe check pipelines/web.json", purpose: "Silence when all is well."),
      Example(
        line: "meshpipe check pipelines/web.json scan.ply --strict",
        purpose: "Warnings count as errors."),
    ],
    perform: CheckVerb.perform)

  static let plan = Verb(
    name: "plan", summary: "tell what a run would do, and why",
    discussion: """
      Reads the scan, but writes nothing: shows each stage with the options that are in force, \
      whether it runs or is skipped and why, and the outputs with their paths and formats.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a file (JSON), or the name of one; none with -s.",
        kind: .pipeline, isOptional: true),
      Operand(name: "INPUT", help: "The scan.", kind: .scan),
    ],
    forms: ["PIPELINE INPUT", "INPUT [-s STAGE]... -o OUTPUT..."],
    options: [
      .output, .stage, .variable, .variableFile, .set, .firstStage, .lastStage,
      .inputFormat, .inputUp, .inputUnit, .frames,
      .framesConvention, .framesUp, .framesUnit, .forcePoses, .allowExternal, .requireConfinement,
      .outputFormat,
      .plugins, .noPlugins, .allowEnvironment, .allowNetwork, .allowReading, .json, .help,
    ],
    examples: [
      Example(
        line: "meshpipe plan pipelines/blender.json scan.obj --var faces=5000",
        purpose: "Before a long run.")
    ],
    perform: PlanVerb.perform)

  static let info = Verb(
    name: "info", summary: "tell what a scan, a model or a capture holds",
    discussion: """
      Shows format, meshes, vertices, faces and points, size in metres, area, classes with their \
      faces and areas, materials, textures, and how sound the mesh is: open borders, non-manifold \
      edges and separate components. Of a capture it shows frames, pictures, time, path, depth and \
      exposure, how the cameras fit the mesh and how much of it they see; --json lists every frame.
      """,
    operands: [
      Operand(
        name: "FILE", help: "The scans, models or captures; '-' is standard input.", kind: .scan,
        repeats: true)
    ],
    options: [
      .json, .inputFormat, .inputUp, .inputUnit, .frames, .framesConvention, .framesUp,
      .framesUnit, .allowExternal, .requireConfinement, .plugins, .noPlugins, .allowEnvironment,
      .allowNetwork, .allowReading, .help,
    ],
    examples: [
      Example(line: "meshpipe info scan.obj", purpose: "For people."),
      Example(line: "meshpipe info capture/", purpose: "A folder with frames, and its mesh."),
      Example(
        line: "meshpipe info --json scan.ply | jq .faces", purpose: "For programs."),
    ],
    perform: InfoVerb.perform)

  static let preview = Verb(
    name: "preview", summary: "render a picture of a scan or model",
    discussion: """
      Renders what a scan or model looks like, by ray tracing on the processor: textures, vertex \
      colours, coloured materials, classes, point clouds. The view is from above at an angle that \
      shows most; a scanned room is opened like a doll's house, as faces seen from behind are left \
      out. Front, left and right are those of the model, and up is the axis that its format or \
      --input-up says.

      Photographed colours get a touch of shading, all else is lit from above.

      With --compare a photograph of a capture stands beside the model as its camera would see it, \
      photographed colours just as they are stored. The model must be where the capture is: not centred, say.
      """,
    operands: [
      Operand(name: "FILE", help: "The scan or model; '-' is standard input.", kind: .scan)
    ],
    forms: ["FILE -o PICTURE"],
    options: [
      .picture, .view, .size, .turntable, .shading, .colors, .sides, .background, .compare, .frame,
      .difference, .framesConvention, .framesUp, .framesUnit, .inputFormat, .inputUp, .inputUnit,
      .allowExternal, .requireConfinement, .force, .noOverwrite, .jobs, .plugins, .noPlugins,
      .allowEnvironment,
      .allowNetwork, .allowReading, .help,
    ],
    examples: [
      Example(
        line: "meshpipe preview scan.glb -o scan.png", purpose: "The whole model at a glance."),
      Example(
        line: "meshpipe preview scan.ply -o top.jpg --view top --size 2000x2000",
        purpose: "From above, in a size of your own."),
      Example(
        line: "meshpipe preview scan.glb -o round.png --turntable 36",
        purpose: "Once round in steps of ten degrees: round-000.png to round-035.png."),
      Example(
        line: "meshpipe preview textured.glb --compare capture/ --frame 2 -o compared.jpg",
        purpose: "How well a texture fits the frames that it was baked from."),
    ],
    perform: PreviewVerb.perform)

  static let stages = Verb(
    name: "stages", summary: "list the stages, or explain one",
    operands: [
      Operand(
        name: "NAME", help: "The stage to explain, with its options.", kind: .stage,
        isOptional: true)
    ],
    options: [.plugins, .noPlugins, .json, .help],
    examples: [
      Example(line: "meshpipe stages", purpose: "All stages in a line each."),
      Example(line: "meshpipe stages decimate", purpose: "One stage with options and an example."),
    ],
    perform: StagesVerb.perform)

  static let formats = Verb(
    name: "formats", summary: "list the file formats and what each keeps",
    options: [.plugins, .noPlugins, .json, .help],
    examples: [
      Example(line: "meshpipe formats", purpose: "Formats by id, as -o and pipelines use.")
    ],
    perform: FormatsVerb.perform)

  static let schema = Verb(
    name: "schema", summary: "print the JSON Schema of pipeline files",
    discussion: """
      The schema (draft 2020-12) lets an editor complete and check pipeline files as they are \
      typed; name it in a file's "$schema".
      """,
    options: [.withPlugins, .plugins, .json, .help],
    examples: [
      Example(line: "meshpipe schema > pipeline.schema.json", purpose: "For your editor.")
    ],
    perform: SchemaVerb.perform)

  static let completions = Verb(
    name: "completions", summary: "print a completion script for a shell",
    operands: [
      Operand(
        name: "SHELL", help: "bash, zsh or fish.",
        kind: .choice(CompletionShell.allCases.map(\.rawValue)))
    ],
    options: [.help],
    examples: [
      Example(line: "source <(meshpipe completions bash)", purpose: "In ~/.bashrc."),
      Example(
        line: "meshpipe completions zsh > ~/.zsh/completions/_meshpipe",
        purpose: "In a folder of zsh's fpath."),
      Example(
        line: "meshpipe completions fish > ~/.config/fish/completions/meshpipe.fish",
        purpose: "For fish."),
    ],
    perform: CompletionsVerb.perform)

  static let help = Verb(
    name: "help", summary: "show the help page of a verb",
    operands: [
      Operand(
        name: "VERB", help: "The verb to explain.", kind: .verb, isOptional: true, repeats: true)
    ],
    options: [.help],
    examples: [Example(line: "meshpipe help run", purpose: "The same as 'meshpipe run --help'.")],
    perform: HelpVerb.perform)
}
