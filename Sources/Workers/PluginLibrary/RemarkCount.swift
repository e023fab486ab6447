import Synchronization

/// Limits the number and size of a plugin's remarks in a report.
package final class RemarkCount: Sendable {
  /// The maximum number.
  package static let maximum = 1000
  /// The maximum total size in bytes.
  static let maximumLength = 1 << 22

  private let count = Atomic(0)
  private let length = Atomic(0)

  package init() {}

  /// Counts another one.
  ///
  /// - Parameter length: Its size in bytes.
  /// - Returns: Whether to keep it.
  package func hasRoom(forLength length: Int) -> Bool {
    let count = count.add(1, ordering: .relaxed).newValue
    return self.length.add(length, ordering: .relaxed).newValue <= Self.maximumLength
      && count <= Self.maximum
  }
}
