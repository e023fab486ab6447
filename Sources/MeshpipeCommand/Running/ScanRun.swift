import MeshpipeKit
import ReportPage

/// The run of one scan, including everything that the options of 'run' ask for.
final class ScanRun {
  let input: InputFile
  /// The scans to merge with it.
  private let others: [InputFile]
  let pipeline: ResolvedPipeline
  private let invocation: Invocation
  private let pipelineFile: String?
  private let includedFiles: [String]
  /// The checker's findings, shown only when the pipeline runs.
  private let warnings: [Diagnostic]

  /// The report; nil before the run, and if there was nothing to do.
  private(set) var report: RunReport?
  /// The outputs that were written by this or by an earlier run.
  private(set) var outputs: [UploadFile.Output] = []
  private let pageScenes = PageScenes()
  /// The sources of the outputs, of this or of an earlier run.
  private var sources: [String] = []

  /// Resolves the pipeline for the scan.
  ///
  /// - Parameter others: Scans to merge with it.
  init(_ arguments: PipelineArguments, of input: InputFile, joining others: [InputFile] = []) throws
  {
    self.input = input
    self.others = others
    includedFiles = arguments.document.includes.map(\.path)
    invocation = arguments.invocation
    pipelineFile = arguments.document.source.file
    let resolution = try arguments.resolve(for: input, joining: others)
    pipeline = try resolution.get()
    warnings = resolution.diagnostics
    if invocation.settings.warningsAreErrors, !resolution.warnings.isEmpty {
      Messages.show(warnings)
      throw StrictWarnings(exitCode: .configuration)
    }
    if invocation.has(.ifChanged), mainOutput == nil {
      throw UsageError("'--if-changed' needs an output file", verb: invocation.verb)
    }
  }

  /// The first output that is a file.
  var mainOutput: String? { pipeline.outputs.first { $0.path != "-" }?.path }

  /// Runs, unless '--if-changed' finds nothing to do.
  func perform() throws {
    let mustRun = invocation.has(\.$rerunFrom)
    if invocation.has(.ifChanged), !mustRun, try isUpToDate() { return }
    Messages.show(warnings)
    warnOfNamesAfterScan()
    let start = FileSystem.now
    let display = ProgressDisplay(
      ProgressDisplay.style(
        named: invocation.value(of: .progress), isQuiet: invocation.has(.quiet)))
    let runner = PipelineRunner(pipeline, options: options, cancellation: Signals.cancellation) {
      display.show($0)
    }
    do {
      let report = try runner.run()
      display.clear()
      self.report = report
      outputs = outputs(of: report.outputs.flatMap(\.files).map(\.path))
    } catch {
      display.clear()
      report = error.report
      for input in [input] + others { try input.requireExistence() }
      throw error
    }
    if let report {
      try Signature.removeStale(of: report.outputs)
      try signature?.sign(report.outputs.map(\.filePaths))
    }
    remember(since: start)
    if display.style != .json, !invocation.has(.quiet) {
      for line in AlignmentText.lines(report?.input?.notes ?? []) { Messages.say(line) }
    }
    showTable(display.style)
  }

  /// Says so where names that the user did not choose tell what a private run leaves out.
  private func warnOfNamesAfterScan() {
    guard invocation.settings.isPrivate else { return }
    let stem = FileSystem.stem(of: input.name)
    let isChosen = invocation.values(of: .output).contains { $0.contains(stem) }
    guard !isChosen,
      let output = pipeline.outputs.first(where: {
        FileSystem.name(of: $0.path).contains(stem)
      })
    else { return }
    Messages.warn(
      "\(output.path): is named after the scan, which '--private' does not change; name it yourself, with '-o'"
    )
  }

  private var signature: Signature? { invocation.settings.signature }

  /// The outputs that have these files, in order, the main file of each before its side files.
  private func outputs(of files: [String]) -> [UploadFile.Output] {
    var outputs: [UploadFile.Output] = []
    for file in files where file != "-" {
      if let output = pipeline.outputs.first(where: { $0.path == file }) {
        var folder = FileSystem.folder(of: FileSystem.absolutePath(of: file))
        // The main file of a format that fills a folder is in the folder that the output names.
        if output.format.mainFileName != nil { folder = FileSystem.folder(of: folder) }
        outputs.append(UploadFile.Output(folder: folder, files: [file]))
      } else if !outputs.isEmpty {
        outputs[outputs.count - 1].files.append(file)
      }
    }
    return outputs
  }

