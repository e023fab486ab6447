import Synchronization

/// Limits the number and size of a plugin's remarks in a report.
public final class RemarkCount: Sendable {
  /// The maximum number.
  public static let maximum = 1000
  /// The maximum total size in bytes.
  static let maximumLength = 1 << 22

  private let count = Atomic(0)
  private let length = Atomic(0)

  public init() {}

  /// Counts another one.
  ///
  /// - Parameter length: Its size in bytes.
  /// - Returns: Whether to keep it.
  public func hasRoom(forLength length: Int) -> Bool {
    let count = count.add(1, ordering: .relaxed).newValue
    return self.length.add(length, ordering: .relaxed).newValue <= Self.maximumLength
      && count <= Self.maximum
  }
}
