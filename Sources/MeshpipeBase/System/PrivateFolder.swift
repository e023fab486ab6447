import POSIX
import Synchronization

/// A folder that only this user can access, claimed as long as this process lives.
///
/// An unclaimed one was left by a killed process, and is removed when the next one is created next
/// to it.
package final class PrivateFolder: Sendable {
  /// The minimum age of a folder without its final name, in nanoseconds, to count as a leftover.
  private static let grace: Int64 = 60_000_000_000
  /// A folder has this in its name until it is claimed, so that it does not count as a leftover
  /// meanwhile.
  private static let unclaimed = "new-"

  package let path: String
  private let descriptor: Int32

  /// Makes a folder.
  ///
  /// - Parameter prefix: The prefix of its name, followed by six letters.
  package init(in parent: String, prefix: String) throws(FileError) {
    let new = try FileSystem.createPrivateFolder(prefix: "\(parent)/\(prefix)\(Self.unclaimed)")
    path = "\(parent)/\(prefix)\(new.suffix(6))"
    descriptor = Self.open(new)
    // On a volume without locks, no process can claim the folder to remove it either.
    if descriptor >= 0 { _ = flock(descriptor, LOCK_EX | LOCK_NB) }
    do {
      try FileSystem.rename(new, to: path)
    } catch {
      close(descriptor)
      try? FileSystem.removeFolder(new)
      throw FileError(.create, parent, code: error.code)
    }
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  private static func open(_ folder: String) -> Int32 {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    return unsafe POSIX.open(folder.systemPath, flags)
  }

  /// Removes unclaimed folders of this kind.
  package static func removeLeft(in parent: String, prefix: String) {
    for name in (try? FileSystem.names(inFolder: parent)) ?? [] where name.hasPrefix(prefix) {
      let rest = name.dropFirst(prefix.count)
      let isUnclaimed = rest.hasPrefix(unclaimed)
      let letters = isUnclaimed ? rest.dropFirst(unclaimed.count) : rest
      guard letters.utf8.count == 6,
        letters.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber) })
      else { continue }
      removeIfLeft("\(parent)/\(name)", olderThan: isUnclaimed ? grace : .min)
    }
  }

  private static func removeIfLeft(_ folder: String, olderThan grace: Int64) {
    let descriptor = open(folder)
    guard descriptor >= 0 else { return }
    defer { close(descriptor) }
    var status = stat()
    guard unsafe fstat(descriptor, &status) == 0, status.st_uid == geteuid(),
      status.st_mode & 0o777 == 0o700, age(of: status) > grace,
      flock(descriptor, LOCK_EX | LOCK_NB) == 0
    else { return }
    try? FileSystem.removeFolder(folder)
  }

  /// Nanoseconds since a name in the folder changed.
  private static func age(of status: stat) -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec) - FileStatus(status).modified
  }
}

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
