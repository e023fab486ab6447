public import MeshPipeline
import Synchronization

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// The journal of a batch, open for writing: a file that only grows, one line of JSON for each item.
///
/// What a call of this has returned from is on the disk. Any number of threads may write; only one
/// process may, which ``BatchLock`` sees to.
public final class Journal: Sendable {
  public let path: String

  private struct State {
    var descriptor: Int32
    /// Whether the last line was not written to its end.
    var isTorn: Bool
  }

  private let state: Mutex<State>

  /// Opens the journal of a batch, or begins it.
  ///
  /// - Precondition: The batch's lock is held.
  public init(_ folder: BatchFolder, shard: Shard? = nil) throws {
    try folder.create()
    path = folder.journal(of: shard)
    let isNew = try FileSystem.status(of: path) == nil
    let descriptor = unsafe open(path.systemPath, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0o666)
    guard descriptor >= 0 else { throw FileError(.create, path) }
    state = Mutex(State(descriptor: descriptor, isTorn: Self.endsTorn(descriptor)))
    if isNew { try FileSystem.synchronize(folder.path) }
  }

  deinit { _ = state.withLock { close($0.descriptor) } }

  /// Writes the header of a run.
  public func begin(_ run: JournalRun) throws(FileError) { try write([run.json]) }

  /// Writes what the run found to do.
  public func append(_ plan: JournalPlan) throws(FileError) { try write([plan.json]) }

  /// Writes what became of items and waits until it is on the disk, once for all of them.
  public func append(_ entries: [JournalEntry]) throws(FileError) {
    let now = FileSystem.now
    try write(
      entries.map { entry in
        var entry = entry
        if entry.time == 0 { entry.time = now }
        return entry.json
      })
  }

  private func write(_ lines: [JSONValue]) throws(FileError) {
    if lines.isEmpty { return }
    var bytes: [UInt8] = []
    for line in lines {
      bytes += line.compactText.utf8
      bytes.append(UInt8(ascii: "\n"))
    }
    try state.withLock { state throws(FileError) in
      if state.isTorn { bytes.insert(UInt8(ascii: "\n"), at: 0) }
      state.isTorn = true
      var written = 0
      while written < bytes.count {
        let count = unsafe bytes.withUnsafeBytes { buffer in
          let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[written...])
          return unsafe systemWrite(state.descriptor, rest.baseAddress, rest.count)
        }
        if count >= 0 {
          written += count
        } else if errno != EINTR {
          throw FileError(.write, path)
        }
      }
      state.isTorn = false
      // Some network and FUSE volumes can't do it; there is nothing to be done then.
      if fsync(state.descriptor) != 0, errno != EINVAL, errno != ENOTSUP {
        throw FileError(.write, path)
      }
    }
  }

  /// Whether a file has bytes after its last line break.
  private static func endsTorn(_ descriptor: Int32) -> Bool {
    let size = lseek(descriptor, 0, SEEK_END)
    var last: UInt8 = 0
    guard size > 0, unsafe pread(descriptor, &last, 1, size - 1) == 1 else { return false }
    return last != UInt8(ascii: "\n")
  }
}

/// The system's `write`, which the methods of the same name hide.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
