import MeshPipeline

/// One verb of the command: the source of its parsing, help, completions and manual page.
struct Verb: Sendable {
  var name: String
  /// What the verb does, in a few words without a final stop.
  var summary: String
  /// Plain paragraphs for the help page.
  var discussion = ""
  var operands: [Operand] = []
  /// The forms of the arguments, when the operands alone don't describe them.
  var forms: [String] = []
  var options: [Option] = []
  var examples: [Example] = []
  /// Does the work.
  var perform: @Sendable (Invocation) throws -> ExitCode
}

extension Verb {
  /// The first word of the name.
  var firstWord: String { name.split(separator: " ").first.map(String.init) ?? name }

  /// The second word of a name of two: `status` of `batch status`.
  var secondWord: String? { name.split(separator: " ").dropFirst().first.map(String.init) }

  /// The ways to call the verb, one line each.
  var usageLines: [String] {
    let form = operands.map(\.usage).joined(separator: " ")
    return (forms.isEmpty ? [form] : forms).map { form in
      (["meshpipe", name, form] + (options.count > 1 ? ["[OPTIONS]"] : []))
        .filter { !$0.isEmpty }.joined(separator: " ")
    }
  }
}

/// A positional argument.
struct Operand: Sendable {
  enum Kind: Sendable { case file, pipeline, scan, verb, stage, choice([String]) }

  /// The name in usage lines: `PIPELINE`, `INPUT`.
  var name: String
  var help: String
  var kind = Kind.file
  var isOptional = false
  var repeats = false

  /// The operand in a usage line: `[INPUT]`, `FILE...`.
  var usage: String {
    let name = name + (repeats ? "..." : "")
    return isOptional ? "[\(name)]" : name
  }
}

/// A named argument.
struct Option: Sendable {
  /// What the format named by an option is used for.
  enum FormatUse: Sendable { case reading, writing }

  /// The value that an option takes.
  enum Value: Sendable {
    case text(String)
    /// A text that the shell can complete by asking the command.
    case named(String, CompletionKind)
    case file(String)
    case format(String, FormatUse)
    case integer(String, ClosedRange<Int>)
    case choice(String, [String])
  }

  /// The accepted spellings, the main one first: `--output`, `-o`.
  var spellings: [String]
  /// Nil for a flag.
  var value: Value?
  var help: String
  /// Whether the option is a flag, too: its value, if any, follows `=`.
  var isValueOptional = false
  /// Whether the option may be given several times with different values.
  var repeats = false
  var group: OptionGroup

  init(
    _ spellings: String..., in group: OptionGroup = .other, value: Value? = nil,
    isValueOptional: Bool = false, repeats: Bool = false, help: String
  ) {
    self.spellings = spellings
    self.group = group
    self.value = value
    self.isValueOptional = isValueOptional
    self.repeats = repeats
    self.help = help
  }

  /// The main spelling, the key of parsed values.
  var name: String { spellings[0] }
}

extension Option.Value {
  /// The name of the value in help pages: `FILE`, `N`.
  var placeholder: String {
    switch self {
    case .text(let name), .named(let name, _), .file(let name), .format(let name, _),
      .integer(let name, _),
      .choice(let name, _):
      name
    }
  }
}

/// A command line and its purpose, for the help page.
struct Example: Sendable {
  var line: String
  var purpose: String
}
