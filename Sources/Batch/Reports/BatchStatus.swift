package import MeshPipeline

/// The state of a batch, from its journals and locks.
package struct BatchStatus: Sendable {
  /// The number of items in each state.
  package struct Counts: Sendable, Equatable {
    /// Items that succeeded.
    package var done = 0
    /// Items that will fail again as long as nothing changes.
    package var failed = 0
    /// Items that failed but are worth a retry.
    package var temporary = 0
    /// Finished items with warnings.
    package var warned = 0

    /// All finished items.
    package var all: Int { done + failed + temporary }

    init(_ entries: some Sequence<JournalEntry>) {
      for entry in entries {
        switch entry.state {
        case .done: done += 1
        case .failed: failed += 1
        case .temporary: temporary += 1
        }
        if entry.state == .done, !entry.warnings.isEmpty { warned += 1 }
      }
    }
  }

  /// A process is running it.
  package enum Activity: String, Sendable {
    case running
    /// It is complete: nothing is due.
    case finished
    /// It ended early.
    case stopped
    /// It has not started, according to its journal.
    case waiting
  }

  /// An undivided batch, or one of its shards.
  package struct Part: Sendable {
    /// Nil for an undivided batch.
    package var shard: Shard?
    /// Whether the part is running.
    package var activity: Activity
    /// The part's items in each state.
    package var counts: Counts
    /// The number of items to process, if the run had determined it.
    package var due: Int?
    /// The last run; nil for a shard without a journal.
    package var run: JournalHeader?
    /// The number of runs in its journal.
    var runCount = 0
    /// Whether a process holds its lock.
    var isLocked = false
    /// Items tried by the last run since it made its plan, and the time for them.
    var tried = 0
    var seconds = 0.0
  }

  /// The folder of the journals.
  package var folder: BatchFolder
  /// The shards of the present division.
  package var parts: [Part]
  /// The last entry of each item.
  package var entries: [JournalEntry]
  /// All runs that the entries come from.
  package var runs: [JournalHeader]
  /// The items in each state, over all parts.
  package var counts: Counts
  /// Unreadable lines of the journals; their items are due again.
  package var damagedLines: Int

  /// Reads the journals of a batch and checks whether it is running.
  ///
  /// - Throws: ``NoBatch`` if there is none.
  package init(of folder: BatchFolder) throws {
    self.folder = folder
    var journals: [(shard: Shard?, contents: JournalContents)] = []
    for journal in try folder.journals() {
      journals.append((journal.shard, try JournalContents(reading: journal.path)))
    }
    if journals.isEmpty { throw NoBatch(folder: folder) }
    let merged = JournalContents(
      merging: journals.map { ($0.shard?.count ?? 1, $0.contents) })
    entries = merged.entries
    runs = merged.runs
    damagedLines = merged.damagedLines.count
    counts = Counts(entries)
    parts = Self.parts(journals, folder)
  }

  /// The parts of the latest division, including those not started.
  private static func parts(
    _ journals: [(shard: Shard?, contents: JournalContents)], _ folder: BatchFolder
  ) -> [Part] {
    func start(_ contents: JournalContents) -> Int64 { contents.runs.last?.time ?? .min }
    let latest = journals.max { start($0.contents) < start($1.contents) }
    guard let count = latest?.shard?.count else {
      guard let whole = journals.first(where: { $0.shard == nil }) else { return [] }
      return [part(nil, whole.contents, folder)]
    }
    return (1...count).compactMap { number in
      let shard = Shard(number, of: count)
      return part(shard, journals.first { $0.shard == shard }?.contents, folder)
    }
  }

  private static func part(
    _ shard: Shard?, _ contents: JournalContents?, _ folder: BatchFolder
  ) -> Part {
    guard let contents else {
      return Part(shard: shard, activity: .waiting, counts: Counts([]))
    }
    let isLocked = BatchLock.isHeld(folder, shard: shard)
    if !isLocked, contents.plan == nil, contents.entries.isEmpty, contents.runs.count <= 1 {
      // A cluster submission writes the headers for its tasks.
      return Part(shard: shard, activity: .waiting, counts: Counts([]), run: contents.runs.last)
    }
    let due = contents.plan.map { max(0, $0.due - contents.triedSincePlan) }
    // A batch that writes its own report still holds the lock.
    var part = Part(
      shard: shard, activity: due == 0 ? .finished : isLocked ? .running : .stopped,
      counts: Counts(contents.entries), due: due, run: contents.runs.last)
    (part.runCount, part.isLocked) = (contents.runs.count, isLocked)
    if let plan = contents.plan {
      part.tried = contents.triedSincePlan
      let end = isLocked ? FileSystem.now : contents.entries.map(\.time).max() ?? plan.time
      part.seconds = max(0, Double(end - plan.time) * 1e-9)
    }
    return part
  }

  package var activity: Activity {
    let activities = Set(parts.map(\.activity))
    if activities.contains(.running) { return .running }
    return activities == [.finished] ? .finished : .stopped
  }

  /// The number of items to process; nil while a part does not know it.
  package var due: Int? {
    var sum = 0
    for part in parts {
      guard let due = part.due else { return nil }
      sum += due
    }
    return sum
  }

  /// Items per second, of all running parts, or of the last run if none is running; nil before the
  /// first item.
  package var rate: Double? {
    let isRunning = activity == .running
    var rate = 0.0
    for part in parts where part.tried > 0 && part.seconds > 0 {
      if !isRunning || part.activity == .running { rate += Double(part.tried) / part.seconds }
    }
    return rate > 0 ? rate : nil
  }

  /// Estimated remaining seconds at the present rate; nil if nothing is running or it is unknown.
  package var secondsLeft: Double? {
    guard activity == .running, let due, let rate else { return nil }
    return Double(due) / rate
  }
}

/// A folder without a batch.
package struct NoBatch: UserError, Equatable {
  package var folder: BatchFolder

  package var exitCode: ExitCode { .noInput }
  package var message: String {
    "\(folder.root): no batch has its outputs there; name the folder that the paths of '-o' begin with"
  }
}
