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
  /// The scenes that are still needed.
  private var scenes: [ResolvedPipeline.Origin: Scene] = [:]
  /// The number of stages and outputs that still need each scene.
  private var uses: [ResolvedPipeline.Origin: Int] = [:]
  /// The written outputs that wait for the commit, as indices into the report's.
  private var sealed: [Int] = []
  /// Number of host warnings, which `--strict` ignores.
  private var adviceCount = 0
  private var assumptions = AssumptionWarnings()
  private var idleStages = IdleStages()
  /// The images that stages share.
  private let frameStore = FrameStore(capacity: FrameStore.usualCapacity)
  /// The failed step, for the message.
  private var failedStep = ""

  init(_ runner: PipelineRunner) {
    pipeline = runner.pipeline
    options = runner.options
    cancellation = runner.cancellation
    report = RunReport(pipeline: runner.pipeline.json)
    transaction = OutputTransaction(
      overwriting: runner.options.overwriting,
      touchesUnchanged: runner.options.touchesUnchanged, hashes: runner.options.hashesOutputs,
      standardOutput: runner.options.standardOutput)
    let steps = RunSteps(of: runner.pipeline)
    stageSteps = steps.stageSteps
    progress = ProgressMeter(weights: steps.weights, of: pipeline.input, observer: runner.observer)
    for stage in pipeline.stages {
      for origin in stage.inputs + stage.sources.values { uses[origin, default: 0] += 1 }
    }
    for output in pipeline.outputs {
      for origin in output.origins { uses[origin, default: 0] += 1 }
    }
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
      input = try read()
    }
    skipIdleSteps(on: input)
    store(consume input, from: .input)
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

  /// The time and memory of a step.
  private struct Measure {
    var start: Double
    func seconds() -> Double { MonotonicClock.seconds - start }
  }

  private func beginMeasure() -> Measure {
    if options.measuresMemoryOfSteps {
      report.peakMemory = max(report.peakMemory, PeakMemory.bytes)
      PeakMemory.reset()
    }
    return Measure(start: MonotonicClock.seconds)
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
    for event in pipeline.warnings(of: context, at: step) { progress.tell(event) }
  }

  // MARK: Scenes

  private func store(_ scene: consuming Scene, from origin: ResolvedPipeline.Origin) {
    // A scene that is no longer needed is freed here.
    if uses[origin, default: 0] > 0 { scenes[origin] = scene }
  }

  /// The scene from an origin; its last user gets the only reference, so that changing it copies
  /// nothing.
  private func take(_ origin: ResolvedPipeline.Origin) -> Scene {
    uses[origin, default: 0] -= 1
    let scene = uses[origin, default: 0] > 0 ? scenes[origin] : scenes.removeValue(forKey: origin)
    guard let scene else { preconditionFailure("a scene was used before it was made") }
    return scene
  }

  private func takeInputs(of stage: ResolvedPipeline.ResolvedStage) -> Scene {
    var scene = take(stage.inputs[0])
    for origin in stage.inputs.dropFirst() { scene.append(take(origin)) }
    return scene
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
      store(try input.read(takingClass: false, in: context), from: .otherInput(index))
    }
  }

  // MARK: Stages

  private func run(stage index: Int) throws {
    let stage = pipeline.stages[index]
    let step = progress.begin(.stage, stage.id, stage.name)
    failedStep = stage.words
    let measure = beginMeasure()
    let context = context(for: step)
    let scene = takeInputs(of: stage)
    context.lend(stage.sources.mapValues { take($0) })
    context.announce(renewedTextures: pipeline.texturesRenewed(afterStage: index))
    frameStore.begin(
      scene.capture?.frames ?? [],
      isNeededLater: pipeline.stages[(index + 1)...].contains { $0.isEnabled && $0.needsFrames })
    let before = RunReport.Counts(scene)
    let (interpretation, system) = (scene.interpretation, scene.coordinateSystem)
    let guessesClasses =
      stage.choosesByClass && interpretation[.classes]?.isDoubtful == true
      && !stage.namesClass(of: scene)
    func record(_ outcome: RunReport.Outcome, _ after: RunReport.Counts) {
      let stageReport = RunReport.StageReport(
        id: stage.id, level: stage.level, name: stage.name, outcome: outcome, before: before,
        after: after, seconds: measure.seconds(), peakMemory: peakMemory(),
        warnings: context.warnings, notes: context.notes, log: context.logLines)
      report.stages.append(stageReport)
      tellWarnings(of: context, step)
      progress.tell(.stageDone(stageReport))
    }
    do {
      var (result, outcome) = try perform(stage, on: consume scene, in: context)
      // A program outside knows nothing of it.
      result.interpretation = interpretation
      if outcome == .done {
        for message in assumptions.warnings(
          ofStage: stage.words, usingClasses: guessesClasses, on: interpretation,
          from: system, to: result.coordinateSystem)
        { context.warn(message) }
      }
      record(outcome, RunReport.Counts(result))
      if outcome == .done, let expect = stage.expect,
        let explanation = expect.explanationIfFalse(for: result, notes: context.notes)
      {
        let isPointsAlone = result.faceCount == 0 && result.pointCount > 0
        let remedy = isPointsAlone ? pipeline.remedy(.pointsAlone) : nil
        throw UnmetExpectation(
          stage: stage.id, condition: expect.text, explanation: explanation,
          wayOut: remedy.map(SceneFault.wayOut(ofPointsAloneBy:)))
      }
      store(result, from: .stage(index))
    } catch {
      if report.stages.last?.id != stage.id { record(.failed(Self.message(of: error)), before) }
      throw error
    }
    failedStep = ""
  }

  private func perform(
    _ stage: ResolvedPipeline.ResolvedStage, on scene: consuming Scene, in context: StageContext
  ) throws -> (Scene, RunReport.Outcome) {
    try context.checkCancellation()
    if let reason = stage.reasonToSkip { return (scene, .skipped(reason)) }
    if let when = stage.when, let shortfall = when.shortfallIfFalse(in: scene) {
      if !stage.isOptional { idleStages.note(stage, because: shortfall) }
      return (scene, .skipped(shortfall))
    }
    try stage.checkLengths(on: scene)
    // Only a scene that may be needed again is kept, since the stage's changes then copy it.
    guard stage.onError == .skip else { return try work(stage, on: consume scene, in: context) }
    let before = copy scene
    do {
      return try work(stage, on: consume scene, in: context)
    } catch let error as Cancelled {
      throw error
    } catch {
      let message = Self.message(of: error)
      context.warn("failed and was skipped: \(message)")
      return (before, .failed(message))
    }
  }

  /// Runs a stage on the whole scene, or on its part given by `where`.
  private func work(
    _ stage: ResolvedPipeline.ResolvedStage, on scene: consuming Scene, in context: StageContext
  ) throws -> (Scene, RunReport.Outcome) {
    func result(on scene: consuming Scene) throws -> Scene {
      try RefusedSplats.check(stage.stage, needs: stage.definition.dataFlow.needs, scene)
      return try stage.stage.run(consume scene, in: context)
    }
    guard let scope = stage.scope else { return (try result(on: consume scene), .done) }
    let (part, rest) = scope.split(consume scene)
    guard let part else {
      let names = scope.names.map { "'\($0)'" }.joined(separator: " or ")
      let reason = "there is no class or mesh named \(names)"
      if !stage.isOptional { idleStages.note(stage, because: reason) }
      return (rest, .skipped(reason))
    }
    return (scope.join(try result(on: part), rest), .done)
  }

  /// Reports in one line which stages had nothing to work on.
  private func warnOfIdleStages() {
    guard let message = idleStages.warning(in: pipeline) else { return }
    report.warnings.append(message)
    let step = RunStep(
      kind: .stage, name: pipeline.file ?? "the pipeline", detail: "", index: pipeline.stages.count,
      count: 0)
    progress.tell(.warning(step: step, message: message))
  }

  private static func message(of error: any Error) -> String {
    (error as? any UserError)?.message ?? "internal error: \(error)"
  }

  // MARK: Outputs

  /// Rejects unwritable paths before the input is read, which may take long.
  private func checkTargets() throws {
    transaction.protect(pipeline.meshPaths + pipeline.optionFiles)
    transaction.protect((pipeline.joined + pipeline.otherInputs).map(\.path))
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
    var scenes = output.origins.map { take($0) }.sorted { $0.faceCount > $1.faceCount }
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
      try writer.write(scenes)
      for message in assumptions.warnings(
        ofOutput: output.format, on: scenes[0].interpretation, from: system,
        to: scenes[0].coordinateSystem)
      { writer.context.warn(message) }
      sealed.append(report.outputs.count)
      if sealed.count == 1 { show(scenes[0], in: writer.context) }
    } catch {
      let message = Self.message(of: error)
      outputReport.outcome = .failed(message)
      guard output.isOptional, !(error is Cancelled) else { throw error }
      writer.context.warn("was not written: \(message)")
    }
  }

  private func show(_ scene: Scene, in context: StageContext) {
    do {
      try options.resultObserver?(scene)
    } catch {
      context.warn("no image was rendered: \(Self.message(of: error))")
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
