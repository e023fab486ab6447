import Synchronization

/// A list of paths without doubles that several threads may add to.
final class SideFiles: Sendable {
  private let list = Mutex<[String]>([])

  func add(_ path: String) {
    list.withLock { if !$0.contains(path) { $0.append(path) } }
  }

  var paths: [String] { list.withLock { $0 } }
}
