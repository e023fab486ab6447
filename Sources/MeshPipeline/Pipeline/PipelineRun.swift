import MeshpipeBase
import MeshpipeScene

/// One run of a pipeline in progress.
final class PipelineRun {
  private let pipeline: ResolvedPipeline
  private let options: PipelineRunner.Options
  private let cancellation: Cancellation
  private let progress: ProgressMeter
  private let transaction: OutputTransaction
  /// The index of each stage's step.
  private let stageSteps: [Int]
  private let startTime = MonotonicClock.seconds

  private(set) var report: RunReport
  private var scenes: NeededScenes
  /// The written outputs that wait for the commit, as indices into the report's.
  private var sealed: [Int] = []
  /// Number of host warnings, which `--strict` ignores.
  private var adviceCount = 0
  private var assumptions = AssumptionWarnings()
  private var idleStages = IdleStages()
  /// Nil without a place for them.
  private var checkpoints: RunCheckpoints?
  private let provenance: RunProvenance
  private let runHashes = RunHashes()
  /// The images that stages share.
  private let frameStore = FrameStore(capacity: FrameStore.usualCapacity)
  /// The failed step, for the message.
  private var failedStep = ""

  init(_ runner: PipelineRunner) {
    pipeline = runner.pipeline
    options = runner.options
    provenance = RunProvenance(of: runner.pipeline, runner.options.run, runHashes)
    cancellation = runner.cancellation
    report = RunReport(pipeline: runner.pipeline.json)
    transaction = OutputTransaction(
      overwriting: runner.options.overwriting,
      touchesUnchanged: runner.options.touchesUnchanged, hashes: runner.options.hashesOutputs,
      standardOutput: runner.options.standardOutput)
    let steps = RunSteps(of: runner.pipeline)
    stageSteps = steps.stageSteps
    progress = ProgressMeter(weights: steps.weights, of: pipeline.input, observer: runner.observer)
    scenes = NeededScenes(of: pipeline)
  }

  /// Runs everything.
  ///
  /// - Parameter scene: The scene to start from; nil to read the input.
  func start(with scene: consuming Scene?) throws {
    // An unresolved `${stem}` is not a valid file name.
    if pipeline.input == nil, pipeline.outputs.contains(where: { $0.path.contains("${") }) {
      throw MissingInput()
    }
    try checkTargets()
    let input: Scene
    if let scene {
      input = scene
      let context = ReadingContext(
        allowsExternalFiles: options.allowsExternalFiles,
        stage: StageContext(cancellation: cancellation))
      defer { report.warnings += context.stage.warnings }
      try readOtherInputs(in: context)
    } else {
      let start = FileSystem.now
      input = try read()
      try findCheckpoints(since: start)
    }
    options.inputObserver?(input)
    skipIdleSteps(on: input)
    scenes.store(consume input, from: .input)
    try writeOutputs(of: .input)
    for index in pipeline.otherInputs.indices { try writeOutputs(of: .otherInput(index)) }
    for index in pipeline.stages.indices {
      try run(stage: index)
      try writeOutputs(of: .stage(index))
    }
    warnOfIdleStages()
    let warningCount = report.allWarnings.count - adviceCount
    if options.warningsAreErrors, warningCount > 0 {
      throw UnacceptableWarnings(count: warningCount)
    }
    try commit()
    finishReport()
  }

  /// Excludes stages that will certainly be skipped from the remaining time.
  private func skipIdleSteps(on scene: borrowing Scene) {
    let plan = PipelinePlan(pipeline, on: copy scene)
    progress.skip(
      steps: plan.steps.indices.filter { plan.steps[$0].decision.isSkipped }.map { stageSteps[$0] })
  }

  /// The error for the user, with the report of the completed work.
  func failure(for error: any Error) -> RunFailure {
    transaction.abandon()
    finishReport()
    let prefix = failedStep.isEmpty ? "" : "\(failedStep): "
    guard let error = error as? any UserError else {
      report.failure = "\(prefix)internal error: \(error)"
      return RunFailure(exitCode: .software, message: report.failure ?? "", report: report)
    }
    report.failure = error is Cancelled ? error.message : prefix + error.message
    return RunFailure(exitCode: error.exitCode, message: report.failure ?? "", report: report)
  }

