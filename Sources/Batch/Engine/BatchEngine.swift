package import MeshPipeline
import NativeLibraries

/// An item to process.
package struct DueItem: Sendable {
  package var item: BatchItem
  package var plan: OutputPlanner.Plan
  /// Its journal entry, if it may be unchanged, which shows only when it is unpacked.
  package var known: JournalEntry?

  package init(item: BatchItem, plan: OutputPlanner.Plan, known: JournalEntry? = nil) {
    self.item = item
    self.plan = plan
    self.known = known
  }
}

/// Processes many items at once, each in a worker process, and survives whatever they do.
///
/// One thread, the caller of ``run(_:staging:record:)``, feeds the workers, reads their output,
/// watches time and memory, and records the results. The workers end with it.
package final class BatchEngine {
  package struct Options: Sendable {
    /// The number of items processed at once.
    package var jobs = 1
    /// The time limit of an item in seconds.
    package var timeout: Double?
    /// The memory limit of an item in bytes.
    package var maximumMemory: Int?
    /// The memory in bytes for all running items together.
    package var memory = Int.max
    /// How often an item is retried after it exceeded a limit or its worker was killed.
    package var retries = 1
    /// Whether to stop after the first failure.
    package var failsFast = false
    /// The program to start as ``BatchWorker/verb``.
    package var executable: String
    /// The folder for partial outputs, on the volume of the outputs.
    package var stagingFolder: String

    package init(executable: String, stagingFolder: String) {
      self.executable = executable
      self.stagingFolder = stagingFolder
    }
  }

  /// How long workers get to end when the batch is stopped.
  private static let gracePeriod = 1.0
  /// The interval of checking memory and clocks.
  private static let interval = 0.04
  /// A worker that keeps more memory than this after an item is replaced.
  private static let idleMemoryLimit = 768 << 20

  let work: BatchWork
  let options: Options
  let cancellation: Cancellation
  let observer: (BatchEvent) -> Void
  let slots: [WorkerSlot]
  private var budget: MemoryBudget
  /// Items waiting for a worker.
  private var ready: [WorkerSlot.Job] = []
  private var due: [String: DueItem] = [:]
  /// Results not recorded yet.
  var entries: [JournalEntry] = []
  private var feed: StagingFeed?
  private var failed = false
  private var workerCount = 0
  /// The number of consecutive workers that ended before doing anything.
  private var failedStarts = 0
  private var lastLook = 0.0

  /// - Parameter observer: Called with events, on the thread that calls ``run(_:staging:record:)``.
  package init(
    _ work: BatchWork, options: Options, cancellation: Cancellation = Cancellation(),
    observer: @escaping (BatchEvent) -> Void = { _ in }
  ) {
    self.work = work
    self.options = options
    self.cancellation = cancellation
    self.observer = observer
    slots = (0..<max(1, options.jobs)).map { WorkerSlot(index: $0) }
    budget = MemoryBudget(total: options.memory)
  }

  /// Processes all items.
  ///
  /// - Parameters:
  ///   - items: The items to process.
  ///   - staging: Unpacks the next of them, in any order; called on another thread.
  ///   - record: Records results; called as soon as they are known.
  /// - Throws: ``Cancelled``, errors of `staging` and `record`, or when no worker can be started.
  package func run(
    _ items: [DueItem], staging: @escaping @Sendable () throws -> StagedItem?,
    record: ([JournalEntry]) throws -> Void
  ) throws {
    due = Dictionary(items.map { ($0.item.name, $0) }, uniquingKeysWith: { first, _ in first })
    let feed = try StagingFeed(capacity: 2 * slots.count + 2, next: staging)
    self.feed = feed
    feed.start()
    defer {
      feed.stop()
      for slot in slots { slot.end() }
      feed.waitForEnd()
      self.feed = nil
    }
    do {
      while try step(feed) { try flush(record) }
      if !stopsEarly { reportLost() }
      try flush(record)
    } catch {
      cutShort()
      try flush(record)
      throw error
    }
  }

  private func flush(_ record: ([JournalEntry]) throws -> Void) throws {
    if entries.isEmpty { return }
    try record(entries)
    entries = []
  }

  private var stopsEarly: Bool { failed && options.failsFast }

  /// Does what is possible and waits for more.
  ///
  /// - Returns: Whether there is more to do.
  private func step(_ feed: StagingFeed) throws -> Bool {
    if cancellation.isRequested { throw Cancelled() }
    for staged in try feed.take() { accept(staged) }
    if stopsEarly { feed.stop() } else { try assign() }
    let isWorking = slots.contains { $0.job != nil }
    if !isWorking, stopsEarly || ready.isEmpty && feed.isEmpty { return false }
    LineProcess.wait(
      for: slots.compactMap(\.process), or: [feed.descriptor], seconds: Self.interval)
    for slot in slots { try listen(to: slot) }
    watch()
    // Recording waits for the disk, during which the workers continue.
    if !stopsEarly { try assign() }
    return true
  }

  // MARK: Items

  private func accept(_ staged: StagedItem) {
    guard let due = due.removeValue(forKey: staged.item.name) else {
      return letGo(of: staged)
    }
    let job = WorkerSlot.Job(staged: staged, due: due)
    if let fault = due.item.fault ?? staged.fault {
      var entry = JournalEntry(
        item: staged.item.name, state: fault.exitCode == .temporary ? .temporary : .failed,
        exitCode: fault.exitCode)
      entry.error = fault.message
      conclude(job, entry)
    } else if let known = due.known, ItemKey.isCurrent(known, staged, due.plan) {
      let entry = ItemKey.refreshed(known, staged)
      entries.append(entry)
      observer(.unchanged(entry))
      letGo(of: staged)
    } else {
      ready.append(job)
    }
  }

  private func assign() throws {
    for slot in slots where slot.job == nil && !ready.isEmpty {
      let needs = slots.filter { $0.job != nil }.map { max($0.need, $0.peak) }
      guard
        let index = ready.firstIndex(where: {
          budget.admits(size: $0.staged.item.size, beside: needs)
        })
      else { return }
      if slot.process == nil { try startWorker(slot) }
      let job = ready.remove(at: index)
      slot.begin(job, need: budget.estimate(size: job.staged.item.size))
      observer(.started(worker: slot.index, item: job.staged.item))
    }
  }

  private func startWorker(_ slot: WorkerSlot) throws {
    workerCount += 1
    try slot.start(
      options.executable, work, stagingFolder: "\(options.stagingFolder)/\(workerCount)")
  }

  /// Ends an item, or schedules a retry.
  private func finish(_ job: WorkerSlot.Job, _ result: JournalEntry) {
    if result.state == .temporary, job.attempt <= options.retries, !stopsEarly {
      var job = job
      job.attempt += 1
      ready.append(job)
      observer(.postponed(item: job.staged.item, reason: result.error))
      return
    }
    conclude(job, result)
  }

  /// Records an item's final result.
  private func conclude(_ job: WorkerSlot.Job, _ result: JournalEntry) {
    var entry = result
    entry.size = job.staged.item.size
    entry.attempt = job.attempt
    if job.staged.item.origin.archive != nil {
      entry.inputs = ItemKey.archiveInput(of: job.staged) + entry.inputs
    }
    entry.key = ItemKey.key(of: entry, recipe: job.due.plan.recipe(ofResult: entry.state))
    if entry.state != .done { failed = true }
    entries.append(entry)
    observer(.finished(entry))
    letGo(of: job.staged)
  }

  private func letGo(of staged: StagedItem) {
    if let folder = staged.folder { try? FileSystem.removeFolder(folder) }
    feed?.release()
  }

  /// Reports items that were never staged, so that each is accounted for.
  private func reportLost() {
    for (name, item) in due.sorted(by: { $0.key < $1.key }) {
      var entry = JournalEntry(item: name, state: .failed, exitCode: .noInput)
      entry.error = "was listed, but no longer exists"
      entry.size = item.item.size
      failed = true
      entries.append(entry)
      observer(.finished(entry))
    }
    due = [:]
  }

  // MARK: Workers

  private func listen(to slot: WorkerSlot) throws {
    guard let process = slot.process else { return }
    for line in process.receive() {
      switch WorkerReply(line) {
      case .progress(let fraction, let step):
        if slot.job != nil {
          observer(.progress(worker: slot.index, fraction: fraction, step: step))
        }
      case .finished(let entry): finished(entry, slot)
      case nil: break
      }
    }
    if process.hasClosedOutput { try ended(slot, process) }
  }

  private func finished(_ result: JournalEntry, _ slot: WorkerSlot) {
    guard let job = slot.job else { return }
    var entry = result
    entry.peakMemory = max(entry.peakMemory, slot.peak)
    budget.learn(size: job.staged.item.size, peak: entry.peakMemory)
    slot.job = nil
    slot.done += 1
    failedStarts = 0
    finish(job, entry)
    observer(.idle(worker: slot.index))
    if let process = slot.process, entry.peakMemory > Self.idleMemoryLimit,
      process.residentMemory > Self.idleMemoryLimit
    {
      slot.end()
    }
  }

  /// Handles a worker that has closed its output.
  private func ended(_ slot: WorkerSlot, _ process: LineProcess) throws {
    process.kill()
    let words = process.lastErrorLine
    let ending = process.pollEnd()
    slot.end()
    guard slot.job != nil else {
      failedStarts += slot.done == 0 ? 1 : 0
      if failedStarts > 3 { throw WorkerFailure(words: words) }
      return
    }
    giveUp(slot, WorkerFailure.entry(for: ending, words: words))
  }

  private func giveUp(_ slot: WorkerSlot, _ result: JournalEntry) {
    guard let job = slot.job else { return }
    var entry = result
    entry.item = job.staged.item.name
    entry.seconds = MonotonicClock.seconds - slot.began
    entry.peakMemory = max(slot.peak, result.peakMemory)
    if case .disk(let path) = job.staged.item.origin { entry.inputs = ItemKey.input(path) }
    slot.job = nil
    finish(job, entry)
    observer(.idle(worker: slot.index))
  }

  /// Aborts items that exceed their time or memory limit.
  private func watch() {
    let now = MonotonicClock.seconds
    guard now - lastLook >= Self.interval / 2 else { return }
    lastLook = now
    for slot in slots where slot.job != nil {
      slot.peak = max(slot.peak, slot.process?.residentMemory ?? 0)
      if let limit = options.maximumMemory, slot.peak > limit {
        slot.end()
        giveUp(
          slot,
          WorkerFailure.limit(
            "exceeded the memory limit of \(ByteSize.text(of: limit))"))
      } else if let timeout = options.timeout, now - slot.began > timeout {
        slot.end()
        giveUp(
          slot, WorkerFailure.limit("was stopped after \(JSONValue.text(of: timeout)) s"))
      }
    }
  }

  // MARK: Stopping

  /// Lets the workers end cleanly, and kills those that don't.
  private func cutShort() {
    let end = MonotonicClock.seconds + Self.gracePeriod
    for slot in slots { slot.process?.closeInput() }
    while MonotonicClock.seconds < end {
      let running = slots.compactMap(\.process).filter { !$0.hasClosedOutput }
      if running.isEmpty { break }
      LineProcess.wait(for: running, or: [], seconds: 0.05)
      for slot in slots {
        for line in slot.process?.receive() ?? [] {
          if case .finished(let entry)? = WorkerReply(line) { finished(entry, slot) }
        }
      }
    }
    for slot in slots {
      slot.end()
      if let job = slot.job { letGo(of: job.staged) }
      slot.job = nil
    }
    for job in ready { letGo(of: job.staged) }
    ready = []
  }
}
