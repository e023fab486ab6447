/// The exit codes of the command: sysexits, and a code of our own for partial success.
public enum ExitCode: Int32, Sendable, CaseIterable {
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
  /// A fault of meshpipe's own.
  case software = 70
  /// An output can't be created or may not be overwritten.
  case cannotCreate = 73
  /// Reading or writing failed.
  case inputOutput = 74
  /// A limit of time or memory, or a lock: worth another try.
  case temporary = 75
  /// The pipeline file is invalid.
  case configuration = 78
  /// Ended by SIGHUP: the terminal was closed.
  case hungUp = 129
  /// Interrupted by SIGINT.
  case interrupted = 130
  /// Terminated by SIGTERM.
  case terminated = 143

  /// The code of several pieces of work: success when none failed, ``partial`` when some were done, and
  /// else that of the first failure.
  public static func ofSeveral(firstFailure: ExitCode?, someDone: Bool) -> ExitCode {
    guard let firstFailure else { return .success }
    return someDone ? .partial : firstFailure
  }
}

/// An error made for the eyes of a user: what happened, where, and the way out.
public protocol UserError: Error, Sendable {
  /// The code that the command ends with.
  var exitCode: ExitCode { get }
  /// One sentence or two, starting with the file and place where there is one, without a final stop.
  var message: String { get }
}

extension Error {
  /// What to tell a user of any error: its own message, or else what Swift says of it.
  public var userMessage: String { (self as? any UserError)?.message ?? "\(self)" }
}

/// The run was cancelled through its ``StageContext``.
public struct Cancelled: UserError {
  public init() {}
  public var exitCode: ExitCode { .interrupted }
  public var message: String { "interrupted" }
}
