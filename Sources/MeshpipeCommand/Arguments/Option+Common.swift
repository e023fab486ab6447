import MeshPipeline

/// The options of all verbs, each declared once.
extension Option {
  static let help = Option("--help", "-h", help: "Show this page.")
  static let health = Option(
    "--health", in: .output,
    help: "Also show defects of the meshes: open borders, self-intersections, thin walls and more.")
  static let gates = Option(
    "--gates", in: .output, value: .text("PRESET"), isValueOptional: true,
    help:
      "Also check whether a capture is good enough: sharpness, exposure, tracking, motion, depth and fit; with a preset of 'check-capture' (scan, static, occlusion) or a JSON file of limits, by that."
  )
  static let json = Option("--json", in: .output, help: "Print JSON instead of text.")
  static let quiet = Option(
    "--quiet", "-q", in: .reporting, help: "Print only warnings and errors, also on a terminal.")

  // Input.

  static let inputFormat = Option(
    "--input-format", in: .input, value: .format("ID", .reading),
    help: "Read the input as this format, whatever its extension; see 'meshpipe formats'.")
  static let inputUp = Option(
    "--input-up", in: .input, value: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help: "The up axis of an input that doesn't specify it (OBJ, PLY, STL); default y.")
  private static let units = ["mm", "cm", "dm", "m", "km", "in", "ft", "usft"]
  static let inputUnit = Option(
    "--input-unit", in: .input, value: .choice("UNIT", units),
    help: "The unit of an input that doesn't specify it (OBJ, PLY, STL); default m.")
  static let inputClasses = Option(
    "--input-classes", in: .input, value: .text("SCHEME"),
    help:
      "What numbers of classes without names stand for: 'arkit', 'asprs' (LAS), 'none', or a JSON file of names by number."
  )
  static let join = Option(
    "--join", in: .input,
    help: "Merge all inputs into one model; outputs are named after the first.")
  static let otherInput = Option(
    "--input", in: .input, value: .text("ID=FILE"), repeats: true,
    help:
      "A further scan that stages refer to by its id, such as the heavy model of 'bake-maps from=ID'."
  )
  static let frames = Option(
    "--frames", in: .frames, value: .file("PATH"),
    help:
      "The capture with the scan's frames: a folder, or a file in it; 'none' ignores frames. "
      + "Default: a capture in the scan's own folder.")
  static let room = Option(
    "--room", in: .frames, value: .file("FILE"),
    help:
      "The scan's room, as exported by RoomPlan; 'none' ignores it. Default: room.json, CapturedRoom.json or another "
      + "such file in the scan's own folder.")
  static let mesh = Option(
    "--mesh", in: .frames, value: .text("NAME"),
    help:
      "The file of the capture's mesh, if it has several: 'export.obj'. Default: the one on which most of the measured "
      + "depths lie.")
  static let framesConvention = Option(
    "--frames-convention", in: .frames, value: .text("WORDS"),
    help:
      "The convention of the frames' poses, overriding their layout: 'gl' or 'cv' axes, 'rows' or "
      + "'columns', 'c2w' or 'w2c', separated by commas.")
  static let framesUp = Option(
    "--frames-up", in: .frames, value: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help:
      "The up axis of the frames' poses, overriding their layout. If neither specifies it, the mesh's, "
      + "y or z, whichever fits.")
  static let framesUnit = Option(
    "--frames-unit", in: .frames,
    value: .choice("UNIT", units),
    help:
      "The unit of the frames' poses, overriding their layout. If neither specifies it, the mesh's or m, "
      + "whichever fits.")
  static let masks = Option(
    "--masks", in: .frames, value: .choice("USE", ["use", "ignore"]),
    help:
      "'ignore' uses the frames' images and depth maps whole, even what masks beside them or their own opacity hide."
  )
  static let forcePoses = Option(
    "--force-poses", in: .frames,
    help: "Use frames even if they don't fit the mesh, with a warning instead of an error.")
  static let allowExternal = Option(
    "--allow-external", in: .input, help: "Let the scan refer to files outside its own folder.")

  static let requireConfinement = Option(
    "--require-confinement", in: .input,
    help: "Refuse formats read and written by Assimp where it can't be confined.")

  // The pipeline.