  private func finishReport() {
    report.seconds = MonotonicClock.seconds - startTime
    report.peakMemory = max(report.peakMemory, PeakMemory.bytes)
  }

  // MARK: Measuring

  private func beginMeasure() -> StepMeasure {
    if options.measuresMemoryOfSteps {
      report.peakMemory = max(report.peakMemory, PeakMemory.bytes)
      PeakMemory.reset()
    }
    return StepMeasure()
  }

  private func peakMemory() -> Int {
    let bytes = PeakMemory.bytes
    report.peakMemory = max(report.peakMemory, bytes)
    return bytes
  }

  private func context(for step: RunStep) -> StageContext {
    StageContext(cancellation: cancellation, frameStore: frameStore) { [progress] in
      progress.report(step, $0)
    }
  }

  private func tellWarnings(of context: StageContext, _ step: RunStep) {
    adviceCount += context.adviceCount
    for event in pipeline.warnings(context.warnings, at: step) { progress.tell(event) }
  }

  // MARK: Reading

  private func read() throws -> Scene {
    guard let input = pipeline.input,
      let format = pipeline.inputFormat?.id ?? pipeline.frames?.layout.id
    else { throw MissingInput() }
    let step = progress.begin(.read, input, format)
    let measure = beginMeasure()
    let stageContext = context(for: step)
    let context = ReadingContext(
      allowsExternalFiles: options.allowsExternalFiles, stage: stageContext)
    try stageContext.checkCancellation()
    let (scene, source): (Scene, ScanSource)
    do {
      (scene, source) = try pipeline.readInput(in: context)
      try readOtherInputs(in: context)
    } catch {
      // What was left out may be why nothing remains.
      report.warnings += stageContext.warnings
      tellWarnings(of: stageContext, step)
      throw error
    }
    transaction.protect(context.openedFiles)
    provenance.begin(source, sideFiles: context.openedFiles)
    let inputReport = RunReport.InputReport(
      path: source.path, format: source.format?.id ?? format, counts: RunReport.Counts(scene),
      features: scene.features.sorted(), interpretation: scene.interpretation,
      seconds: measure.seconds(), peakMemory: peakMemory(),
      sideFiles: context.openedFiles, missingFiles: context.missingFiles,
      warnings: stageContext.warnings, notes: stageContext.notes)
    report.input = inputReport
    tellWarnings(of: stageContext, step)
    progress.tell(.inputRead(inputReport))
    return scene
  }

  private func readOtherInputs(in context: ReadingContext) throws {
    for (index, input) in pipeline.otherInputs.enumerated() {
      scenes.store(
        try input.read(takingClass: false, in: context), from: .otherInput(index))
    }
  }

  // MARK: Stages

  private func run(stage index: Int) throws {
    let stage = pipeline.stages[index]
    let step = progress.begin(.stage, stage.id, stage.name)
    failedStep = stage.words
    if let record = checkpoints?.recall(index) {
      try recall(index, record, step)
    } else {
      try perform(index, step)
    }
    failedStep = ""
  }

