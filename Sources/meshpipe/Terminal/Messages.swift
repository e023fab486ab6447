import MeshPipeline

/// What the command tells its user on standard error.
enum Messages {
  /// Tells of an error.
  ///
  /// - Returns: The code to end with.
  static func report(_ error: any Error) -> ExitCode {
    guard let error = error as? any UserError else {
      say("error: \(error) (a fault of meshpipe's own; please report it)")
      return .software
    }
    say("error: \(error.message)")
    if let usage = error as? UsageError { say(usage.hint) }
    return error.exitCode
  }

  static func warn(_ message: String) { say("warning: \(message)") }

  /// Writes a line that begins with the command's name, as make and CI logs need it.
  static func say(_ message: String) { line("meshpipe: \(message)") }

  /// Writes a line as it is; a standard error that can't be written to is nothing to die of.
  static func line(_ text: String) { try? StandardStream.errors.write(text + "\n") }
}
