import MeshPipeline
import ReportPage

/// The options of all verbs, each declared once.
extension Option {
  static let help = Option("--help", "-h", help: "Show this page.")
  static let health = Option(
    "--health", in: .output,
    help: "Also show defects of the meshes: open borders, self-intersections, thin walls and more.")
  static let measures = Option(
    "--measures", in: .output,
    help:
      "Also find rooms, and show their areas, volumes and heights, the sizes of walls, doors and windows, and the volumes of "
      + "closed meshes.")
  static let gates = Option(
    "--gates", in: .output, value: .text("PRESET"), isValueOptional: true,
    help:
      "Also check whether a capture is good enough: sharpness, exposure, tracking, motion, depth and fit; with a preset of 'check-capture' (scan, static, occlusion) or a JSON file of limits, by that."
  )
  static let json = Option("--json", in: .output, help: "Print JSON instead of text.")
  static let quiet = Option(
    "--quiet", "-q", in: .reporting, help: "Print only warnings and errors, also on a terminal.")

  // Input.

  static let join = Option(
    "--join", in: .input, value: .choice("HOW", ["aligned"]), isValueOptional: true,
    help:
      "Merge all inputs into one model; outputs are named after the first. Coordinates are taken as they are; with "
      + "--join=aligned each further scan is first brought to where it fits the others, and left out if it fits nowhere."
  )
  static let otherInput = Option(
    "--input", in: .input, value: .text("ID=FILE"), repeats: true,
    help:
      "A further scan that stages refer to by its id, such as the heavy model of 'bake-maps from=ID'."
  )

  // The pipeline.

  static let stage = Option(
    "--stage", "-s", in: .pipeline, value: .named("STAGE", .stage), repeats: true,
    help: "A stage with its options, 'decimate faces=20%', instead of a pipeline file.")
  static let format = Option(
    "--format", in: .pipeline, help: "Rewrite the pipeline in its normal form.")

  // Output.

  static let output = Option(
    "--output", "-o", in: .output, value: .file("PATH"), repeats: true,
    help:
      "A folder for the outputs, or a file for the one with that extension, several of them for several formats; "
      + "'-' is standard output."
  )
  static let replay = Option(
    "--replay", in: .output, help: "Print the pipeline that makes the file again.")
  static let signature = Option(
    "--signature", in: .input, value: .text("COMMAND"),
    help:
      "Check signatures by this command of the shell, which fails where one is not valid: the file is its last argument, "
      + "or \"$1\" where the command has that."
  )
  static let report = Option(
    "--report", in: .reporting, value: .file("FILE"),
    help:
      "Write a record of the run as JSON, stage by stage; '-' is standard output. A .html file is a page that also shows "
      + "the model, to turn, to measure and to compare with the scan. Its peakMemoryBytes is "
      + "the peak of the run. To measure each step, the system's own counter is reset on Linux, so "
      + "that 'time' and batch systems show the peak of the last step.")
  static let reportFaces = Option(
    "--report-faces", in: .reporting, value: .integer("N", 1000...20_000_000),
    help:
      "The most faces of a model in a page, and half of the most points; larger ones are decimated for it. Default "
      + "\(ReportPage.usualFaces).")

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
  static let ofRun = ordered(
    [.output, .stage], settings(in: .pipeline), [.join, .otherInput],
    settings(in: .input, .frames), settings(in: .output),
    [
      .ifChanged, .dependencies, .dependencyFile, .dependencyTarget, .report, .reportFaces,
      .progress, .jobs, .keepGoing,
    ], settings(in: .cache), settings(in: .plugins), settings(in: .running), [.quiet, .help])
}
