package import MeshPipeline

/// The work of a batch: each item with its output paths, and whether and why it is due.
package struct BatchPlan {
  /// The treatment of items with a journal entry.
  package enum Mode: Sendable, Equatable {
    /// All items are processed again.
    case fresh
    /// Finished and failed items are skipped until something changes.
    case resume
    /// Failed items are retried.
    case retryFailed
  }

  /// Why an item is due, or not.
  package enum Reason: Sendable, Equatable {
    case new
    /// An input has changed.
    case changed(String)
    /// The archive has changed: whether the item has shows when it is unpacked.
    case archiveChanged(String)
    /// The pipeline, an option or the version of meshpipe has changed.
    case recipeChanged
    /// An output no longer exists, or was changed.
    case outputChanged(String)
    /// It failed, and is retried.
    case failedBefore(String)
    /// It failed, and nothing has changed.
    case stillFailing(String)
    case upToDate
    /// It is up to date, but processed again.
    case again

    package var text: String {
      switch self {
      case .new: "new"
      case .changed(let path): "changed: \(path)"
      case .archiveChanged(let path): "the archive changed: \(path)"
      case .recipeChanged: "the pipeline, an option or the version changed"
      case .outputChanged(let path): "the output changed or is gone: \(path)"
      case .failedBefore(let error): "failed before: \(error)"
      case .stillFailing(let error): "failed before, unchanged: \(error)"
      case .upToDate: "up to date"
      case .again: "up to date, but processed again without --resume"
      }
    }

    /// A name for programs.
    package var name: String {
      switch self {
      case .new: "new"
      case .changed: "changed"
      case .archiveChanged: "archiveChanged"
      case .recipeChanged: "recipeChanged"
      case .outputChanged: "outputChanged"
      case .failedBefore: "failedBefore"
      case .stillFailing: "stillFailing"
      case .upToDate: "upToDate"
      case .again: "again"
      }
    }

    package var isDue: Bool {
      switch self {
      case .upToDate, .stillFailing: false
      default: true
      }
    }
  }

  package struct Entry {
    /// The index of the item in the plan's list.
    package var index: Int
    package var item: BatchItem
    package var plan: OutputPlanner.Plan
    package var reason: Reason
    /// Its journal entry.
    package var known: JournalEntry?
    /// The destination of the outputs, as given by the user.
    package var outputNames: [String]

    package var isDue: Bool { reason.isDue }
  }

  package private(set) var entries: [Entry] = []
  /// Files that are outputs of other items and not scans themselves.
  package private(set) var products: [String] = []
  /// Scans that are skipped because a preferred format of the same scan exists.
  package private(set) var passedOver: [String] = []
  private let spool: OutputSpool?

  /// Makes the plan.
  ///
  /// Of items that would write the same file, the one in a preferred format is kept; if none is
  /// preferred, all of them fail.
  /// - Parameter preferred: File extensions, the best one first.
  /// - Throws: ``OutputCollision`` if only such items are left, ``InputInTheWay``, or
  ///   ``Cancelled``.
  package init(
    _ items: [BatchItem], planner: inout OutputPlanner, journal: JournalContents, mode: Mode,
    shard: Shard? = nil, spool: OutputSpool? = nil, preferred: [String] = [],
    cancellation: Cancellation = Cancellation()
  ) throws {
    self.spool = spool
    var planned: [(index: Int, item: BatchItem, plan: OutputPlanner.Plan)] = []
    for (index, item) in items.enumerated() {
      if cancellation.isRequested { throw Cancelled() }
      var item = item
      var plan = OutputPlanner.Plan(target: "", outputs: [], recipe: "")
      do {
        plan = try planner.plan(for: item)
      } catch let error as any UserError {
        item.fault = item.fault ?? BatchItem.Fault(exitCode: error.exitCode, message: error.message)
      }
      planned.append((index, item, plan))
    }
    let known = Set(journal.entries.flatMap { entry in entry.outputs.map(\.path) })
    let outputs = Dictionary(
      planned.flatMap { entry in entry.plan.outputs.map { ($0, entry.item.name) } },
      uniquingKeysWith: { first, _ in first })
    var scans: [Planned] = []
    for entry in planned {
      if case .disk(let path) = entry.item.origin, let writer = outputs[path],
        writer != entry.item.name || known.contains(path)
      {
        // An output of an earlier run among the scans is not a scan.
        guard known.contains(path) else { throw InputInTheWay(path: path, writer: writer) }
        products.append(path)
        continue
      }
      let names = entry.plan.outputs.map { spool?.nameForUser(of: $0) ?? $0 }
      scans.append(Planned(index: entry.index, item: entry.item, plan: entry.plan, names: names))
    }
    for entry in try settleClashes(of: scans, preferred, planner.template) {
      guard shard?.contains(entry.item.name) ?? true else { continue }
      let previous = journal[entry.item.name]
      var reason = reason(for: entry.item, plan: entry.plan, known: previous, mode: mode)
      if mode == .fresh, !reason.isDue { reason = .again }
      entries.append(
        Entry(
          index: entry.index, item: entry.item, plan: entry.plan, reason: reason, known: previous,
          outputNames: entry.names))
    }
  }

  /// An item with its output paths.
  private struct Planned {
    var index: Int
    var item: BatchItem
    var plan: OutputPlanner.Plan
    /// The destination of the outputs, as given by the user.
    var names: [String]
  }

  /// Skips scans with a preferred format, and marks other items that would write the same file as
  /// failed.
  private mutating func settleClashes(
    of scans: [Planned], _ preferred: [String], _ template: OutputTemplate
  ) throws -> [Planned] {
    var scans = scans
    // An item that can't be processed writes nothing.
    let clashes = OutputPlaces(scans.map { $0.item.fault == nil ? $0.names : [] }).clashes
    var left: Set<Int> = []
    var collisions: [OutputCollision] = []
    for clash in clashes {
      let ranks = clash.items.map { index in
        preferred.firstIndex(of: scans[index].item.place.fileExtension.lowercased()) ?? .max
      }
      if let best = ranks.min(), best < .max, ranks.filter({ $0 == best }).count == 1 {
        for (item, rank) in zip(clash.items, ranks) where rank > best { left.insert(item) }
        continue
      }
      let collision = OutputCollision(
        path: clash.path, otherPath: clash.otherPath,
        items: clash.items.map { scans[$0].item.name },
        wayOut: template.wayOut(of: clash.items.map { scans[$0].item }))
      collisions.append(collision)
      for item in clash.items {
        let message = "\(scans[item].item.name): \(collision.sentence); \(collision.wayOut)"
        scans[item].item.fault = BatchItem.Fault(exitCode: .usage, message: message)
      }
    }
    passedOver = left.sorted().map { scans[$0].item.name }
    let result = scans.indices.filter { !left.contains($0) }.map { scans[$0] }
    if var first = collisions.first, result.allSatisfy({ $0.item.fault != nil }) {
      first.others = Array(collisions.dropFirst())
      throw first
    }
    return result
  }

  /// Whether an item is due, and why.
  private func reason(
    for item: BatchItem, plan: OutputPlanner.Plan, known: JournalEntry?, mode: Mode
  ) -> Reason {
    guard let known else { return .new }
    if known.state != .done, mode == .retryFailed { return .failedBefore(known.error) }
    if let fault = item.fault {
      return known.error == fault.message ? .stillFailing(known.error) : .changed(item.name)
    }
    if let change = Self.change(of: item, since: known) { return change }
    guard !known.key.isEmpty,
      ItemKey.key(of: known, recipe: plan.recipe(ofResult: known.state)) == known.key
    else {
      return .recipeChanged
    }
    guard known.state == .done else { return .stillFailing(known.error) }
    if let output = known.outputs.first(where: { !stands($0) }) {
      return .outputChanged(output.path)
    }
    return .upToDate
  }

  /// The difference between the item's files and those in the journal; nil if there is none.
  private static func change(of item: BatchItem, since known: JournalEntry) -> Reason? {
    switch item.origin {
    case .archive(let path, _):
      guard let archive = known.inputs.first, archive.modified != 0,
        let status = try? FileSystem.status(of: path), status.size == archive.size,
        status.modified == archive.modified
      else { return .archiveChanged(path) }
      if let file = known.inputs.dropFirst().first(where: { !ItemKey.isUnchanged($0) }) {
        return .changed(file.path)
      }
    case .disk(let path):
      if known.inputs.isEmpty { return .changed(path) }
      if let file = known.inputs.first(where: { !ItemKey.isUnchanged($0) }) {
        return .changed(file.path)
      }
      if let file = known.missing.first(where: { FileSystem.canonicalPath(of: $0) != nil }) {
        return .changed(file)
      }
    }
    return nil
  }

  private func stands(_ output: JournalEntry.File) -> Bool {
    spool?.stands(output) ?? ItemKey.isUnchanged(output)
  }

  /// The due items.
  package func due(_ mode: Mode) -> [DueItem] {
    entries.filter(\.isDue).map { entry in
      // When an archive has changed, most of its items may be unchanged.
      var known: JournalEntry?
      if mode != .fresh, case .archiveChanged = entry.reason, let previous = entry.known,
        previous.outputs.allSatisfy(stands)
      {
        known = previous
      }
      return DueItem(item: entry.item, plan: entry.plan, known: known)
    }
  }
}

/// A scan that would be overwritten by another item's output.
package struct InputInTheWay: UserError, Equatable {
  package var path: String
  /// The item that would be written there.
  package var writer: String

  package var exitCode: ExitCode { .usage }
  package var message: String {
    "'\(path)' is one of the scans, and the output of '\(writer)' would replace it; "
      + "choose another folder for -o, or use --exclude"
  }
}
