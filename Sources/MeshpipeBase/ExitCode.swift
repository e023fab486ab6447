/// The exit codes of the command: sysexits, and one for partial success.
public enum ExitCode: Int32, Sendable, CaseIterable {
  /// Everything was done.
  case success = 0
  /// A batch finished, but some of its items failed.
  case partial = 3
  /// Wrong usage of the command.
  case usage = 64
  /// The scan is unusable, or an `expect` failed.
  case data = 65
  /// An input file does not exist or can't be read.
  case noInput = 66
  /// A stage, format or plugin is not available.
  case unavailable = 69
  /// An internal error of meshpipe.
  case software = 70
  /// An output can't be created or may not be overwritten.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// A limit of time or memory, or a lock: a retry may succeed.
  case temporary = 75
  /// The pipeline file is invalid.
  case configuration = 78
  /// Ended by SIGHUP: the terminal was closed.
  case hungUp = 129
  /// Interrupted by SIGINT.
  case interrupted = 130
  /// Terminated by SIGTERM.
  case terminated = 143

  /// The code of several tasks: success if none failed, ``partial`` if some succeeded, otherwise
  /// that of the first failure.
  package static func ofSeveral(firstFailure: ExitCode?, someDone: Bool) -> ExitCode {
    guard let firstFailure else { return .success }
    return someDone ? .partial : firstFailure
  }
}

/// An error for users: what happened, where, and the way out.
public protocol UserError: Error, Sendable {
  /// The exit code of the command.
  var exitCode: ExitCode { get }
  /// One or two sentences, starting with the file and location if there is one, without a full
  /// stop.
  var message: String { get }
}

extension Error {
  /// The message of any error: its own, or Swift's description.
  public var userMessage: String { (self as? any UserError)?.message ?? "\(self)" }
}
