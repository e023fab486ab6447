/// Where the parts of a pipeline come from: a file, and arguments of the command.
///
/// Values know their place by a ``SourcePosition`` alone. Places in the file have lines from 1; a
/// value from an argument has the line `-1 - n`, where `n` is the argument's number in ``arguments``.
public struct PipelineSource: Sendable, Equatable {
  /// The pipeline file as the user named it; nil for a pipeline made of arguments.
  public var file: String?
  /// The arguments as typed: `-s 'decimate target=20%'`, `--set light.target=5%`.
  public internal(set) var arguments: [String] = []

  public init(file: String? = nil) {
    self.file = file
  }

  /// Adds an argument and returns the position that its values bear.
  mutating func add(argument: String) -> SourcePosition {
    arguments.append(argument)
    return SourcePosition(line: -arguments.count, column: 1)
  }

  /// Names the place for people: the file with line and column, or the argument without.
  func locate(_ position: SourcePosition) -> (file: String, position: SourcePosition) {
    guard position.isArgument else { return (file ?? "", position) }
    return (arguments[-1 - position.line], .none)
  }
}

extension SourcePosition {
  /// Whether the value was typed as an argument of the command; see ``PipelineSource``.
  var isArgument: Bool { line < 0 }
}