  static let stage = Option(
    "--stage", "-s", in: .pipeline, value: .named("STAGE", .stage), repeats: true,
    help: "A stage with its options, 'decimate target=20%', instead of a pipeline file.")
  static let variable = Option(
    "--var", in: .pipeline, value: .named("NAME=VALUE", .variable), repeats: true,
    help: "Set a variable that the pipeline declares.")
  static let variableFile = Option(
    "--var-file", in: .pipeline, value: .file("FILE"), repeats: true,
    help: "Set variables from a JSON file, { \"name\": value }; --var takes precedence.")
  static let set = Option(
    "--set", in: .pipeline, value: .named("STAGE.OPTION=VALUE", .setting), repeats: true,
    help:
      "Set an option of the stage with this id or name, or of outputs with FORMAT.OPTION=VALUE; OPTION=VALUE if only one stage has that option, or only outputs."
  )
  static let level = Option(
    "--level", in: .pipeline, value: .named("LEVEL", .level), repeats: true,
    help: "Run only this of the pipeline's levels, even if it is disabled.")
  static let firstStage = Option(
    "--from", in: .pipeline, value: .named("STAGE", .stageID),
    help: "Skip the stages before the one with this id.")
  static let lastStage = Option(
    "--to", in: .pipeline, value: .named("STAGE", .stageID),
    help: "Skip the stages after the one with this id.")
  static let format = Option(
    "--format", in: .pipeline, help: "Rewrite the pipeline in its normal form.")
  static let strict = Option("--strict", in: .running, help: "Treat warnings as errors.")

  // Output.

  static let output = Option(
    "--output", "-o", in: .output, value: .file("PATH"), repeats: true,
    help:
      "A folder for the outputs, or a file for the one with that extension, several of them for several formats; "
      + "'-' is standard output."
  )
  static let outputFormat = Option(
    "--output-format", in: .output, value: .format("ID", .writing),
    help: "Write this format, whatever the output's extension; required with '-o -'.")
  static let force = Option(
    "--force", "-f", in: .output, help: "Also replace read-only outputs.")
  static let noOverwrite = Option(
    "--no-overwrite", in: .output, help: "Refuse to replace existing files.")
  static let touch = Option(
    "--touch", in: .output,
    help: "Update the time of outputs even if their bytes don't change.")
  static let report = Option(
    "--report", in: .reporting, value: .file("FILE"),
    help:
      "Write a record of the run as JSON, stage by stage; '-' is standard output. Its peakMemoryBytes is "
      + "the peak of the run. To measure each step, the system's own counter is reset on Linux, so "
      + "that 'time' and batch systems show the peak of the last step.")

  // Running.

  static let jobs = Option(
    "--jobs", "-j", in: .running, value: .integer("N", 1...4096),
    help: "Use at most this many threads.")
  static let progress = Option(
    "--progress", in: .reporting, value: .choice("HOW", ["auto", "bar", "json", "none"]),
    help: "Show progress on standard error; auto is a bar on a terminal and nothing elsewhere.")
  static let keepGoing = Option(
    "--keep-going", "-k", in: .running, help: "Continue with the next input when one fails.")

  // Builds.

  static let ifChanged = Option(
    "--if-changed", in: .running,
    help: "Do nothing if inputs, pipeline and outputs are unchanged since the last run.")
  static let dependencies = Option(
    "-MD", in: .builds, help: "Write a dependency file for make or ninja, OUTPUT.d.")
  static let dependencyFile = Option(
    "-MF", in: .builds, value: .file("FILE"), help: "Write the dependency file here instead.")
  static let dependencyTarget = Option(
    "-MT", in: .builds, value: .file("TARGET"), repeats: true,
    help: "Use this target in the dependency file instead of the outputs.")
}

extension Option {
  /// The options of 'run', in the order of the help page.
  static let ofRun: [Option] = [
    .output, .stage, .variable, .variableFile, .set, .level, .firstStage, .lastStage,
    .join, .otherInput, .inputFormat, .inputUp, .inputUnit, .inputClasses, .frames, .room,
    .mesh, .framesConvention, .framesUp, .framesUnit, .masks, .forcePoses, .allowExternal,
    .requireConfinement,
    .outputFormat,
    .force, .noOverwrite, .touch, .upload, .uploadRetries, .uploadStall, .ifChanged, .dependencies,
    .dependencyFile,
    .dependencyTarget,
    .report, .progress, .jobs, .keepGoing, .plugins, .noPlugins, .allowEnvironment,
    .allowNetwork, .allowReading, .strict, .quiet, .help,
  ]
}
