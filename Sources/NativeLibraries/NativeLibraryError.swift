package import MeshpipeBase

/// A failure of a library unrelated to the scan: out of memory, or not installed.
package struct NativeLibraryError: UserError, Equatable {
  package var library: String
  package var reason: String
  package var exitCode: ExitCode

  package init(_ library: String, _ reason: String, exitCode: ExitCode = .unavailable) {
    self.library = library
    self.reason = reason
    self.exitCode = exitCode
  }

  package var message: String { "\(library) \(reason)" }
}
