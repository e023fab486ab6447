import Synchronization

/// A list of paths without doubles that several threads may add to.
final class SideFiles: Sendable {
  private struct Contents {
    var paths: [String] = []
    /// The same paths: a capture may name a hundred thousand, too many to search the list for each.
    var set: Set<String> = []
  }

  private let contents = Mutex(Contents())

  func add(_ path: String) {
    contents.withLock { if $0.set.insert(path).inserted { $0.paths.append(path) } }
  }

  /// The paths in the order in which they were added first.
  var paths: [String] { contents.withLock { $0.paths } }
}
