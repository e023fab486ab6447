import MeshPipeline

/// The verbs, in the order of the help page: the source of parsing, help, completions and the manual page.
enum CommandTable {
  static let summary = "chains post-processing stages over 3D scans and writes many formats"

  static let verbs: [Verb] = [
    run, check, plan, batch, batchStatus, batchReport, info, preview, compare, provenance, verify,
    stages,
    formats,
    schema,
    pipelines, pipelinesShow, pipelinesNew, cacheList, cachePrune, cacheVerify, plugins,
    pluginsList, pluginsCheck, pluginsNew, doctor,
    completions,
    help,
  ]

  static func verb(named name: String) throws(UsageError) -> Verb {
    if let verb = verbs.first(where: { $0.name == name }) { return verb }
    let words = verbs.map(\.name).filter { $0.hasPrefix(name + " ") }
      .map { "'\($0.dropFirst(name.count + 1))'" }
    guard words.isEmpty else {
      throw UsageError("'\(name)' is followed by one of \(words.joined(separator: ", "))")
    }
    let nearest = nearestName(to: name, in: verbs.map(\.name))
    if nearest == nil, name.contains(where: { $0 == "." || $0 == "/" }) {
      let call = fileExtension(of: name) == "json" ? "\(name) SCAN" : "PIPELINE \(name)"
      throw UsageError(
        "'\(name)' is not a verb; say what to do with it, for example: 'meshpipe run \(call)'")
    }
    throw UsageError("unknown verb '\(name)'" + (nearest.map { "; did you mean '\($0)'?" } ?? ""))
  }

  /// The verb that a call begins with, and the words after its name.
  ///
  /// A name may consist of two words: `batch status`.
  static func call(
    _ words: ArraySlice<String>, among verbs: [Verb] = verbs, stages: [String] = []
  ) throws(UsageError) -> (verb: Verb, rest: ArraySlice<String>) {
    var twoWords = words.prefix(2).joined(separator: " ")
    // The reverse order is just as natural.
    if let swapped = ["new pipeline": "pipelines new", "new plugin": "plugins new"][twoWords] {
      twoWords = swapped
    }
    if words.count > 1, let verb = verbs.first(where: { $0.name == twoWords }) {
      return (verb, words.dropFirst(2))
    }
    let first = words.first ?? ""
    if !verbs.contains(where: { $0.name == first }), let meant = runMeant(by: words, stages) {
      throw UsageError("unknown verb '\(first)'; did you mean 'meshpipe run \(meant)'?")
    }
    return (try verb(named: first), words.dropFirst())
  }

  /// Words for a conversion, for which there is no verb of its own.
  private static let conversions: Set = ["convert", "export", "translate"]

  /// The arguments of `run` that a call without a verb may have meant: a pipeline or a stage by its name, or a
  /// conversion.
  private static func runMeant(by words: ArraySlice<String>, _ stages: [String]) -> String? {
    guard let first = words.first else { return nil }
    if PipelineLibrary.standard().has(first) {
      return words.count > 1 ? words.joined(separator: " ") : "\(first) SCAN"
    }
    let files = words.dropFirst().filter { !$0.hasPrefix("-") }
    if conversions.contains(first) {
      return "\(files.first ?? "SCAN") -o \(files.dropFirst().first ?? "OUTPUT")"
    }
    guard stages.contains(first) else { return nil }
    return "\(files.first ?? "SCAN") -s \(first) -o OUTPUT"
  }

  /// The second words of verbs whose name begins with another's.
  static func followers(of verb: Verb) -> [String] {
    verbs.filter { $0.firstWord == verb.name }.compactMap(\.secondWord)
  }

  /// The words that may directly follow the command, each once.
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
      an output. Without a pipeline and -s the scan is only converted.

