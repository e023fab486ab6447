import MeshPipeline
import Synchronization

/// What the command tells its user on standard error.
enum Messages {
  /// Tells of an error.
  ///
  /// - Returns: The code to end with.
  static func report(_ error: any Error) -> ExitCode {
    if let error = error as? InvalidPipeline {
      show(error.diagnostics)
      return error.exitCode
    }
    guard let error = error as? any UserError else {
      say("error: \(error) (a fault of meshpipe's own; please report it)")
      return .software
    }
    say("error: \(error.message)")
    if let usage = error as? UsageError { say(usage.hint) }
    return error.exitCode
  }

  /// Shows what was found in a pipeline, each in a line of the form that compilers use.
  static func show(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics where shown.withLock({ $0.insert("\(diagnostic)").inserted }) {
      if diagnostic.position == .none { say("\(diagnostic)") } else { line("\(diagnostic)") }
    }
  }

  /// The diagnostics that were shown: for a second scan they are the same.
  private static let shown = Mutex<Set<String>>([])

  static func warn(_ message: String) { say("warning: \(message)") }

  /// Writes a line that begins with the command's name, as make and CI logs need it.
  static func say(_ message: String) { line("meshpipe: \(message)") }

  /// Writes lines that end with a line break.
  static func text(_ text: String) { try? StandardStream.errors.write(text) }

  /// Writes a line as it is; a standard error that can't be written to is nothing to die of.
  static func line(_ text: String) { try? StandardStream.errors.write(text + "\n") }
}
