import Synchronization

/// What a stage may ask of, and tell to, the run that it is part of.
public final class StageContext: Sendable {
  private let cancellation: Cancellation
  private let onProgress: @Sendable (Double) -> Void
  private let record = Mutex(Record())

  private struct Record {
    var warnings: [String] = []
    var advice = 0
    var notes: [Note] = []
    var log: [String] = []
  }

  /// A figure for the report, such as the reached error of a decimation.
  public struct Note: Sendable, Equatable {
    public var key: String
    public var value: JSONValue
  }

  public init(
    cancellation: Cancellation = Cancellation(),
    onProgress: @escaping @Sendable (Double) -> Void = { _ in }
  ) {
    self.cancellation = cancellation
    self.onProgress = onProgress
  }

  /// Reports progress from 0 to 1, and throws ``Cancelled`` when the run is to stop.
  ///
  /// Cheap enough for every few thousand faces.
  public func progress(_ fraction: Double) throws(Cancelled) {
    try checkCancellation()
    onProgress(fraction)
  }

  /// Whether the run is to stop; for threads that can't throw.
  public var isCancelled: Bool { cancellation.isRequested }

  public func checkCancellation() throws(Cancelled) {
    if cancellation.isRequested { throw Cancelled() }
  }

  /// Tells the user of something suspicious that did not stop the stage.
  public func warn(_ message: String) {
    record.withLock { $0.warnings.append(message) }
  }

  /// Warns of what the machine lacks, which nothing in scan or pipeline could mend; `--strict` does not count it.
  public func advise(_ message: String) {
    record.withLock {
      $0.warnings.append(message)
      $0.advice += 1
    }
  }

  /// Puts a line into the report that is of no interest while all is well.
  public func log(_ line: String) {
    record.withLock { $0.log.append(line) }
  }

  /// Puts a figure into the report.
  public func note(_ key: String, _ value: JSONValue) {
    record.withLock { $0.notes.append(Note(key: key, value: value)) }
  }

  public var warnings: [String] { record.withLock { $0.warnings } }
  /// How many of the warnings are of the machine.
  public var adviceCount: Int { record.withLock { $0.advice } }
  public var notes: [Note] { record.withLock { $0.notes } }
  public var logLines: [String] { record.withLock { $0.log } }
}

/// The request to stop, shared by a whole run; set from any thread.
public final class Cancellation: Sendable {
  private let requested = Atomic(false)

  public init() {}

  public func request() { requested.store(true, ordering: .relaxed) }
  public var isRequested: Bool { requested.load(ordering: .relaxed) }
}
