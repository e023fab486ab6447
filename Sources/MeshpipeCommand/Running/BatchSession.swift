import Batch
import MeshPipeline

/// A running batch, with its journal, progress and summary.
struct BatchSession {
  private let arguments: BatchArguments
  private let listing: BatchListing
  private let plan: BatchPlan
  private let pipelineHash: String
  private var folder: BatchFolder { arguments.folder }

  init(
    _ arguments: BatchArguments, listing: BatchListing, plan: BatchPlan, pipelineHash: String
  ) {
    self.arguments = arguments
    self.listing = listing
    self.plan = plan
    self.pipelineHash = pipelineHash
  }

  /// Runs the batch.
  ///
  /// - Precondition: The batch's lock is held.
  func perform() throws -> ExitCode {
    let journal = try Journal(folder, shard: arguments.shard)
    try journal.begin(
      JournalHeader(
        pipeline: pipelineHash, arguments: Array(ProgramArguments.all.dropFirst()),
        isFresh: arguments.mode == .fresh, shard: arguments.shard))
    let due = plan.due(arguments.mode)
    try journal.append(JournalPlan(items: plan.entries.count, due: due.count))

    var tally = BatchTally(plan)
    let display = BatchDisplay(
      ProgressDisplay.style(
        named: arguments.invocation.value(of: .progress), isQuiet: arguments.invocation.has(.quiet)),
      jobs: arguments.jobs, due: due.count)
    var failure: (any Error)?
    do {
      if !due.isEmpty {
        try work(on: due, journal) { event in
          tally.take(event)
          display.show(event, tally)
        }
      }
      try signUpToDate()
      try assemble(hasNews: !due.isEmpty)
    } catch {
      failure = error
    }
    display.clear()
    display.end(tally)
    if !arguments.invocation.has(.quiet), display.style != .json { Messages.text(tally.summary) }
    // Even after an error, a report of the finished items is useful.
    try writeReports()
    if let failure { throw failure }
    return tally.exitCode
  }

  private func work(
    on due: [DueItem], _ journal: Journal, observer: @escaping (BatchEvent) -> Void
  ) throws {
    let staging = folder.staging(of: arguments.shard)
    // Leftovers of a killed batch.
    try? FileSystem.removeFolder(staging)
    if arguments.mode == .fresh, let spool = arguments.spool {
      try FileSystem.removeFolder(spool.folder)
    }
    try FileSystem.createFolder(staging + "/items")
    ExitHandlers.add { try? FileSystem.removeFolder(staging) }
    let engine = BatchEngine(
      arguments.work, options: try arguments.engineOptions(stagingFolder: staging),
      cancellation: Signals.cancellation, observer: observer)
    let wanted = Set(plan.entries.filter(\.isDue).map(\.index))
    // Used only on the staging thread.
    nonisolated(unsafe) let stager = ItemStager(
      listing, limits: try arguments.inputOptions().limits, in: staging + "/items",
      cancellation: Signals.cancellation
    ) { wanted.contains($0) }
    try engine.run(due, staging: { unsafe try stager.next() }) { entries in
      var entries = entries
      for index in entries.indices { entries[index].shard = arguments.shard?.text ?? "" }
      try journal.append(entries)
    }
  }

  /// Signs outputs of earlier runs that have lost their signature.
  private func signUpToDate() throws {
    let outputs = plan.entries.filter { !$0.isDue && $0.known?.state == .done }
      .map { $0.known?.outputs.map(\.path) ?? [] }
    try arguments.work.run.signature?.signUnsigned(outputs, unattended: Signals.cancellation)
  }

  /// Writes finished outputs into the archive.
  private func assemble(hasNews: Bool) throws {
    guard let spool = arguments.spool,
      try hasNews || FileSystem.status(of: spool.folder) != nil
    else { return }
    let contents = try JournalContents(reading: folder)
    let done = plan.entries.compactMap { contents[$0.item.name] }.filter { $0.state == .done }
    try spool.assemble(done, cancellation: Signals.cancellation)
    // Its bytes may be others now.
    let archive = spool.archive.path
    try Signature.removeStale(besideFiles: [archive])
    try arguments.invocation.settings.signature?.sign([[archive]])
  }

  private func writeReports() throws {
    let paths = arguments.invocation.values(of: .batchReport)
    if paths.isEmpty { return }
    let report = try BatchReport(ofFolders: [folder.root])
    for path in paths { try report.write(to: path) }
  }
}
