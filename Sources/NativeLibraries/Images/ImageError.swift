package import MeshpipeBase

/// An image that can't be read.
package struct ImageError: UserError, Equatable {
  package var path: String
  package var reason: String
  package var exitCode: ExitCode

  package init(_ path: String, _ reason: String, _ exitCode: ExitCode = .data) {
    self.path = path
    self.reason = reason
    self.exitCode = exitCode
  }

  package var message: String { "\(path): \(reason)" }
}
