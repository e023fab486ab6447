/// The sources of a pipeline: a file, and arguments of the command.
///
/// Values identify their place only by a ``SourcePosition``. Positions in the file have lines from
/// 1; a value of an included file has the file's number in the upper half of its line; a value from
/// an argument has the line `-1 - n`, where `n` is the argument's index in ``arguments``.
package struct PipelineSource: Sendable, Equatable {
  /// The pipeline file as given by the user; nil for a pipeline made of arguments.
  package var file: String?
  /// The arguments as typed: `-s 'decimate faces=20%'`, `--set light.faces=5%`.
  package internal(set) var arguments: [String] = []

  /// The included files.
  private var included: [String] = []

  /// An included file, whose lines are distinguished by a part of their number.
  package struct IncludedFile {
    fileprivate var number: Int
    fileprivate static let shift = 32

    package func position(_ position: SourcePosition) -> SourcePosition {
      SourcePosition(
        line: position.line | (number + 1) << Self.shift, column: position.column)
    }
  }

  package init(file: String? = nil) {
    self.file = file
  }

  /// Adds an argument and returns the position of its values.
  package mutating func add(argument: String) -> SourcePosition {
    arguments.append(argument)
    return SourcePosition(line: -arguments.count, column: 1)
  }

  /// Adds an included file, once for each time it is included.
  package mutating func add(included path: String) -> IncludedFile {
    included.append(path)
    return IncludedFile(number: included.count - 1)
  }

  /// The place for people: the file with line and column, or only the argument.
  package func locate(_ position: SourcePosition) -> (file: String, position: SourcePosition) {
    let number = position.line >> IncludedFile.shift
    if position.line > 0, number > 0, number <= included.count {
      let line = position.line & (1 << IncludedFile.shift - 1)
      return (included[number - 1], SourcePosition(line: line, column: position.column))
    }
    guard position.isArgument else { return (file ?? "", position) }
    return (arguments[-1 - position.line], .none)
  }
}

extension SourcePosition {
  /// Whether the value is from an argument of the command; see ``PipelineSource``.
  package var isArgument: Bool { line < 0 }
}