  private func perform(_ index: Int, _ step: RunStep) throws {
    let stage = pipeline.stages[index]
    let measure = beginMeasure()
    let context = context(for: step)
    let scene = scenes.takeInputs(of: stage)
    context.lend(stage.sources.mapValues { scenes.take($0) })
    context.announce(renewedTextures: pipeline.texturesRenewed(afterStage: index))
    let keeper = checkpoints?.partKeeper(ofStage: index)
    context.keeper = keeper
    defer { for warning in keeper?.warnings ?? [] { advise(warning, at: step) } }
    frameStore.begin(
      scene.capture?.frames ?? [],
      isNeededLater: pipeline.stages[(index + 1)...].contains { $0.isEnabled && $0.needsFrames })
    let before = RunReport.Counts(scene)
    let (interpretation, system) = (scene.interpretation, scene.coordinateSystem)
    let guessesClasses =
      stage.choosesByClass && interpretation[.classes]?.isDoubtful == true
      && !stage.namesClass(of: scene)
    func record(_ outcome: RunReport.Outcome, _ after: RunReport.Counts) -> RunReport.StageReport {
      let stageReport = RunReport.StageReport(
        id: stage.id, level: stage.level, name: stage.name, outcome: outcome, before: before,
        after: after, seconds: measure.seconds(), peakMemory: peakMemory(),
        warnings: context.warnings, notes: context.notes, log: context.logLines)
      tell(stageReport, of: stage, step, adviceCount: context.adviceCount)
      return stageReport
    }
    var (result, outcome): (Scene, RunReport.Outcome)
    do {
      let execution = StageExecution(stage: stage, context: context)
      (result, outcome) = try execution.run(on: consume scene)
    } catch {
      _ = record(.failed(StageExecution.message(of: error)), before)
      throw error
    }
    // A program outside knows nothing of it; few stages find something out.
    if result.interpretation == Interpretation() { result.interpretation = interpretation }
    let ownWarnings = context.warnings
    let acts =
      outcome == .done
      ? AssumptionWarnings.acts(
        ofStage: stage.words, usingClasses: guessesClasses, on: interpretation, from: system,
        to: result.coordinateSystem) : []
    for warning in assumptions.warnings(of: acts) { context.warn(warning) }
    let stageReport = record(outcome, RunReport.Counts(result))
    let problem = checkpoints?.keep(
      result, ofStage: index, stageReport, ownWarnings: ownWarnings,
      adviceCount: context.adviceCount, acts: acts)
    if let problem { advise(problem, at: step) }
    try stage.checkExpectation(of: stageReport, on: result, in: pipeline)
    scenes.store(result, from: .stage(index))
  }

  /// Reports a stage, and what it warned of.
  private func tell(
    _ stageReport: RunReport.StageReport, of stage: ResolvedPipeline.ResolvedStage, _ step: RunStep,
    adviceCount: Int
  ) {
    report.stages.append(stageReport)
    self.adviceCount += adviceCount
    for event in pipeline.warnings(stageReport.warnings, at: step) { progress.tell(event) }
    progress.tell(.stageDone(stageReport))
    if case .skipped(let reason) = stageReport.outcome, stage.isEnabled, !stage.isOptional {
      idleStages.note(stage, because: reason)
    }
  }

  // MARK: Checkpoints

  /// Finds the results that earlier runs kept.
  private func findCheckpoints(since start: Int64) throws {
    guard let use = options.checkpoints else { return }
    checkpoints = RunCheckpoints(
      of: pipeline, options.run, use, sideFiles: report.input?.sideFiles ?? [], since: start,
      cancellation: cancellation, runHashes)
    let step = RunStep(kind: .read, name: pipeline.input ?? "", detail: "", index: 0, count: 0)
    for warning in try checkpoints?.find() ?? [] { advise(warning, at: step) }
    progress.skip(steps: (checkpoints?.recalled ?? []).map { stageSteps[$0] })
  }

  /// Takes the result of a stage from a checkpoint, with all that the stage told.
  private func recall(
    _ index: Int, _ record: Checkpoint.StageRecord, _ step: RunStep
  ) throws {
    let stage = pipeline.stages[index]
    let measure = beginMeasure()
    for origin in stage.inputs + stage.sources.values { scenes.release(origin) }
    let warnings = record.warnings + assumptions.warnings(of: record.acts)
    let stageReport = RunReport.StageReport(
      id: stage.id, level: stage.level, name: stage.name, outcome: record.outcome,
      before: record.before, after: record.after, seconds: measure.seconds(),
      peakMemory: peakMemory(), warnings: warnings, notes: record.notes, log: record.log,
      isRecalled: true)
    tell(stageReport, of: stage, step, adviceCount: record.adviceCount)
    guard let scene = checkpoints?.takeScene(index) else { return }
    try stage.checkExpectation(of: stageReport, on: scene, in: pipeline)
    scenes.store(scene, from: .stage(index))
  }