      'meshpipe run PIPELINE --help' also lists the pipeline's variables.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a JSON file, or the name of one; omitted with -s.",
        kind: .pipeline, isOptional: true),
      Operand(
        name: "INPUT", help: "The scans; '-' is standard input.", kind: .scan, repeats: true),
    ],
    forms: ["PIPELINE INPUT...", "INPUT... [-s STAGE]... -o OUTPUT..."],
    options: Option.ofRun,
    examples: [
      Example(
        line: "meshpipe run pipelines/blender.json scan.obj",
        purpose: "A scan for Blender; the outputs go to the current folder."),
      Example(
        line: "meshpipe run pipelines/blender.json scan.obj -o models/ --var faces=10%",
        purpose: "The same into another folder, with fewer faces."),
      Example(
        line: "meshpipe run scan.obj -s 'filter-classification keep=floor,wall' "
          + "-s 'decimate faces=20%' -o out.glb",
        purpose: "Two stages without a pipeline file."),
      Example(
        line: "meshpipe run scan.ply -o scan.glb -o scan.fbx", purpose: "Format conversion only."),
      Example(
        line: "meshpipe run blender scan.obj -o scan.glb -o scan.usdz",
        purpose: "One run, several formats."),
      Example(
        line: "meshpipe run blender Floor.obj Walls.obj Table.obj --join -o room.glb",
        purpose: "A room exported in parts; classes are taken from the file names."),
      Example(
        line: "meshpipe run blender kitchen.obj hall.obj --join=aligned -o flat.glb",
        purpose: "Scans of several sessions, each brought to where it fits the others."),
      Example(
        line: "meshpipe run part.stl --input-unit mm --input-up z -o part.glb",
        purpose: "A scan in millimetres with Z up, at true scale."),
      Example(
        line: "curl -s https://example.com/scan.ply | meshpipe run - -s 'decimate faces=20%' "
          + "-o - --output-format glb > scan.glb",
        purpose: "From a pipe to a pipe."),
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
      exists and that its format can hold what the stages need.

      With --format a file without mistakes is rewritten in its normal form: keys in the order of the \
      documentation, two spaces per level, short objects on one line. Comments can't be kept, so a file \
      with comments is refused.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a JSON file, or the name of one.", kind: .pipeline),
      Operand(
        name: "INPUT", help: "A scan to check it against.", kind: .scan, isOptional: true),
    ],
    options: Option.ordered(
      Option.settings(in: .pipeline), [.otherInput, .setting(\.$inputFormat)],
      Option.settings(in: .frames), [.format],
      Option.settings(\.$pluginFolders, \.$usesNoPlugins, \.$warningsAreErrors), [.quiet, .help]),
    examples: [
      Example(
        line: "meshpipe check pipelines/web.json",
        purpose: "Prints nothing when there are no mistakes."),
      Example(
        line: "meshpipe check pipelines/web.json scan.ply --strict",
        purpose: "The same for a scan, with warnings as errors."),
    ],
    perform: CheckVerb.perform)

  static let plan = Verb(
    name: "plan", summary: "show what a run would do, and why",
    discussion: """
      Reads the scan, but writes nothing: shows each stage with its effective options, \
      whether it runs or is skipped and why, and the outputs with their paths and formats.
      """,
    operands: [
      Operand(
        name: "PIPELINE", help: "The pipeline: a JSON file, or the name of one; omitted with -s.",
        kind: .pipeline, isOptional: true),
      Operand(name: "INPUT", help: "The scan.", kind: .scan),
    ],
    forms: ["PIPELINE INPUT", "INPUT [-s STAGE]... -o OUTPUT..."],
    options: Option.ordered(
      [.output, .stage], Option.settings(in: .pipeline), [.otherInput],
      Option.settings(in: .input, .frames), [.setting(\.$outputFormat)],
      Option.settings(in: .cache), Option.settings(in: .plugins), [.json, .help]),
    examples: [
      Example(
        line: "meshpipe plan pipelines/blender.json scan.obj --var faces=5000",
        purpose: "Before a long run.")
    ],
    perform: PlanVerb.perform)

  static let info = Verb(
    name: "info", summary: "show what a scan, model, capture or pipeline contains",
    discussion: """
      Shows format, meshes, vertices, faces and points, size in metres, area, volume if the mesh is watertight, classes with their \
      faces and areas, materials, textures, and the soundness of the mesh: open borders, non-manifold \
      edges and separate components. For a capture it shows frames, images, time, path, depth and \
      exposure, how the cameras fit the mesh and how much of it they see; --json lists every frame. With --gates, a capture \
      that is not good enough ends with 65, and so does a scan without frames. Of a pipeline it shows the variables with \
      their defaults, the levels, the stages, and the outputs with their limits.

      With --measures rooms are found as by the stage 'detect-rooms', or taken from a file of RoomPlan: their areas, volumes and \
      heights, lengths and areas of walls, and the sizes of doors and windows, storey by storey. If there is no plan, it says why. \
      Numbers behind ± are half of the interval that holds the truth with 95 % probability.
      """,
    operands: [
      Operand(
        name: "FILE", help: "The scans, models, captures or pipelines; '-' is standard input.",
        kind: .scan,
        repeats: true)
    ],
    options: Option.ordered(
      [.health, .measures, .gates, .json, .join],
      Option.settings(
        \.$inputFormat, \.$inputUp, \.$inputUnit, \.$inputClasses, \.$frames, \.$mesh,
        \.$framesConvention, \.$framesUp, \.$framesUnit, \.$masks, \.$allowsExternalFiles,
        \.$requiresConfinement),
      Option.settings(in: .plugins), [.help]),
    examples: [
      Example(line: "meshpipe info scan.obj", purpose: "For people."),
      Example(
        line: "meshpipe info --join Floor.obj Walls.obj", purpose: "Several files as one scan."),
      Example(line: "meshpipe info --health scan.obj", purpose: "What a slicer would mend."),
      Example(
        line: "meshpipe info --measures scan.obj", purpose: "The sizes of rooms, walls and doors."),
      Example(line: "meshpipe info capture/", purpose: "A folder with frames, and its mesh."),
      Example(
        line: "meshpipe info --gates capture/", purpose: "Whether a capture is good enough."),
      Example(
        line: "meshpipe info --json scan.ply | jq .faces", purpose: "For programs."),
    ],
    perform: InfoVerb.perform)

  static let verify = Verb(
    name: "verify", summary: "compare files with their recorded hashes, and check signatures",
    discussion: """
      Reads every file that is listed with a SHA-256, by the manifest.sha256.json of a frames bundle or as an output in \
      the report of a run or batch (--report), and names those that are missing or are not the file that was hashed. \
      Then the exit code is 65.

      With --signature a program checks the signature of each file that is named, of the list of a bundle, or of every \
      output in a report; see 'run --sign'.
      """,
    operands: [
      Operand(
        name: "PATH",
        help:
          "A bundle's folder or archive, the report of a run or batch, or with --signature any file.",
        kind: .file, repeats: true)
    ],
    options: [.signature, .json, .help],
    examples: [
      Example(line: "meshpipe verify capture/", purpose: "The files of a frames bundle."),
      Example(line: "meshpipe verify report.json", purpose: "The outputs of a run."),
    ],
    perform: VerifyVerb.perform)

  static let preview = Verb(
    name: "preview", summary: "render an image of a scan or model",
    discussion: """
      Renders a scan or model by ray tracing on the CPU: textures, vertex \
      colours, coloured materials, classes, point clouds. The view is from above at the angle that \
      shows most; a scanned room is opened like a doll's house, by culling \
      back faces. Front, left and right are those of the model, and up is the axis given by its format or \
      --input-up.

      Photographed colours get slight shading, everything else is lit from above.

      With --compare a photograph of a capture is shown next to the model as its camera would see it, \
      with photographed colours as stored. The model must be in the capture's coordinates: not centred, for example.

      With --orthographic equal lengths are equally long anywhere in the image, and a bar shows the scale. With --scale 1:50 \
      as well, a print at the resolution that is written into the file is 50 times smaller than the scan.
      """,
    operands: [
      Operand(name: "FILE", help: "The scan or model; '-' is standard input.", kind: .scan)
    ],
    forms: ["FILE -o IMAGE"],
    options: Option.ordered(
      [
        .picture, .html, .view, .size, .orthographic, .scale, .dotsPerInch, .turntable, .shading,
        .colors, .sides, .edges, .background, .compare, .frame, .difference, .reportFaces,
      ],
      Option.settings(
        \.$mesh, \.$framesConvention, \.$framesUp, \.$framesUnit, \.$masks, \.$inputFormat,
        \.$inputUp, \.$inputUnit, \.$inputClasses, \.$allowsExternalFiles, \.$requiresConfinement,
        \.$replacesReadOnly, \.$keepsExisting),
      [.jobs], Option.settings(in: .plugins), [.help]),
    examples: [
      Example(
        line: "meshpipe preview scan.glb -o scan.png", purpose: "The whole model at a glance."),
      Example(
        line: "meshpipe preview scan.ply -o top.jpg --view top --size 2000x2000",
        purpose: "From above, in a given size."),
      Example(
        line: "meshpipe preview scan.obj -o plan.png --scale 1:50",
        purpose: "From above, to be printed at 1:50."),
      Example(
        line: "meshpipe preview scan.glb -o round.png --turntable 36",
        purpose: "All around in steps of ten degrees: round-000.png to round-035.png."),
      Example(
        line: "meshpipe preview scan.glb -o scan.html",
        purpose: "A page to turn and measure the model in, that can be sent to anyone."),
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
    options: Option.ordered(Option.settings(\.$pluginFolders, \.$usesNoPlugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe stages", purpose: "All stages, one line each."),
      Example(line: "meshpipe stages decimate", purpose: "One stage with options and an example."),
    ],
    perform: StagesVerb.perform)

  static let formats = Verb(
    name: "formats", summary: "list the file formats and what each keeps",
    options: Option.ordered(Option.settings(\.$pluginFolders, \.$usesNoPlugins), [.json, .help]),
    examples: [
      Example(line: "meshpipe formats", purpose: "Formats by id, as used by -o and pipelines.")
    ],
    perform: FormatsVerb.perform)

  static let schema = Verb(
    name: "schema", summary: "print the JSON Schema of pipeline files",
    discussion: """
      The schema (draft 2020-12) lets an editor complete and check pipeline files while \
      typing; refer to it in a file's "$schema".
      """,
    options: [.withPlugins, .setting(\.$pluginFolders), .json, .help],
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
    name: "help", summary: "show the help page of a verb, a stage or a pipeline",
    operands: [
      Operand(
        name: "VERB", help: "The verb, stage or pipeline to explain.", kind: .verb,
        isOptional: true, repeats: true)
    ],
    options: [.help],
    examples: [
      Example(line: "meshpipe help run", purpose: "The same as 'meshpipe run --help'."),
      Example(line: "meshpipe help decimate", purpose: "The same as 'meshpipe stages decimate'."),
    ],
    perform: HelpVerb.perform)
}
