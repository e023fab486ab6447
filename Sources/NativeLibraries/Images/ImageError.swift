package import MeshPipeline

/// An image that can't be read.
package struct ImageError: UserError, Equatable {
  package var path: String
  package var reason: String

  package init(_ path: String, _ reason: String) {
    self.path = path
    self.reason = reason
  }

  package var exitCode: ExitCode { .data }
  package var message: String { "\(path): \(reason)" }
}
