package import MeshPipeline
import NativeLibraries

/// A completed run of a system program.
struct CompletedProgram {
  var succeeded: Bool
  /// The lines of its standard output.
  var lines: [String]
  /// The last line of its standard error.
  var lastErrorLine: String

  /// Runs a program found in `PATH`.
  ///
  /// - Throws: ``MissingProgram``, if it can't be started, and ``Cancelled``.
  init(
    _ name: String, _ arguments: [String], cancellation: Cancellation = Cancellation()
  ) throws {
    guard let path = FileSystem.program(named: name) else { throw MissingProgram(name: name) }
    let process = try LineProcess(executable: path, arguments: arguments)
    process.closeInput()
    lines = []
    while !process.hasClosedOutput {
      if cancellation.isRequested { throw Cancelled() }
      LineProcess.wait(for: [process], or: [], seconds: 0.2)
      lines += process.receive()
    }
    lastErrorLine = process.lastErrorLine
    while process.pollEnd() == nil {
      if cancellation.isRequested { throw Cancelled() }
      Self.pause(0.005)
    }
    succeeded = process.pollEnd()?.exitStatus == 0
  }

  static func pause(_ seconds: Double) { LineProcess.wait(for: [], or: [], seconds: seconds) }
}

/// A required program that is not installed.
package struct MissingProgram: UserError, Equatable {
  package var name: String

  package var exitCode: ExitCode { .unavailable }
  package var message: String {
    "'\(name)' is not in the PATH; submit from a machine of the cluster"
  }
}
