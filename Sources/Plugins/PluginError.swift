public import MeshPipeline

/// A failure of a plugin; the runner adds the stage's name.
public struct PluginError: UserError, Equatable {
  /// The kinds of fault.
  public enum Fault: Sendable, Equatable {
    /// The plugin reported an error.
    case told(ExitCode, String)
    /// Its program or library could not be started, and why.
    case notStarted(String)
    /// The SHA-256 of its program is not the one in the manifest.
    case changed(path: String)
    /// It speaks another version of the protocol.
    case version(String)
    /// Its process ended by a signal.
    case crashed(signal: Int32)
    /// Its process ended without a result.
    case endedEarly(status: Int32)
    /// It exceeded the time in its manifest.
    case timedOut(seconds: Double)
    /// It exceeded its memory limit, in bytes.
    case outOfMemory(limit: Int)
    /// Its output violates the protocol.
    case nonsense(String)
    /// It sent bytes after the result.
    case surplus(bytes: Int)
  }

  /// The name of the plugin.
  public var plugin: String
  /// What went wrong.
  public var fault: Fault
  /// The last lines of its error stream, such as those of a traceback.
  public var lastErrorLines: [String]
  /// The file to read or write; empty for a stage.
  public var file = ""

  init(plugin: String, fault: Fault, lastErrorLines: [String] = [], file: String = "") {
    self.plugin = plugin
    self.fault = fault
    self.lastErrorLines = lastErrorLines
    self.file = file
  }

  /// The code that the plugin reported, or the one of the fault.
  public var exitCode: ExitCode {
    switch fault {
    case .told(let code, _): Self.tellable.contains(code) ? code : .software
    case .notStarted, .changed, .version: .unavailable
    case .crashed, .endedEarly, .nonsense, .surplus: .software
    case .timedOut, .outOfMemory: .temporary
    }
  }

  /// The exit codes that a plugin may choose.
  private static let tellable: Set<ExitCode> = [
    .data, .noInput, .unavailable, .software, .inputOutput, .temporary,
  ]

  /// The plugin, its fault and its last output.
  public var message: String {
    let name = (file.isEmpty ? "" : "\(file): ") + "plugin '\(plugin)'"
    switch fault {
    case .told(_, let message): return "\(name): \(message)"
    case .notStarted(let reason): return "\(name) can't be started: \(reason)"
    case .changed(let path):
      return "\(name): the SHA-256 of \(path) does not match the manifest; it was changed"
    case .version(let reason): return "\(name): \(reason)"
    case .crashed(let signal): return "\(name) crashed (signal \(signal))" + words
    case .endedEarly(let status):
      return "\(name) ended without a result (status \(status))" + words
    case .timedOut(let seconds):
      return "\(name) was stopped after \(JSONValue.text(of: seconds)) s; "
        + "its manifest may allow more (\"limits\")" + words
    case .outOfMemory(let limit):
      return "\(name) exceeded its memory limit of \(limit >> 20) MB; "
        + "its manifest may allow more (\"limits\")" + words
    case .nonsense(let reason): return "\(name) sent invalid data: \(reason)" + words
    case .surplus(let bytes):
      return "\(name) wrote \(bytes) bytes after its result" + words
    }
  }

  private var words: String {
    lastErrorLines.isEmpty ? "" : "; its last output: \(lastErrorLines.joined(separator: " | "))"
  }
}
