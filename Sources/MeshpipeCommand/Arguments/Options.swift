import MeshPipeline

/// The options of all verbs, each declared once.
extension Option {
  static let help = Option("--help", "-h", help: "Show this page.")
  static let json = Option("--json", in: .output, help: "Print JSON instead of text.")
  static let quiet = Option(
    "--quiet", "-q", in: .reporting, help: "Print warnings and errors only, on a terminal too.")

  // What goes in.

  static let inputFormat = Option(
    "--input-format", in: .input, value: .format("ID", .reading),
    help: "Read the input as this format whatever its name says; see 'meshpipe formats'.")
  static let inputUp = Option(
    "--input-up", in: .input, value: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help: "The axis that points up in an input that doesn't say it (OBJ, PLY, STL); y when absent.")
  static let inputUnit = Option(
    "--input-unit", in: .input, value: .choice("UNIT", ["mm", "cm", "dm", "m", "km", "in", "ft"]),
    help: "The unit of the numbers in an input that doesn't say it (OBJ, PLY, STL); m when absent.")
  static let join = Option(
    "--join", in: .input, help: "Make one model of all inputs; outputs are named after the first.")
  static let frames = Option(
    "--frames", in: .frames, value: .file("PATH"),
    help:
      "The capture whose frames belong to the scan: a folder, or a file in it; 'none' leaves them out. "
      + "When absent, a capture in the scan's own folder.")
  static let framesConvention = Option(
    "--frames-convention", in: .frames, value: .text("WORDS"),
    help:
      "How the frames' poses are meant, whatever their layout says: 'gl' or 'cv' axes, 'rows' or "
      + "'columns', 'c2w' or 'w2c', with commas between.")
  static let framesUp = Option(
    "--frames-up", in: .frames, value: .choice("AXIS", SignedAxis.allCases.map(\.rawValue)),
    help:
      "The axis that points up in the frames' poses, whatever their layout says; when absent and it "
      + "says nothing, that of the mesh, y or z, as fits.")
  static let framesUnit = Option(
    "--frames-unit", in: .frames,
    value: .choice("UNIT", ["mm", "cm", "dm", "m", "km", "in", "ft"]),
    help:
      "The unit of the frames' poses, whatever their layout says; when absent and it says nothing, "
      + "that of the mesh or m, as fits.")
  static let forcePoses = Option(
    "--force-poses", in: .frames,
    help: "Use frames that don't fit the mesh all the same, with a warning in place of an error.")
  static let allowExternal = Option(
    "--allow-external", in: .input, help: "Let the scan refer to files outside its own folder.")

  static let requireConfinement = Option(
    "--require-confinement", in: .input,
    help: "Refuse formats that Assimp reads and writes where nothing confines it.")

  // The pipeline.

  static let stage = Option(
    "--stage", "-s", in: .pipeline, value: .named("STAGE", .stage), repeats: true,
    help: "A stage with its options, 'decimate target=20%', instead of a pipeline file.")
  static let variable = Option(
    "--var", in: .pipeline, value: .named("NAME=VALUE", .variable), repeats: true,
    help: "Set a variable that the pipeline declares.")
  static let variableFile = Option(
    "--var-file", in: .pipeline, value: .file("FILE"), repeats: true,
    help: "Set variables to the values in a JSON file, { \"name\": value }; --var comes before it.")
  static let set = Option(
    "--set", in: .pipeline, value: .named("STAGE.OPTION=VALUE", .setting), repeats: true,
    help:
      "Set an option of the stage with this id or name; OPTION=VALUE where only one stage has that option."
  )
  static let firstStage = Option(
    "--from", in: .pipeline, value: .named("STAGE", .stageID),
    help: "Pass over the stages before the one with this id.")
  static let lastStage = Option(
    "--to", in: .pipeline, value: .named("STAGE", .stageID),
    help: "Pass over the stages behind the one with this id.")
  static let format = Option(
    "--format", in: .pipeline, help: "Write the pipeline anew in its normal form.")
  static let strict = Option("--strict", in: .running, help: "Take warnings for errors.")

  // What comes out.

  static let output = Option(
    "--output", "-o", in: .output, value: .file("PATH"), repeats: true,
    help:
      "A folder for the outputs, or a file for the one with that extension; '-' is standard output."
  )
  static let outputFormat = Option(
    "--output-format", in: .output, value: .format("ID", .writing),
    help: "Write this format whatever the output's name says; needed by '-o -'.")
  static let force = Option(
    "--force", "-f", in: .output, help: "Replace outputs that are read-only, too.")
  static let noOverwrite = Option(
    "--no-overwrite", in: .output, help: "Refuse to replace any file that exists.")
  static let touch = Option(
    "--touch", in: .output,
    help: "Give outputs whose bytes don't change the present time all the same.")
  static let report = Option(
    "--report", in: .reporting, value: .file("FILE"),
    help:
      "Write what was done, stage by stage, as JSON; '-' is standard output. Its peakMemoryBytes is "
      + "the peak of the run; for the peak of each step the system's own count is begun anew on Linux, so "
      + "that 'time' and batch systems tell the peak of the last step.")

  // How it goes.

  static let jobs = Option(
    "--jobs", "-j", in: .running, value: .integer("N", 1...4096),
    help: "Use at most this many threads.")
  static let progress = Option(
    "--progress", in: .reporting, value: .choice("HOW", ["auto", "bar", "json", "none"]),
    help: "Show progress on standard error; auto is a bar on a terminal and nothing elsewhere.")
  static let keepGoing = Option(
    "--keep-going", "-k", in: .running, help: "Go on with the next input when one fails.")

  // Builds.

  static let ifChanged = Option(
    "--if-changed", in: .running,
    help: "Do nothing when the inputs, the pipeline and the outputs are as the last run left them.")
  static let dependencies = Option(
    "-MD", in: .builds, help: "Write a dependency file for make or ninja, OUTPUT.d.")
  static let dependencyFile = Option(
    "-MF", in: .builds, value: .file("FILE"), help: "Write the dependency file here instead.")
  static let dependencyTarget = Option(
    "-MT", in: .builds, value: .file("TARGET"), repeats: true,
    help: "Name this as what was made, in place of the outputs.")
}
