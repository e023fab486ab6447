package import MeshPipeline

/// The contents of a journal: the last entry of each item since the last run from scratch.
package struct JournalContents: Sendable {
  /// The runs since the last one from scratch, including it.
  package private(set) var runs: [JournalHeader] = []
  /// The plan of the last run; nil if it ended before it had one.
  package private(set) var plan: JournalPlan?
  /// The number of items with an entry since ``plan``.
  package private(set) var triedSincePlan = 0
  /// One per item, in the order of the items' first appearance.
  package private(set) var entries: [JournalEntry] = []
  /// Unreadable lines, except those left incomplete by a killed run.
  package private(set) var damagedLines: [Int] = []
  /// Whether the file ends in an incomplete line.
  package private(set) var endsTorn = false

  private var places: [String: Int] = [:]
  private var itemsSincePlan: Set<String> = []
  private var lineCount = 0

  /// The last entry of an item; nil if there is none.
  package subscript(item: String) -> JournalEntry? { places[item].map { entries[$0] } }

  /// The empty journal of a batch that has not started.
  package init() {}

  /// Reads a journal; one that doesn't exist yet is empty.
  ///
  /// An incomplete last line is ignored, damaged lines in the middle are counted. Time and memory
  /// are linear in the length.
  /// - Throws: ``JournalError`` if a newer version of meshpipe wrote it, and `FileError`.
  package init(reading path: String) throws {
    guard try FileSystem.status(of: path) != nil else { return }
    var line: [UInt8] = []
    let reader = try BlockReader(path)
    while case var rest = try reader.next(), !rest.isEmpty {
      while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
        line += rest[..<end]
        try take(line, of: path)
        line.removeAll(keepingCapacity: true)
        rest = rest[(end + 1)...]
      }
      line += rest
    }
    if JSONReader.read(line).value != nil {
      // Only its line break is missing.
      try take(line, of: path)
    } else if !line.isEmpty {
      endsTorn = true
    }
    triedSincePlan = itemsSincePlan.count
    itemsSincePlan = []
  }

  private mutating func take(_ line: [UInt8], of path: String) throws(JournalError) {
    lineCount += 1
    if line.isEmpty { return }
    guard let json = JSONReader.read(line).value else {
      damagedLines.append(lineCount)
      return
    }
    if json["meshpipeJournal"] != nil {
      try begin(json, path)
    } else if let entry = JournalEntry(json) {
      add(entry)
    } else if let plan = JournalPlan(json) {
      self.plan = plan
      itemsSincePlan = []
    } else {
      damagedLines.append(lineCount)
    }
  }

  private mutating func begin(_ json: JSONValue, _ path: String) throws(JournalError) {
    if let version = json["meshpipeJournal"]?.wholeNumber, version > JournalHeader.formatVersion {
      let writer = json["meshpipe"]?.text ?? "a newer version"
      throw JournalError(
        "\(path):\(lineCount): written by meshpipe \(writer), in a format that \(meshpipeVersion) "
          + "does not support; use that version or another output folder")
    }
    guard let run = JournalHeader(json) else {
      damagedLines.append(lineCount)
      return
    }
    // The line before a run's header is where the previous run was killed.
    if damagedLines.last == lineCount - 1 { damagedLines.removeLast() }
    if run.isFresh {
      runs = []
      entries = []
      places = [:]
    }
    runs.append(run)
    plan = nil
    itemsSincePlan = []
  }

  private mutating func add(_ entry: JournalEntry) {
    if plan != nil { itemsSincePlan.insert(entry.item) }
    if let place = places[entry.item] {
      entries[place] = entry
    } else {
      places[entry.item] = entries.count
      entries.append(entry)
    }
  }

  /// Adds an entry of another journal unless there is a later one.
  mutating func merge(_ entry: JournalEntry) {
    if let place = places[entry.item], entries[place].time > entry.time { return }
    add(entry)
  }
}

extension JournalContents {
  /// Reads all journals of a batch together: for each item the last entry, whichever shard wrote
  /// it.
  ///
  /// If a batch is started from scratch with another number of shards, earlier entries of the
  /// former shards are ignored. So a resumed run may have more or fewer shards than the one before
  /// it.
  package init(reading folder: BatchFolder) throws {
    var journals: [(count: Int, contents: JournalContents)] = []
    for journal in try folder.journals() {
      journals.append((journal.shard?.count ?? 1, try JournalContents(reading: journal.path)))
    }
    self.init(merging: journals)
  }

  /// - Parameter journals: Each with its number of shards.
  init(merging journals: [(count: Int, contents: JournalContents)]) {
    let starts = journals.map { journal in
      (journal.count, journal.contents.runs.first.flatMap { $0.isFresh ? $0.time : nil } ?? .min)
    }
    for (count, contents) in journals {
      // The latest division started from scratch, among those that this journal is not part of.
      let forgotten = starts.filter { $0.0 != count }.map(\.1).max() ?? .min
      for entry in contents.entries where entry.time > forgotten { merge(entry) }
      runs += contents.runs.filter { $0.time > forgotten }
      damagedLines += contents.damagedLines
      endsTorn = endsTorn || contents.endsTorn
    }
    runs.sort { $0.time < $1.time }
  }
}

/// A journal that can't be used.
package struct JournalError: UserError, Equatable {
  package var message: String

  init(_ message: String) { self.message = message }

  package var exitCode: ExitCode { .unavailable }
}
