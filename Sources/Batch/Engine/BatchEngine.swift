public import MeshPipeline
import NativeLibraries

/// An item that is to be worked on.
public struct DueItem: Sendable {
  public var item: BatchItem
  public var plan: OutputPlanner.Plan
  /// What the journal says of it, when it may be that the item has not changed: that shows when it is unpacked.
  public var known: JournalEntry?

  public init(item: BatchItem, plan: OutputPlanner.Plan, known: JournalEntry? = nil) {
    self.item = item
    self.plan = plan
    self.known = known
  }
}

/// Works on many items at once, each in a worker process of its own, and outlives all that they do.
///
/// One thread feeds the workers, listens to them, watches time and memory, and records what became of
/// each item: the one that calls ``run(_:staging:record:)``. The workers end when it does.
public final class BatchEngine {
  public struct Options: Sendable {
    /// How many items are worked on at once.
    public var jobs = 1
    /// The seconds after which an item is given up.
    public var timeout: Double?
    /// The bytes of memory beyond which an item is given up.
    public var maximumMemory: Int?
    /// The bytes of memory that all items in work may need together.
    public var memory = Int.max
    /// How many times an item is tried again when a limit or a killed worker stopped it.
    public var retries = 1
    /// Whether the first failure is the last.
    public var failsFast = false
    /// The program that understands ``BatchWorker/verb``.
    public var executable: String
    /// Where half-written outputs are kept, on the volume of the outputs.
    public var stagingFolder: String

    public init(executable: String, stagingFolder: String) {
      self.executable = executable
      self.stagingFolder = stagingFolder
    }
  }

  /// How long workers have to come to an end when the batch is cut short.
  private static let patience = 1.0
  /// How often memory and clocks are looked at.
  private static let interval = 0.04
  /// A worker that keeps more than this after an item is replaced.
  private static let idleMemoryLimit = 768 << 20

  let work: BatchWork
  let options: Options
  let cancellation: Cancellation
  let observer: (BatchEvent) -> Void
  let slots: [WorkerSlot]
  private var budget: MemoryBudget
  /// Items that wait for a worker.
  private var ready: [WorkerSlot.Job] = []
  private var due: [String: DueItem] = [:]
  /// What is not recorded yet.
  var entries: [JournalEntry] = []
  private var feed: StagingFeed?
  private var failed = false
  private var workerCount = 0
  /// Workers that ended before they did anything, in a row.
  private var stillborn = 0
  private var lastLook = 0.0

  /// - Parameter observer: Told of what happens, on the thread that calls ``run(_:staging:record:)``.
  public init(
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

  /// Works on all items.
  ///
  /// - Parameters:
  ///   - items: What is to be done.
  ///   - staging: Unpacks the next of them, whichever that is; called on another thread.
  ///   - record: Keeps what became of items; called as soon as it is known.
  /// - Throws: ``Cancelled``, what `staging` and `record` throw, or when no worker can be started.
  public func run(
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

  /// Does what can be done and waits for more.
  ///
  /// - Returns: Whether there is more.
  private func step(_ feed: StagingFeed) throws -> Bool {
    if cancellation.isRequested { throw Cancelled() }
    for staged in try feed.take() { accept(staged) }
    if stopsEarly { feed.stop() } else { try assign() }
    let isWorking = slots.contains { $0.job != nil }
    if !isWorking, stopsEarly || ready.isEmpty && feed.isEmpty { return false }
    WorkerProcess.wait(
      for: slots.compactMap(\.process), or: [feed.descriptor], seconds: Self.interval)
    for slot in slots { try listen(to: slot) }
    watch()
    // Recording waits for the disk, and meanwhile the workers are to go on.
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

  /// Ends the work on an item, or puts it off.
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

  /// Says the last word about an item.
  private func conclude(_ job: WorkerSlot.Job, _ result: JournalEntry) {
    var entry = result
    entry.size = job.staged.item.size
    entry.attempt = job.attempt
    if job.staged.item.origin.archive != nil { entry.inputs = ItemKey.archiveInput(of: job.staged) }
    entry.key = ItemKey.key(of: entry, recipe: job.due.plan.recipe)
    if entry.state != .done { failed = true }
    entries.append(entry)
    observer(.finished(entry))
    letGo(of: job.staged)
  }

  private func letGo(of staged: StagedItem) {
    if let folder = staged.folder { try? FileSystem.removeFolder(folder) }
    feed?.release()
  }

  /// Tells of items that never came, so that each is accounted for.
  private func reportLost() {
    for (name, item) in due.sorted(by: { $0.key < $1.key }) {
      var entry = JournalEntry(item: name, state: .failed, exitCode: .noInput)
      entry.error = "was listed, but is not there any more"
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
    if process.isSilent { try ended(slot, process) }
  }

  private func finished(_ result: JournalEntry, _ slot: WorkerSlot) {
    guard let job = slot.job else { return }
    var entry = result
    entry.peakMemory = max(entry.peakMemory, slot.peak)
    budget.learn(size: job.staged.item.size, peak: entry.peakMemory)
    slot.job = nil
    slot.done += 1
    stillborn = 0
    finish(job, entry)
    observer(.idle(worker: slot.index))
    if let process = slot.process, entry.peakMemory > Self.idleMemoryLimit,
      process.residentMemory > Self.idleMemoryLimit
    {
      slot.end()
    }
  }

  /// Deals with a worker that has closed its output.
  private func ended(_ slot: WorkerSlot, _ process: WorkerProcess) throws {
    process.kill()
    let words = process.lastWords
    let ending = process.pollEnd()
    slot.end()
    guard slot.job != nil else {
      stillborn += slot.done == 0 ? 1 : 0
      if stillborn > 3 { throw WorkerLost(words: words) }
      return
    }
    giveUp(slot, WorkerLost.entry(for: ending, words: words))
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

  /// Gives up items that take too long or too much memory.
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
          WorkerLost.limit(
            "needs more than the \(ByteSize.text(of: limit)) of memory that an item may have"))
      } else if let timeout = options.timeout, now - slot.began > timeout {
        slot.end()
        giveUp(
          slot, WorkerLost.limit("was given up after \(JSONValue.text(of: timeout)) s"))
      }
    }
  }

  // MARK: Ending early

  /// Lets the workers come to a clean end, and ends those that don't.
  private func cutShort() {
    let end = MonotonicClock.seconds + Self.patience
    for slot in slots { slot.process?.closeInput() }
    while MonotonicClock.seconds < end {
      let running = slots.compactMap(\.process).filter { !$0.isSilent }
      if running.isEmpty { break }
      WorkerProcess.wait(for: running, or: [], seconds: 0.05)
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
