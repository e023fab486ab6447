package import MeshPipeline

/// A failure of a library unrelated to the scan: out of memory, or not installed.
package struct NativeLibraryError: UserError, Equatable {
  package var library: String
  package var reason: String

  package init(_ library: String, _ reason: String) {
    self.library = library
    self.reason = reason
  }

  package var exitCode: ExitCode { .unavailable }
  package var message: String { "\(library) \(reason)" }
}