  /// Warns of something that neither scan nor pipeline can fix, and that changes no result.
  private func advise(_ message: String, at step: RunStep) {
    report.warnings.append(message)
    adviceCount += 1
    progress.tell(.warning(step: step, message: message))
  }

  // MARK: Idle stages

  /// Reports in one line which stages had nothing to work on.
  private func warnOfIdleStages() {
    guard let message = idleStages.warning(in: pipeline) else { return }
    report.warnings.append(message)
    let step = RunStep(
      kind: .stage, name: pipeline.file ?? "the pipeline", detail: "", index: pipeline.stages.count,
      count: 0)
    progress.tell(.warning(step: step, message: message))
  }

  // MARK: Outputs

  /// Rejects unwritable paths before the input is read, which may take long.
  private func checkTargets() throws {
    transaction.protect(pipeline.meshPaths + pipeline.optionFiles)
    transaction.protect(pipeline.otherInputPaths)
    for output in pipeline.outputs where !output.isOptional && output.when == nil {
      try transaction.check(output.path)
    }
  }

  private func writeOutputs(of origin: ResolvedPipeline.Origin) throws {
    for output in pipeline.outputs where output.from == origin { try write(output) }
  }

  private func write(_ output: ResolvedPipeline.ResolvedOutput) throws {
    let step = progress.begin(.write, output.path, output.format.id)
    let measure = beginMeasure()
    var writer = OutputWriter(of: output, in: pipeline, transaction) { [self] in
      context(for: step)
    }
    // Of several levels, the one with the most faces is the nearest.
    var scenes = output.origins.map { self.scenes.take($0) }.sorted { $0.faceCount > $1.faceCount }
    var outputReport = RunReport.OutputReport(
      path: output.path, level: output.level, format: output.format.id,
      from: output.origins.map { pipeline.id(of: $0) }.joined(separator: ", "),
      outcome: .done, counts: RunReport.Counts(scenes[0]), files: [], seconds: 0, warnings: [],
      notes: [])
    defer {
      outputReport.seconds = measure.seconds()
      outputReport.warnings = writer.context.warnings
      outputReport.notes = writer.context.notes
      report.outputs.append(outputReport)
      tellWarnings(of: writer.context, step)
      progress.tell(.outputWritten(outputReport))
    }
    if let shortfall = output.when?.shortfallIfFalse(in: scenes[0]) {
      outputReport.outcome = .skipped(shortfall)
      return
    }
    let system = scenes[0].coordinateSystem
    if let up = output.up {
      for index in scenes.indices {
        scenes[index].convert(to: scenes[index].coordinateSystem.with(up: up))
      }
    }
    do {
      writer.provenance = provenance.of(output, report, scenes[0].interpretation)
      writer.isPrivate = options.isPrivate
      try writer.write(scenes)
      report.provenance = report.provenance ?? writer.provenance
      for remark in provenance.takeRemarks() { writer.context.warn(remark) }
      let acts = AssumptionWarnings.acts(
        ofOutput: output.format, on: scenes[0].interpretation, from: system,
        to: scenes[0].coordinateSystem)
      for warning in assumptions.warnings(of: acts) { writer.context.warn(warning) }
      sealed.append(report.outputs.count)
      if sealed.count == 1 { show(scenes[0], in: writer.context) }
    } catch {
      let message = StageExecution.message(of: error)
      outputReport.outcome = .failed(message)
      guard output.isOptional, !(error is Cancelled) else { throw error }
      writer.context.warn("was not written: \(message)")
    }
  }

  private func show(_ scene: Scene, in context: StageContext) {
    do {
      try options.resultObserver?(scene)
    } catch {
      context.warn("no image was rendered: \(StageExecution.message(of: error))")
    }
  }

  private func commit() throws {
    let step = progress.begin(.commit, "", "")
    try context(for: step).checkCancellation()
    for (index, files) in zip(sealed, try transaction.commit()) {
      report.outputs[index].files = files
    }
    progress.finish(step)
  }
}
