import MeshpipeBase
import Synchronization

/// The hashes of the files of a run, each made once: what is kept of stages and the provenance both need them.
package final class RunHashes: Sendable {
  private final class Entry: Sendable {
    /// Locked while the file is hashed, so that another thread that needs it waits for it.
    let known = Mutex<(status: FileStatus, hash: String)?>(nil)
  }

  private let entries = Mutex<[[UInt8]: Entry]>([:])

  package init() {}

  /// The SHA-256 of a file in hexadecimal.
  ///
  /// - Parameter status: What the file is like now; one that was otherwise when it was hashed is hashed again.
  func sha256(
    of path: String, _ status: FileStatus, cancellation: Cancellation
  ) throws -> String {
    // By bytes: two names may differ in the form of an accent alone.
    let key = Array(path.utf8)
    let entry = entries.withLock { entries in
      let entry = entries[key] ?? Entry()
      entries[key] = entry
      return entry
    }
    return try entry.known.withLock { known in
      if let known, known.status == status { return known.hash }
      let hash = try SHA256.hexadecimal(ofFile: path, cancellation: cancellation)
      known = (status, hash)
      return hash
    }
  }
}

/// The hashes of a run's input files, made on a thread of their own while stages work.
final class InputHashes {
  /// A file to hash.
  struct File: Sendable {
    var path: String
    /// Without folders; of several in the scan's folder with those below it.
    var name: String
    /// Whether it is named by itself, however many there are.
    var isMain: Bool
    /// As it was before the run read it; nil if that is not known.
    var status: FileStatus?
  }

  /// What was found out about a file.
  enum Finding: Sendable, Equatable {
    case hash(String)
    /// What was read may not be what is there now.
    case changed
    /// It can't be read again.
    case unreadable
  }

  let files: [File]
  private let work: Work
  private var thread: SystemThread?

  /// Begins hashing.
  ///
  /// - Parameters:
  ///   - start: When the run began, in nanoseconds since 1970.
  ///   - known: The hashes that the run knows, to which these are added.
  init(_ files: [File], since start: Int64, known: RunHashes = RunHashes()) {
    self.files = files
    let work = Work(files, known, since: start)
    self.work = work
    thread = SystemThread { work.run() }
  }

  deinit {
    work.cancellation.request()
    thread?.join()
  }

  /// What was found, by file; waits for the end.
  func findings() -> [Finding] {
    if let thread {
      thread.join()
      self.thread = nil
    } else if work.findings.isEmpty {
      // The system allowed no more threads.
      work.run()
    }
    return work.findings
  }

  private final class Work: Sendable {
    let cancellation = Cancellation()
    private let files: [File]
    private let known: RunHashes
    private let start: Int64
    private let results = Mutex<[Finding]>([])

    init(_ files: [File], _ known: RunHashes, since start: Int64) {
      self.files = files
      self.known = known
      self.start = start
    }

    var findings: [Finding] { results.withLock { $0 } }

    func run() {
      let found = files.map { finding(of: $0) }
      results.withLock { $0 = found }
    }

    private func finding(of file: File) -> Finding {
      guard let before = try? FileSystem.status(of: file.path), before.isRegularFile,
        let hash = try? known.sha256(of: file.path, before, cancellation: cancellation),
        let after = try? FileSystem.status(of: file.path)
      else { return .unreadable }
      // Of a side file it is known only whether it was written since the run began; a time to come says nothing.
      let wasWritten =
        file.status == nil && after.modified >= start && after.modified <= FileSystem.now
      return after == before && file.status.map { $0 == before } ?? true && !wasWritten
        ? .hash(hash) : .changed
    }
  }
}