  private var options: PipelineRunner.Options {
    var options = PipelineRunner.Options(invocation.settings)
    options.hashesOutputs = invocation.has(.report)
    options.measuresMemoryOfSteps = invocation.has(.report)
    options.checkpoints = CheckpointFolder.use(
      for: invocation.settings, places: PrivateInputs.shown)
    if let path = invocation.value(of: .report), ReportPage.isPath(path) {
      pageScenes.observe(&options)
    }
    return options
  }

  /// What the page of the report shows; nil if there was nothing to do.
  var shownInPage: ReportedRun? {
    guard let report else { return nil }
    return pageScenes.shown(
      as: FileSystem.name(of: input.name),
      pipeline: pipelineFile.map { FileSystem.stem(of: $0) }, report)
  }

  private func showTable(_ style: ProgressDisplay.Style) {
    guard let report, StandardStream.errors.isTerminal, style != .json, !invocation.has(.quiet)
    else { return }
    let table = report.table(width: ProgressDisplay.terminalSize.columns)
    Messages.text(PrivateInputs.shown.readable(table).withoutTerminalCommands)
  }

  // MARK: Builds

  /// The dependencies of the outputs, for a dependency file.
  func dependencyRule(targets: [String]) -> DependencyFile.Rule? {
    guard !sources.isEmpty else { return nil }
    let outputs = pipeline.outputs.map(\.path).filter { $0 != "-" }
    return DependencyFile.Rule(
      targets: targets.isEmpty ? outputs : targets, prerequisites: sources)
  }

  /// Whether the outputs are up to date: made by an earlier run from the same sources and options.
  private func isUpToDate() throws -> Bool {
    // Whether a pipe's contents are those of an earlier run is unknown.
    guard !input.isStandardInput, let stampPath, let stamp = BuildStamp.read(stampPath),
      stamp.isCurrent(recipe: recipe),
      try invocation.value(of: .report).map({ try FileSystem.status(of: $0) != nil }) ?? true
    else { return false }
    if invocation.settings.touchesUnchanged {
      for output in stamp.outputs { try FileSystem.touch(output.path) }
    }
    let refreshed = stamp.refreshed()
    if refreshed.inputs != stamp.inputs || refreshed.outputs != stamp.outputs {
      try refreshed.write(to: stampPath)
    }
    sources = stamp.inputs.map(\.path)
    outputs = outputs(of: stamp.outputs.map(\.path))
    try signature?.signUnsigned(outputs.map(\.files))
    if StandardStream.errors.isTerminal, !invocation.has(.quiet) {
      Messages.say("\(stamp.outputs[0].path): unchanged since the last run")
    }
    return true
  }

  /// Saves the stamp for the next run.
  private func remember(since start: Int64) {
    guard let report else { return }
    sources = (pipelineFile.map { [$0] } ?? []) + includedFiles + pipeline.optionFiles
    if !input.isStandardInput { sources += pipeline.meshPaths }
    sources += report.input?.sideFiles ?? []
    // Unpacked files are removed afterwards.
    var known: Set<String> = []
    sources = sources.map(UnpackedArchives.origin).filter { known.insert($0).inserted }
    guard invocation.has(.ifChanged), let stampPath else { return }
    let outputs = report.outputs.flatMap(\.files).map(\.path)
    do {
      let stamp = try BuildStamp(
        recipe: recipe, inputs: sources,
        missing: (report.input?.missingFiles ?? []).filter {
          UnpackedArchives.origin(of: $0) == $0
        },
        outputs: outputs, since: start)
      try stamp?.write(to: stampPath)
    } catch {
      // The outputs are in place; without a stamp the next run only repeats the work.
      Messages.warn(error.userMessage)
    }
  }

  private var stampPath: String? { mainOutput.map(BuildStamp.path(besideOutput:)) }

  /// The names in the folder of the frames: a new file there may be a frame.
  private var frameFiles: [String] { pipeline.frames?.folder.deepNames ?? [] }

  /// Everything that the outputs depend on, except the bytes of the sources.
  private var recipe: JSONValue {
    [
      "version": JSONValue(.string(meshpipeVersion)),
      "pipeline": JSONValue(.string(PrivateInputs.shown.readable(pipeline.json).compactText)),
      "settings": invocation.settings.recipe(),
      "frames": JSONValue(.array(frameFiles.map { JSONValue(.string($0)) })),
    ]
  }
}
