import MeshpipeKit

/// Shows what a run would do, and why.
enum PlanVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let arguments = try PipelineArguments(invocation)
    guard let input = try arguments.inputs().first, arguments.inputArguments.count == 1 else {
      throw UsageError(
        "'plan' needs one INPUT: \(invocation.verb.usageLines.joined(separator: ", or "))",
        verb: invocation.verb)
    }
    let resolution = try arguments.resolve(for: input)
    let pipeline = try resolution.get()
    Messages.show(resolution.diagnostics)
    guard pipeline.inputFormat != nil || pipeline.frames != nil else {
      throw UnreadableFormat(input: input, formats: try invocation.formats)
    }
    try input.requireExistence()
    let context = invocation.readingContext
    let start = FileSystem.now
    let (scene, _) = try Messages.warning(of: context) { try pipeline.readInput(in: context) }
    var plan = PipelinePlan(pipeline, on: scene)
    if let kept = try checkpoints(of: pipeline, invocation, context, since: start) {
      plan = plan.recalling(kept)
    }
    let shown = PrivateInputs.shown
    let text =
      invocation.has(.json)
      ? shown.readable(plan.json).prettyText : shown.readable(PlanText.text(plan, of: input))
    try StandardStream.output.write(text)
    return .success
  }

  /// What a run would take from the cache; nil without one.
  private static func checkpoints(
    of pipeline: ResolvedPipeline, _ invocation: Invocation, _ context: ReadingContext,
    since start: Int64
  ) throws -> RunCheckpoints? {
    let settings = invocation.settings
    guard let use = CheckpointFolder.use(for: settings, places: PrivateInputs.shown),
      let checkpoints = RunCheckpoints(
        of: pipeline, settings, use, sideFiles: context.openedFiles, since: start,
        cancellation: Signals.cancellation)
    else { return nil }
    for warning in try checkpoints.find(takingScenes: false) { Messages.warn(warning) }
    return checkpoints
  }
}
