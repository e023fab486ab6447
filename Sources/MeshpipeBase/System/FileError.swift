import POSIX

/// An error of the operating system for users: which file, what was tried, and why it failed.
public struct FileError: UserError, Equatable {
  /// What was tried, which determines the exit code.
  public enum Action: String, Sendable {
    /// What messages say: "can't read", "can't write".
    case read, write, create, replace, remove, examine
  }

  /// What failed.
  public var action: Action
  /// The file or folder.
  public var path: String
  /// The `errno` of the failed call.
  public var code: Int32

  /// The code for a missing file.
  package static let noSuchFile = ENOENT

  /// The code for a file that another program wrote to while it was read.
  package static let changed = ESTALE
  /// The codes of failures that may be temporary.
  private static let passing: Set<Int32> = [changed, ENOMEM, EMFILE, ENFILE, EAGAIN]

  /// The error of the last failed call on this thread.
  public init(_ action: Action, _ path: String) {
    self.init(action, path, code: errno)
  }

  /// Creates the error of an error code of the system.
  public init(_ action: Action, _ path: String, code: Int32) {
    self.action = action
    self.path = path
    self.code = code
  }

  /// The code that fits the action and the reason.
  public var exitCode: ExitCode {
    if Self.passing.contains(code) { return .temporary }
    return switch action {
    case .read, .examine: code == EIO ? .inputOutput : .noInput
    case .create, .replace: Self.fullness.contains(code) ? .inputOutput : .cannotCreate
    case .write, .remove: .inputOutput
    }
  }

  /// The path, the action and the system's reason.
  public var message: String {
    if code == Self.changed { return "\(path): changed while it was read" }
    return "\(path): can't \(action.rawValue): \(Self.reason(code))"
  }

  /// A full disk is an input/output error, whichever call reported it.
  private static let fullness: Set<Int32> = [ENOSPC, EDQUOT, EIO, EFBIG]

  /// The system's description of an `errno`, for the middle of a sentence.
  package static func reason(_ code: Int32) -> String {
    guard let text = unsafe strerror(code) else { return "error \(code)" }
    let words = unsafe String(cString: text)
    return words.prefix(1).lowercased() + words.dropFirst()
  }
}
