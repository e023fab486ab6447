import MeshpipeBase
import Synchronization

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
  /// - Parameter start: When the run began, in nanoseconds since 1970.
  init(_ files: [File], since start: Int64) {
    self.files = files
    let work = Work(files, since: start)
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
    private let start: Int64
    private let results = Mutex<[Finding]>([])

    init(_ files: [File], since start: Int64) {
      self.files = files
      self.start = start
    }

    var findings: [Finding] { results.withLock { $0 } }

    func run() {
      let found = files.map { finding(of: $0) }
      results.withLock { $0 = found }
    }

    private func finding(of file: File) -> Finding {
      guard let before = try? FileSystem.status(of: file.path), before.isRegularFile,
        let hash = try? SHA256.hexadecimal(ofFile: file.path, cancellation: cancellation),
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
