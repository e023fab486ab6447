package import MeshPipeline
import POSIX

/// Keeps two batches from working in one output folder at once.
///
/// A batch holds `lock` exclusively. Shards of a batch share it, and each has its own lock that no
/// other process for the same shard gets; shards of another division are refused. The locks are the
/// system's (`flock`): they end with the process however it ends, and a leftover file locks
/// nothing. Keep the object as long as the lock is needed.
package final class BatchLock {
  private var descriptors: [Int32] = []
  /// Whether the volume supports locks; if not, nothing is excluded, and the user should be warned.
  package private(set) var isEffective = true

  /// Takes the lock without waiting.
  ///
  /// - Throws: ``BatchLocked`` if another process has it, and `FileError`.
  package init(_ folder: BatchFolder, shard: Shard? = nil) throws {
    try folder.create()
    if let shard {
      guard try take(folder.lock(of: nil), LOCK_SH) else {
        throw BatchLocked(folder, Self.holder(folder.lock(of: nil)))
      }
      guard try take(folder.lock(of: shard), LOCK_EX) else {
        throw BatchLocked(folder, Self.holder(folder.lock(of: shard)), shard: shard)
      }
      // Both take their own before they check the other's, so that one of them sees it.
      for other in try folder.locks() where other.shard.map({ $0.count != shard.count }) ?? false {
        if Self.isLocked(other.path) {
          throw BatchLocked(folder, Self.holder(other.path), shard: other.shard)
        }
      }
    } else {
      guard try take(folder.lock(of: nil), LOCK_EX) else {
        let shard = try folder.locks().first { $0.shard != nil && Self.isLocked($0.path) }
        let path = shard?.path ?? folder.lock(of: nil)
        throw BatchLocked(folder, Self.holder(path), shard: shard?.shard)
      }
    }
  }

  deinit {
    // The shard's own lock is released first: a process that gets the common one must find the
    // others free.
    for descriptor in descriptors.reversed() {
      // Closing alone would leave the lock to a child process that has not yet begun its program.
      flock(descriptor, LOCK_UN)
      close(descriptor)
    }
  }

  private func take(_ path: String, _ operation: Int32) throws(FileError) -> Bool {
    let descriptor = unsafe open(path.systemPath, O_RDWR | O_CREAT | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    descriptors.append(descriptor)
    var tries = 0
    while flock(descriptor, operation | LOCK_NB) != 0 {
      switch errno {
      case EINTR: continue
      // A status query holds the lock for a moment.
      case EWOULDBLOCK where tries < 5:
        tries += 1
        usleep(20_000)
      case EWOULDBLOCK: return false
      case ENOSYS, ENOTSUP, ENOLCK, EINVAL:
        isEffective = false
        return true
      default: throw FileError(.create, path)
      }
    }
    if operation == LOCK_EX { Self.sign(descriptor) }
    return true
  }

  /// Records the lock's owner, for the message to others.
  private static func sign(_ descriptor: Int32) {
    let text = ProcessOwner.current.json.compactText + "\n"
    _ = ftruncate(descriptor, 0)
    _ = unsafe Array(text.utf8).withUnsafeBytes { bytes in
      unsafe pwrite(descriptor, bytes.baseAddress, bytes.count, 0)
    }
  }

  private static func holder(_ path: String) -> ProcessOwner? {
    guard let bytes = try? FileSystem.contents(of: path, limit: 1 << 12),
      let json = JSONReader.read(bytes).value
    else { return nil }
    return ProcessOwner(json)
  }

  /// Whether another process has an exclusive lock on a file.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = unsafe open(path.systemPath, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return flock(descriptor, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK
  }

  /// Whether a batch, or one of its shards, is running.
  package static func isHeld(_ folder: BatchFolder, shard: Shard? = nil) -> Bool {
    isLocked(folder.lock(of: shard))
  }
}

/// Another batch is running in the same output folder.
package struct BatchLocked: UserError, Equatable {
  package var message: String

  init(_ folder: BatchFolder, _ owner: ProcessOwner?, shard: Shard? = nil) {
    let who = shard.map { "shard \($0.text) of a batch" } ?? "another batch"
    let where_ = owner.map { " (process \($0.process) on \($0.host) since \($0.since))" } ?? ""
    message =
      "\(folder.root): \(who) is running there\(where_); wait until it ends, or use another output folder"
  }

  package var exitCode: ExitCode { .temporary }
}
