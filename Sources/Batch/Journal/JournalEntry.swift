public import MeshPipeline

/// The result of an item: one line of the journal.
public struct JournalEntry: Sendable, Equatable {
  /// The outcome of an item.
  public enum State: String, Sendable, CaseIterable {
    /// All outputs are in place.
    case done
    /// It will fail again as long as nothing changes.
    case failed
    /// A limit of time or memory, a killed worker: worth a retry.
    case temporary
  }

  /// The state of a file when the item was finished.
  public struct File: Sendable, Equatable {
    /// As in the item or output.
    public var path: String
    /// In bytes.
    public var size: Int
    /// In nanoseconds since 1970; 0 if only the bytes count.
    public var modified: Int64
    /// Lower-case hexadecimal.
    public var sha256: String

    public init(path: String, size: Int, modified: Int64 = 0, sha256: String) {
      self.path = path
      self.size = size
      self.modified = modified
      self.sha256 = sha256
    }
  }

  /// ``BatchItem/name``.
  public var item: String
  /// The hash of the item's bytes, the resolved pipeline and the version of meshpipe; empty if the
  /// work ended before it was known.
  public var key: String
  /// Whether it succeeded, and if not, whether a retry may help.
  public var state: State
  public var exitCode: ExitCode
  /// Why it failed; empty if it did not.
  public var error: String
  /// The warnings of the run.
  public var warnings: [String]
  /// The time for the item, wall clock.
  public var seconds: Double
  /// The peak resident memory of the worker during the item, in bytes.
  public var peakMemory: Int
  /// The bytes of the item's files, as listed.
  public var size: Int
  /// The files read, for an item on disk.
  public var inputs: [File]
  /// Paths of missing files that would change the result.
  public var missing: [String]
  /// The files written, main files first.
  public var outputs: [File]
  /// Faces read and written.
  public var facesBefore: Int
  public var facesAfter: Int
  /// The path of the result's image, relative to the folder of the journal; empty if there is none.
  public var thumbnail: String
  /// The number of attempts in this batch, including this one.
  public var attempt: Int
  /// The shard that processed it: `3/16`; empty if the batch is not sharded.
  public var shard: String
  /// When the work ended, in nanoseconds since 1970; set by the journal if it is 0.
  public var time: Int64

  public init(item: String, key: String = "", state: State, exitCode: ExitCode = .success) {
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
