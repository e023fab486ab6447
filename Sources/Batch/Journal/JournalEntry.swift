public import MeshPipeline

/// What became of an item: one line of the journal.
public struct JournalEntry: Sendable, Equatable {
  /// How the work on an item ended.
  public enum State: String, Sendable, CaseIterable {
    /// All outputs are in place.
    case done
    /// It will fail again as long as nothing changes.
    case failed
    /// A limit of time or memory, a killed worker: worth another try.
    case temporary
  }

  /// A file as it was when the item was done.
  public struct File: Sendable, Equatable {
    public var path: String
    public var size: Int
    /// In nanoseconds since 1970; 0 where only the bytes count.
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
  /// The hash of the item's bytes, the resolved pipeline and the version of meshpipe; empty when the work
  /// ended before it was known.
  public var key: String
  public var state: State
  public var exitCode: ExitCode
  /// Why it failed; empty when it did not.
  public var error: String
  public var warnings: [String]
  public var seconds: Double
  /// The highest resident memory of the worker during the item, in bytes.
  public var peakMemory: Int
  /// The bytes of the item's files, as listed.
  public var size: Int
  /// What was read, for an item on disk.
  public var inputs: [File]
  /// Paths at which files were looked for in vain.
  public var missing: [String]
  /// What was written, main files first.
  public var outputs: [File]
  /// Faces read and written.
  public var facesBefore: Int
  public var facesAfter: Int
  /// The path of the picture of the result, relative to the folder of the journal; empty when there is none.
  public var thumbnail: String
  /// How many times the item was tried in this batch, this time included.
  public var attempt: Int
  /// The shard that did it: `3/16`; empty when the batch is not sharded.
  public var shard: String
  /// When the work ended, in nanoseconds since 1970; the journal sets it when it is 0.
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
