package import MeshpipeBase

/// An archive that can't be read, or exceeds a limit.
package struct ArchiveError: UserError, Equatable {
  package var path: String
  package var reason: String
  /// Whether only one entry is affected, so that the next one can be read.
  package var concernsEntryAlone: Bool
  /// That of data, unless the system or the installation is at fault.
  package var exitCode: ExitCode

  package init(
    path: String, reason: String, concernsEntryAlone: Bool = false, exitCode: ExitCode = .data
  ) {
    self.path = path
    self.reason = reason
    self.concernsEntryAlone = concernsEntryAlone
    self.exitCode = exitCode
  }

  package var message: String { "\(path): the archive \(reason)" }
}
