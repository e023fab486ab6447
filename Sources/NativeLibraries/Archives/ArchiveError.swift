public import MeshPipeline

/// An archive that can't be read, or exceeds a limit.
public struct ArchiveError: UserError, Equatable {
  public var path: String
  public var reason: String
  /// Whether only one entry is affected, so that the next one can be read.
  public var concernsEntryAlone: Bool

  public init(path: String, reason: String, concernsEntryAlone: Bool = false) {
    self.path = path
    self.reason = reason
    self.concernsEntryAlone = concernsEntryAlone
  }

  public var exitCode: ExitCode { .data }
  public var message: String { "\(path): the archive \(reason)" }
}
