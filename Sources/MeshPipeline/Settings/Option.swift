/// A named argument of the command: the source of its parsing, help, completions and manual.
package struct Option: Sendable {
  /// What the format named by an option is used for.
  package enum FormatUse: Sendable { case reading, writing }

  /// The value that an option takes.
  package enum Value: Sendable {
    case text(String)
    /// A text that the shell can complete by asking the command.
    case named(String, CompletionKind)
    case file(String)
    case format(String, FormatUse)
    case integer(String, ClosedRange<Int>)
    case choice(String, [String])
  }

  /// The accepted spellings, the main one first: `--output`, `-o`.
  package var spellings: [String]
  /// Nil for a flag.
  package var value: Value?
  package var helpText: String
  /// Whether the option is a flag, too: its value, if any, follows `=`.
  package var isValueOptional = false
  /// Whether the option may be given several times with different values.
  package var repeats = false
  package var group: OptionGroup

  package init(
    _ spellings: String..., in group: OptionGroup = .other, value: Value? = nil,
    isValueOptional: Bool = false, repeats: Bool = false, help: String
  ) {
    self.spellings = spellings
    self.group = group
    self.value = value
    self.isValueOptional = isValueOptional
    self.repeats = repeats
    helpText = help
  }

  /// The main spelling, the key of parsed values.
  package var name: String { spellings[0] }
}

extension Option.Value {
  /// The name of the value in help pages: `FILE`, `N`.
  package var placeholder: String {
    switch self {
    case .text(let name), .named(let name, _), .file(let name), .format(let name, _),
      .integer(let name, _),
      .choice(let name, _):
      name
    }
  }
}

/// The topic of an option, by which help page, manual and documentation group options.
package enum OptionGroup: String, CaseIterable, Sendable {
  case input = "Input"
  case frames = "Frames of a capture"
  case pipeline = "Pipeline"
  case output = "Output"
  case look = "Look"
  case comparison = "Comparison"
  case running = "Running"
  case cache = "Cache"
  case archives = "Limits of archives"
  case cluster = "Clusters"
  case builds = "Builds"
  case reporting = "Reporting"
  case plugins = "Plugins"
  case other = "Other"
}

/// What the shell completes a value with by asking the command.
package enum CompletionKind: String, Sendable {
  /// A pipeline by name or file, or a scan.
  case pipeline
  case scan
  /// A stage, or after its name one of its options.
  case stage
  /// The id of a stage of the pipeline.
  case stageID = "stage-id"
  /// `STAGE.OPTION=`
  case setting
  /// `NAME=`, or a value after it.
  case variable
  /// The name of a level of the pipeline.
  case level
  case view
  /// The id of a readable or writable format.
  case readFormat = "read-format"
  case writtenFormat = "written-format"
}
