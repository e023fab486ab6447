import Synchronization

/// Counts the lines and figures that a plugin adds to a report; what comes after too many is not kept.
public final class RemarkCount: Sendable {
  /// How many are kept.
  public static let maximum = 1000

  private let count = Atomic(0)

  public init() {}

  /// Counts one more.
  ///
  /// - Returns: Whether it is to be kept.
  public func hasRoomForOneMore() -> Bool {
    count.add(1, ordering: .relaxed).newValue <= Self.maximum
  }
}
