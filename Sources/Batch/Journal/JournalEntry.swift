package import MeshPipeline

/// The result of an item: one line of the journal.
package struct JournalEntry: Sendable, Equatable {
  /// The outcome of an item.
  package enum State: String, Sendable, CaseIterable {
    /// All outputs are in place.
    case done
    /// It will fail again as long as nothing changes.
    case failed
    /// A limit of time or memory, a killed worker: worth a retry.
    case temporary
  }

  /// The state of a file when the item was finished.
  package struct File: Sendable, Equatable {
    /// As in the item or output.
    package var path: String
    /// In bytes.
    package var size: Int
    /// In nanoseconds since 1970; 0 if only the bytes count.
    package var modified: Int64
    /// Lower-case hexadecimal.
    package var sha256: String

    package init(path: String, size: Int, modified: Int64 = 0, sha256: String) {
      self.path = path
      self.size = size
      self.modified = modified
      self.sha256 = sha256
    }
  }

  /// ``BatchItem/name``.
  package var item: String
  /// The hash of the item's bytes, the resolved pipeline and the version of meshpipe; empty if the
  /// work ended before it was known.
  package var key: String
  /// Whether it succeeded, and if not, whether a retry may help.
  package var state: State
  package var exitCode: ExitCode
  /// Why it failed; empty if it did not.
  package var error: String
  /// The warnings of the run.
  package var warnings: [String]
  /// The time for the item, wall clock.
  package var seconds: Double
  /// The peak resident memory of the worker during the item, in bytes.
  package var peakMemory: Int
  /// The bytes of the item's files, as listed.
  package var size: Int
  /// The files read, for an item on disk.
  package var inputs: [File]
  /// Paths of missing files that would change the result.
  package var missing: [String]
  /// The files written, main files first.
  package var outputs: [File]
  /// Faces read and written.
  package var facesBefore: Int
  package var facesAfter: Int
  /// The path of the result's image, relative to the folder of the journal; empty if there is none.
  package var thumbnail: String
  /// The number of attempts in this batch, including this one.
  package var attempt: Int
  /// The shard that processed it: `3/16`; empty if the batch is not sharded.
  package var shard: String
  /// When the work ended, in nanoseconds since 1970; set by the journal if it is 0.
  package var time: Int64

  package init(item: String, key: String = "", state: State, exitCode: ExitCode = .success) {
    self.item = item
    self.key = key
    self.state = state
    self.exitCode = exitCode
    error = ""
    warnings = []
    seconds = 0
    peakMemory = 0
    size = 0
    inputs = []
    missing = []
    outputs = []
    facesBefore = 0
    facesAfter = 0
    thumbnail = ""
    attempt = 1
    shard = ""
    time = 0
  }
}
