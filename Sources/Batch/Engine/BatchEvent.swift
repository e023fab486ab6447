/// What a batch tells while it goes on.
public enum BatchEvent: Sendable {
  /// A worker, counted from 0, begins with an item.
  case started(worker: Int, item: BatchItem)
  /// How far a worker is with its item, from 0 to 1.
  case progress(worker: Int, fraction: Double, step: String)
  /// A worker has nothing to do.
  case idle(worker: Int)
  /// An item is tried again later, for this reason.
  case postponed(item: BatchItem, reason: String)
  /// The last word about an item.
  case finished(JournalEntry)
  /// What was unpacked turned out to be what the journal knows already: this, with the archive as it is now.
  case unchanged(JournalEntry)
}
