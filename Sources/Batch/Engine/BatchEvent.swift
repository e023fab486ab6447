/// An event of a running batch.
package enum BatchEvent: Sendable {
  /// A worker, counted from 0, starts an item.
  case started(worker: Int, item: BatchItem)
  /// The progress of a worker's item, from 0 to 1.
  case progress(worker: Int, fraction: Double, step: String)
  /// A worker is idle.
  case idle(worker: Int)
  /// An item will be retried later, for this reason.
  case postponed(item: BatchItem, reason: String)
  /// The final result of an item.
  case finished(JournalEntry)
  /// An unpacked item matches its journal entry: this one, with the present state of the archive.
  case unchanged(JournalEntry)
}
