import Synchronization

/// A list of unique paths to which several threads may add.
final class SideFiles: Sendable {
  private struct Contents {
    var paths: [String] = []
    /// The same paths as a set: a capture may name a hundred thousand.
    var set: Set<String> = []
  }

  private let contents = Mutex(Contents())

  func add(_ path: String) {
    contents.withLock { if $0.set.insert(path).inserted { $0.paths.append(path) } }
  }

  /// The paths in the order in which they were first added.
  var paths: [String] { contents.withLock { $0.paths } }
}
