import Synchronization

extension FileSystem {
  /// Folders that will be removed at the end of the run, with links resolved.
  private static let passingFolders = Mutex<[String]>([])

  /// Records that a folder that exists, with all that is in it, goes when the run ends.
  public static func notePassing(_ folder: String) {
    let place = canonicalPath(of: folder) ?? folder
    passingFolders.withLock { $0.append(place) }
  }

  /// Whether a file lies in a folder that goes when the run ends, such as an archive's while it is
  /// unpacked: what is to last must not refer to it.
  public static func willPass(_ path: String) -> Bool {
    let place = canonicalPath(of: path) ?? path
    return passingFolders.withLock { $0.contains { place.hasPrefix($0 + "/") } }
  }
}
