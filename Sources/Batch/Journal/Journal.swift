package import MeshPipeline
import POSIX
import Synchronization

/// The journal of a batch, open for writing: an append-only file with one line of JSON per item.
///
/// Entries are on disk when a call returns. Any number of threads may write, but only one process,
/// which ``BatchLock`` ensures.
package final class Journal: Sendable {
  package let path: String

  private struct State {
    var descriptor: Int32
    /// Whether the last line is incomplete.
    var isTorn: Bool
  }

  private let state: Mutex<State>

  /// Opens or creates the journal of a batch.
  ///
  /// - Precondition: The batch's lock is held.
  package init(_ folder: BatchFolder, shard: Shard? = nil) throws {
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
  package func begin(_ run: JournalHeader) throws(FileError) { try write([run.json]) }

  /// Writes the plan of the run.
  package func append(_ plan: JournalPlan) throws(FileError) { try write([plan.json]) }

  /// Writes results and waits until they are on disk, once for all of them.
  package func append(_ entries: [JournalEntry]) throws(FileError) {
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
      // Some network and FUSE volumes don't support it, which can't be helped.
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

/// The system's `write`, which is hidden by methods of the same name.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
  unsafe write(descriptor, bytes, count)
}
