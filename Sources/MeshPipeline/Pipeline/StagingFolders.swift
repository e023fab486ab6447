import MeshpipeBase
import Synchronization

/// The private folders of all unfinished transactions of this process.
///
/// The thread that ends the process after a signal removes them at once.
enum StagingFolders {
  private struct State {
    /// Where staging folders are created, if files can be moved from there; nil for next to the
    /// outputs.
    var root: String?
    /// Staging folders, and folders created for outputs that don't exist yet.
    var staging: [String] = []
    var made: [String] = []
    var isClosed = false
    /// The claim that keeps other processes from removing a staging folder as a leftover.
    var claims: [String: PrivateFolder] = [:]
    /// The output folders that were searched for leftovers.
    var swept: Set<String> = []
  }

  private static let state = Mutex(State())

  static var root: String? {
    get { state.withLock(\.root) }
    set { state.withLock { $0.root = newValue } }
  }

  /// Creates a private folder inside `parent`, or in the root on the same volume; `parent` is
  /// created too if it is missing.
  ///
  /// - Returns: The folder, and the parents created for it.
  static func create(in parent: String) throws -> (folder: String, made: [String]) {
    try state.withLock { state in
      if state.isClosed { throw Cancelled() }
      let made = try missingFolders(upTo: parent)
      try FileSystem.createFolder(parent)
      state.made += made
      let folder: String
      if let root = try root(for: parent, state.root) {
        folder = try FileSystem.createPrivateFolder(prefix: root + "/")
      } else {
        if state.swept.insert(parent).inserted {
          PrivateFolder.removeLeft(in: parent, prefix: prefix)
        }
        let claimed = try PrivateFolder(in: parent, prefix: prefix)
        folder = claimed.path
        state.claims[folder] = claimed
      }
      state.staging.append(folder)
      return (folder, made)
    }
  }

  /// The prefix of folders next to outputs.
  private static let prefix = ".meshpipe-"

  /// The root, if it is on the volume of `parent`.
  private static func root(for parent: String, _ root: String?) throws -> String? {
    guard let root, let device = try FileSystem.status(of: root)?.identity.device,
      try FileSystem.status(of: parent)?.identity.device == device
    else { return nil }
    return root
  }

  /// Removes a folder with its contents.
  static func remove(_ folder: String) {
    state.withLock { state in
      state.staging.removeAll { $0 == folder }
      try? FileSystem.removeFolder(folder)
      state.claims[folder] = nil
    }
  }

  /// Removes folders created for outputs if they are empty, or keeps them.
  static func settle(_ made: [String], keeping: Bool) {
    state.withLock { state in
      state.made.removeAll { made.contains($0) }
      if !keeping { for folder in made { FileSystem.removeEmptyFolder(folder) } }
    }
  }

  /// Performs something that the end of the process must not interrupt.
  static func whileOpen<Result>(_ body: () throws -> Result) throws -> Result {
    try state.withLock { state in
      if state.isClosed { throw Cancelled() }
      return try body()
    }
  }

  static func removeAll() {
    state.withLock { state in
      state.isClosed = true
      for folder in state.staging {
        // A writer still at work may add a file while the folder is being emptied.
        for _ in 0..<3 where (try? FileSystem.removeFolder(folder)) == nil {}
      }
      // A folder is empty only after its subfolders are gone, whose paths are longer.
      for folder in state.made.sorted(by: { $0.utf8.count > $1.utf8.count }) {
        FileSystem.removeEmptyFolder(folder)
      }
      state.staging = []
      state.made = []
    }
  }

  /// The folders that `createFolder` would create, the innermost first.
  static func missingFolders(upTo path: String) throws -> [String] {
    var missing: [String] = []
    var folder = path
    while try FileSystem.status(of: folder) == nil {
      missing.append(folder)
      let parent = FileSystem.folder(of: folder)
      if parent == folder { break }
      folder = parent
    }
    return missing
  }
}
