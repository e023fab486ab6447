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

  /// The options by topic; a few options form a single list.
  var groupedOptions: [(title: String, options: [Option])] {
    guard options.count > 12 else { return [("Options", options)] }
    return OptionGroup.allCases.compactMap { group in
      let options = options.filter { $0.group == group }
      return options.isEmpty ? nil : (group.rawValue, options)
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

/// A command line and its purpose, for the help page.
struct Example: Sendable {
  var line: String
  var purpose: String
}
