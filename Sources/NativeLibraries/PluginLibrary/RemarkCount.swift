import Synchronization

/// Counts what a plugin adds to a report, line by line and figure by figure; what is too much is not kept.
public final class RemarkCount: Sendable {
  /// How many are kept.
  public static let maximum = 1000
  /// How many bytes they may have in all.
  static let maximumLength = 1 << 22

  private let count = Atomic(0)
  private let length = Atomic(0)

  public init() {}

  /// Counts one more.
  ///
  /// - Parameter length: Its bytes.
  /// - Returns: Whether it is to be kept.
  public func hasRoom(forLength length: Int) -> Bool {
    let count = count.add(1, ordering: .relaxed).newValue
    return self.length.add(length, ordering: .relaxed).newValue <= Self.maximumLength
      && count <= Self.maximum
  }
}
