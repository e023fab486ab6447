import Synchronization

/// The cancellation of a whole run; requested from any thread.
public final class Cancellation: Cancellable {
  private let requested = Atomic(false)

  /// Creates the cancellation of a run that is not cancelled yet.
  public init() {}

  /// Cancels the run.
  public func request() { requested.store(true, ordering: .relaxed) }
  /// Whether the run is cancelled.
  public var isRequested: Bool { requested.load(ordering: .relaxed) }

  /// Throws when the run is cancelled.
  public func checkCancellation() throws(Cancelled) {
    if isRequested { throw Cancelled() }
  }
}

/// Work that can be cancelled.
public protocol Cancellable: Sendable {
  /// Throws when the run is cancelled.
  func checkCancellation() throws(Cancelled)
}

/// The run was cancelled through its ``StageContext``.
public struct Cancelled: UserError {
  /// Creates the error.
  public init() {}
  /// ``ExitCode/interrupted``.
  public var exitCode: ExitCode { .interrupted }
  /// The word `interrupted`.
  public var message: String { "interrupted" }
}
