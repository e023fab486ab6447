import MeshPipeline
import Synchronization

/// The command's messages on standard error.
enum Messages {
  /// Whether every line is a JSON object, for `--progress json`.
  static var areJSON: Bool {
    get { json.load(ordering: .relaxed) }
    set { json.store(newValue, ordering: .relaxed) }
  }

  private static let json = Atomic(false)

  /// Reports an error.
  ///
  /// - Returns: The code to end with.
  static func report(_ error: any Error) -> ExitCode {
    if let error = error as? InvalidPipeline {
      show(error.diagnostics)
      if areJSON { object("error", "the pipeline is invalid", error.exitCode) }
      return error.exitCode
    }
    guard let error = error as? any UserError else {
      tell("error", "\(error) (an internal error; please report it)", .software)
      return .software
    }
    if error.exitCode == .interrupted {
      // The terminal has shown ^C after the progress bar.
      if StandardStream.errors.isTerminal, !areJSON { text("\r\u{1B}[K") }
      areJSON ? object("error", error.message, error.exitCode) : say(error.message)
      return error.exitCode
    }
    tell("error", error.message, error.exitCode)
    if let error = error as? any HintingError, !areJSON { say(error.hint) }
    return error.exitCode
  }

  static func warn(_ message: String) { tell("warning", message) }

  /// Reads something and shows what the context was warned of, also when reading fails: it may say why.
  static func warning<Result>(
    of context: ReadingContext, _ read: () throws -> Result
  ) rethrows -> Result {
    defer { for warning in context.stage.warnings { warn(warning) } }
    return try read()
  }

  /// Shows the diagnostics of a pipeline, one line each, in the format of compilers.
  static func show(_ diagnostics: [Diagnostic]) {
    for diagnostic in diagnostics where shown.withLock({ $0.insert("\(diagnostic)").inserted }) {
      if areJSON {
        object(diagnostic)
        continue
      }
      let prefix = diagnostic.position == .none ? "meshpipe: " : ""
      let text = PrivateInputs.shown.readable("\(diagnostic)").withoutControlCharacters
      line(prefix + TerminalColor.marking("\(diagnostic.severity.rawValue):", in: text))
      if StandardStream.errors.isTerminal {
        for excerpt in SourceExcerpt.lines(of: diagnostic) {
          line(excerpt.withoutTerminalCommands)
        }
      }
    }
  }

  /// The diagnostics shown so far: they are the same for a second scan.
  private static let shown = Mutex<Set<String>>([])

  /// Writes a line that begins with the command's name, for logs of make and CI.
  static func say(_ message: String) { line("meshpipe: \(message)") }

  /// Writes lines that end with a line break; failures to write to standard error are ignored.
  static func text(_ text: String) { try? StandardStream.errors.write(text) }

  /// Writes an object of JSON on a line.
  static func object(_ members: [JSONValue.Member]) {
    line(PrivateInputs.shown.readable(JSONValue(.object(members))).compactText)
  }

  private static func line(_ text: String) { self.text(text + "\n") }

  private static func tell(_ severity: String, _ message: String, _ code: ExitCode? = nil) {
    if areJSON { return object(severity, message, code) }
    let text = PrivateInputs.shown.readable(message).withoutControlCharacters
    say(TerminalColor.marking("\(severity):", in: "\(severity): \(text)"))
  }

  private static func object(_ event: String, _ message: String, _ code: ExitCode?) {
    var members: [JSONValue.Member] = [
      .init("event", JSONValue(.string(event))), .init("message", JSONValue(.string(message))),
    ]
    if let code { members.append(.init("exitCode", JSONValue(.number(Double(code.rawValue))))) }
    object(members)
  }

  private static func object(_ diagnostic: Diagnostic) {
    var members: [JSONValue.Member] = [
      .init("event", JSONValue(.string(diagnostic.severity.rawValue))),
      .init("message", JSONValue(.string(diagnostic.message))),
      .init("file", JSONValue(.string(diagnostic.file))),
      .init("path", JSONValue(.string("\(diagnostic.path)"))),
    ]
    if diagnostic.position != .none {
      members.append(.init("line", JSONValue(.number(Double(diagnostic.position.line)))))
      members.append(.init("column", JSONValue(.number(Double(diagnostic.position.column)))))
    }
    object(members)
  }
}

/// An error with a line on where to read more.
protocol HintingError: UserError {
  var hint: String { get }
}
