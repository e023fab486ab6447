package import MeshPipeline
import NativeLibraries

/// A required program that is not installed.
package struct MissingProgram: UserError, Equatable {
  package var name: String

  package var exitCode: ExitCode { .unavailable }
  package var message: String {
    "'\(name)' is not in the PATH; submit from a machine of the cluster"
  }
}

extension CompletedProgram {
  /// Runs a program found in `PATH`.
  ///
  /// - Throws: ``MissingProgram``, if it can't be started, and ``Cancelled``.
  init(
    named name: String, _ arguments: [String], cancellation: Cancellation = Cancellation()
  ) throws {
    guard let path = FileSystem.program(named: name) else { throw MissingProgram(name: name) }
    try self.init(path, arguments, cancellation: cancellation)
  }
}
