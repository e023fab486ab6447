/// An error, a warning or a note about a pipeline file or its arguments.
public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
  /// The severity of a diagnostic.
  public enum Severity: String, Sendable {
    /// An error prevents a run, a warning does not, a note only explains.
    case error, warning, note
  }

  /// Whether it prevents a run.
  public var severity: Severity
  /// The file, or the argument as typed: `-s 'decimate targt=20%'`.
  public var file: String
  /// The position in the file; `.none` if it concerns no position.
  public var position: SourcePosition
  /// The place in the document: `stages[1].with.target`.
  public var path: JSONPath
  /// What is wrong, and the way out.
  public var message: String
  /// The exit code if this is the only error.
  public var exitCode: ExitCode

  package init(
    _ severity: Severity = .error, file: String = "", position: SourcePosition = .none,
    path: JSONPath = JSONPath(), message: String, exitCode: ExitCode = .configuration
  ) {
    self.severity = severity
    self.file = file
    self.position = position
    self.path = path
    self.message = message
    self.exitCode = exitCode
  }

  /// The same as a warning.
  package var asNote: Diagnostic {
    var note = self
    note.severity = .note
    return note
  }

  /// One line in the format that editors and `make` understand.
  ///
  ///     pipelines/blender.json:14:31: error: unknown option 'targt' … [stages[1].with.targt]
  public var description: String {
    var text = file
    if position != .none { text += ":\(position.line):\(position.column)" }
    if !text.isEmpty { text += ": " }
    text += "\(severity.rawValue): \(message)"
    if !path.isEmpty { text += " [\(path)]" }
    return text
  }
}

/// A pipeline, or its arguments, can't be used; the diagnostics say why.
public struct InvalidPipeline: UserError {
  /// All diagnostics, including warnings.
  public var diagnostics: [Diagnostic]

  package init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  /// The common code of all errors, or that of an invalid pipeline.
  public var exitCode: ExitCode {
    let codes = Set(diagnostics.filter { $0.severity == .error }.map(\.exitCode))
    return codes.count == 1 ? codes.first ?? .configuration : .configuration
  }

  /// One line per diagnostic.
  public var message: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
