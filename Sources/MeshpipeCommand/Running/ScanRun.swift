import MeshPipeline

/// One scan on its way through a pipeline, with all that the options of 'run' ask for around it.
final class ScanRun {
  let input: InputFile
  let pipeline: ResolvedPipeline
  private let invocation: Invocation
  private let pipelineFile: String?
  private let includedFiles: [String]
  /// What the checker found: told only when something is done.
  private let warnings: [Diagnostic]

  /// What was done; nil before, and when there was nothing to do.
  private(set) var report: RunReport?
  /// What the outputs were made from, now or in an earlier run.
  private var sources: [String] = []

  /// Resolves the pipeline for the scan.
  ///
  /// - Parameter others: Scans that become one scene with it.
  init(_ call: PipelineCall, of input: InputFile, joining others: [InputFile] = []) throws {
    self.input = input
    includedFiles = call.document.includes.map(\.path)
    invocation = call.invocation
    pipelineFile = call.document.source.file
    let resolution = call.resolve(for: input, joining: others)
    pipeline = try resolution.get()
    warnings = resolution.diagnostics
    if invocation.has(.strict), !resolution.warnings.isEmpty {
      Messages.show(warnings)
      throw StrictWarnings(exitCode: .configuration)
    }
    if invocation.has(.ifChanged), mainOutput == nil {
      throw UsageError("'--if-changed' needs an output file", verb: invocation.verb)
    }
  }

  /// The first output that is a file.
  var mainOutput: String? { pipeline.outputs.first { $0.path != "-" }?.path }

  /// Runs, unless '--if-changed' finds that nothing is to be done.
  func perform() throws {
    if invocation.has(.ifChanged), try isUpToDate() { return }
    Messages.show(warnings)
    let start = FileSystem.now
    let display = ProgressDisplay(
      ProgressDisplay.style(
        named: invocation.value(of: .progress), isQuiet: invocation.has(.quiet)),
      for: input)
    let runner = PipelineRunner(pipeline, options: options, cancellation: Signals.cancellation) {
      display.show($0)
    }
    do {
      let report = try runner.run()
      display.clear()
      self.report = report
    } catch {
      display.clear()
      report = error.report
      throw ReadableError(error, input)
    }
    remember(since: start)
    showTable(display.style)
  }

  private var options: PipelineRunner.Options {
    var options = PipelineRunner.Options()
    options.overwriting = invocation.overwriting
    options.touchesUnchanged = invocation.has(.touch)
    options.hashesOutputs = invocation.has(.report)
    options.measuresMemoryOfSteps = invocation.has(.report)
    options.allowsExternalFiles = invocation.has(.allowExternal)
    options.inputUp = invocation.inputUp
    options.inputMetersPerUnit = invocation.inputMetersPerUnit
    options.warningsAreErrors = invocation.has(.strict)
    return options
  }

  private func showTable(_ style: ProgressDisplay.Style) {
    guard let report, StandardStream.errors.isTerminal, style != .json, !invocation.has(.quiet)
    else { return }
    let table = report.table(width: ProgressDisplay.terminalSize.columns)
    Messages.text(input.readable(table).withoutTerminalCommands)
  }

  // MARK: Builds

  /// What the outputs are made from and by, for a dependency file.
  func dependencyRule(targets: [String]) -> DependencyFile.Rule? {
    guard !sources.isEmpty else { return nil }
    let outputs = pipeline.outputs.map(\.path).filter { $0 != "-" }
    return DependencyFile.Rule(
      targets: targets.isEmpty ? outputs : targets, prerequisites: sources)
  }

  /// Whether the outputs are as an earlier run made them, from the same sources by the same recipe.
  private func isUpToDate() throws -> Bool {
    guard let stampPath, let stamp = BuildStamp.read(stampPath), stamp.isCurrent(recipe: recipe),
      try invocation.value(of: .report).map({ try FileSystem.status(of: $0) != nil }) ?? true
    else { return false }
    if invocation.has(.touch) { for output in stamp.outputs { try FileSystem.touch(output.path) } }
    let refreshed = stamp.refreshed()
    if refreshed.inputs != stamp.inputs || refreshed.outputs != stamp.outputs {
      try refreshed.write(to: stampPath)
    }
    sources = stamp.inputs.map(\.path)
    if StandardStream.errors.isTerminal, !invocation.has(.quiet) {
      Messages.say("\(stamp.outputs[0].path): nothing has changed since the last run")
    }
    return true
  }

  /// Keeps what the next run needs to know.
  private func remember(since start: Int64) {
    guard let report else { return }
    sources = (pipelineFile.map { [$0] } ?? []) + includedFiles
    if input.name == input.path || input.archive != nil, let path = pipeline.input {
      sources.append(path)
    }
    sources += report.input?.sideFiles ?? []
    // What was unpacked is gone afterwards.
    var known: Set<String> = []
    sources = sources.map(Unpacked.origin).filter { known.insert($0).inserted }
    guard invocation.has(.ifChanged), let stampPath else { return }
    let outputs = report.outputs.flatMap(\.files).map(\.path)
    do {
      let stamp = try BuildStamp(
        recipe: recipe, inputs: sources,
        missing: (report.input?.missingFiles ?? []).filter { Unpacked.origin(of: $0) == $0 },
        outputs: outputs, since: start)
      try stamp?.write(to: stampPath)
    } catch {
      // The outputs are there; without a stamp the next run just does it all again.
      Messages.warn(error.userMessage)
    }
  }

  private var stampPath: String? { mainOutput.map(BuildStamp.path(besideOutput:)) }

  /// The names in the folder of the frames: a file that is new there may be a frame.
  private var frameFiles: [String] { pipeline.frames?.folder.deepNames ?? [] }

  /// All that the outputs depend on, beside the bytes of the sources.
  private var recipe: JSONValue {
    [
      "version": JSONValue(.string(meshpipeVersion)),
      "pipeline": JSONValue(.string(Unpacked.readable(pipeline.json.compactText))),
      "allowExternal": JSONValue(.bool(invocation.has(.allowExternal))),
      "strict": JSONValue(.bool(invocation.has(.strict))),
      "inputUp": JSONValue(.string(invocation.value(of: .inputUp) ?? "")),
      "frames": JSONValue(.array(frameFiles.map { JSONValue(.string($0)) })),
      "inputUnit": JSONValue(.string(invocation.value(of: .inputUnit) ?? "")),
    ]
  }
}
