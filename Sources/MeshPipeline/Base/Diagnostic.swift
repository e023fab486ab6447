/// Something that is wrong, or worth knowing, in a pipeline file or in the arguments beside it.
public struct Diagnostic: Sendable, Equatable, CustomStringConvertible {
  /// How bad it is.
  public enum Severity: String, Sendable {
    case error, warning, note
  }

  public var severity: Severity
  /// The file, or the argument as it was typed: `-s 'decimate targt=20%'`.
  public var file: String
  public var position: SourcePosition
  /// The place in the terms of the document: `stages[1].with.target`.
  public var path: JSONPath
  public var message: String
  /// What the command ends with when this is its only error.
  public var exitCode: ExitCode

  public init(
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

  /// The same, worth knowing but no error of what was asked for.
  public var asNote: Diagnostic {
    var note = self
    note.severity = .note
    return note
  }

  /// One line, in the form that editors and `make` understand.
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

/// A pipeline, or the arguments beside it, can't be used; the diagnostics say why.
public struct InvalidPipeline: UserError {
  /// Everything that was found, warnings too.
  public var diagnostics: [Diagnostic]

  public init(_ diagnostics: [Diagnostic]) {
    self.diagnostics = diagnostics
  }

  /// The code that all errors agree on, else that of an invalid pipeline.
  public var exitCode: ExitCode {
    let codes = Set(diagnostics.filter { $0.severity == .error }.map(\.exitCode))
    return codes.count == 1 ? codes.first ?? .configuration : .configuration
  }

  /// One line per diagnostic.
  public var message: String {
    diagnostics.map(\.description).joined(separator: "\n")
  }
}
