import Synchronization

extension FileSystem {
  /// Folders that will be removed at the end of the run, with links resolved.
  private static let temporaryFolders = Mutex<[String]>([])

  /// Registers an existing folder to be removed, with its contents, at the end of the run.
  package static func noteTemporary(_ folder: String) {
    let place = canonicalPath(of: folder) ?? folder
    temporaryFolders.withLock { $0.append(place) }
  }

  /// Whether a file is in a folder that will be removed at the end of the run, such as that of an
  /// unpacked archive; lasting files must not refer to it.
  package static func isTemporary(_ path: String) -> Bool {
    let place = canonicalPath(of: path) ?? path
    return temporaryFolders.withLock { $0.contains { place.hasPrefix($0 + "/") } }
  }
}
