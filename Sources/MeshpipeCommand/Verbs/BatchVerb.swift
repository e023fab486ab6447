import Batch
import MeshPipeline

/// Runs many scans through a pipeline.
enum BatchVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    Messages.areJSON = invocation.value(of: .progress) == "json"
    // Workers get time to end cleanly.
    Signals.gracePeriod = 5_000_000
    // Separate threads unpack archives and listen to workers.
    guard ThreadSupply.count > 1 else { throw NoThreads() }
    let arguments = try BatchArguments(invocation)
    let environment = CommandEnvironment(invocation.stages, arguments.plugins).pipelines
    var planner = OutputPlanner(arguments.work, environment, template: arguments.template)
    // Mistakes in the pipeline are reported before a large archive is listed.
    _ = try planner.check([])
    let delegation = try BatchDelegation(arguments)
    if let delegation, delegation.isByShard {
      return try delegation.performByShard(pipelineHash: try planner.pipelineHash([]))
    }
    let listing = try BatchInputs(in: environment, options: try arguments.inputOptions())
      .list(arguments.inputs, cancellation: Signals.cancellation)
    let warnings = try planner.check(listing.items)
    if arguments.work.run.warningsAreErrors, warnings.contains(where: { $0.severity == .warning }) {
      Messages.show(warnings)
      throw StrictWarnings(exitCode: .configuration)
    }
    if let delegation { return try delegation.printBuildFile(listing.items, &planner) }
    // Otherwise items that another batch finishes while the journal is read would be done twice. A
    // mistake
    // in the plan of a first batch should not leave a folder.
    let isFirst = try FileSystem.status(of: arguments.folder.path) == nil
    let early =
      isFirst || invocation.has(.dryRun)
      ? nil : try BatchLock(arguments.folder, shard: arguments.shard)
    let journal = try JournalContents(reading: arguments.folder)
    let plan = try BatchPlan(
      listing.items, planner: &planner, journal: journal, mode: arguments.mode,
      shard: arguments.shard,
      spool: arguments.spool, preferred: arguments.preferred, cancellation: Signals.cancellation)
    if invocation.has(.dryRun) {
      try StandardStream.output.write(
        invocation.has(.json) ? BatchPlanText.json(plan) : BatchPlanText.text(plan))
      return .success
    }
    let lock = try early ?? BatchLock(arguments.folder, shard: arguments.shard)
    if !lock.isEffective {
      Messages.warn(
        "\(arguments.folder.path): the volume does not support locks; make sure that no other batch writes there"
      )
    }
    Messages.show(warnings)
    if !plan.passedOver.isEmpty, !invocation.has(.quiet) {
      let count = plan.passedOver.count
      Messages.say(
        "\(count) scan\(count == 1 ? " is" : "s are") skipped: a preferred format exists")
    }
    let run = BatchSession(
      arguments, listing: listing, plan: plan,
      pipelineHash: try planner.pipelineHash(listing.items))
    defer { withExtendedLifetime(lock) {} }
    return try run.perform()
  }
}
