import MeshPipeline

/// Help pages, generated from the table of verbs.
enum HelpPage {
  /// What the command is for.
  static let description = """
    meshpipe reads a 3D scan, runs it through the stages of a declarative pipeline, and writes models \
    in many formats. Data goes to standard output, everything else to standard error; without a terminal, \
    a successful run prints nothing.
    """

  /// The page of the whole command.
  static func command() -> String {
    var lines = ["meshpipe \(meshpipeVersion): \(CommandTable.summary)", "", "Usage:"]
    lines += [
      "  meshpipe run PIPELINE INPUT... [OPTIONS]", "  meshpipe VERB [ARGUMENTS] [OPTIONS]",
      "  meshpipe --version", "",
    ]
    lines.append("Verbs:")
    lines += TextLayout.definitions(CommandTable.verbs.map { ($0.name, $0.summary) })
    lines += ["", "Examples:"]
    for verb in [CommandTable.run, CommandTable.check, CommandTable.info] {
      if let example = verb.examples.first { lines += self.lines(of: example) }
    }
    lines += ["", "'meshpipe VERB --help' explains a verb, 'meshpipe stages NAME' a stage."]
    return text(lines)
  }

  /// The page of one verb.
  ///
  /// - Parameter variables: The variables of the pipeline named on the command line, if any.
  static func verb(_ verb: Verb, variables: VariableHelp? = nil) -> String {
    var lines = ["meshpipe \(verb.name): \(verb.summary)", "", "Usage:"]
    lines += verb.usageLines.map { "  " + $0 }
    if !verb.discussion.isEmpty { lines += [""] + TextLayout.wrapped(verb.discussion) }
    if !verb.operands.isEmpty {
      lines += ["", "Arguments:"]
      lines += TextLayout.definitions(verb.operands.map { ($0.name, $0.help) })
    }
    if let variables {
      lines += ["", "Variables of \(variables.pipeline):"]
      lines += TextLayout.definitions(variables.entries)
      if !variables.levels.isEmpty {
        lines += ["", "Levels of \(variables.pipeline):"]
        lines += TextLayout.definitions(variables.levels)
      }
    }
    for (title, options) in verb.groupedOptions {
      lines += ["", title + ":"]
      lines += TextLayout.definitions(options.map { ($0.usage, $0.help(in: verb)) })
    }
    if !verb.examples.isEmpty {
      lines += ["", "Examples:"] + verb.examples.flatMap(self.lines(of:))
    }
    return text(lines)
  }

  private static func lines(of example: Example) -> [String] {
    ["  # \(example.purpose)", "  \(example.line)"]
  }

  private static func text(_ lines: [String]) -> String { lines.joined(separator: "\n") + "\n" }
}

/// The variables and levels of a pipeline, for its help page.
struct VariableHelp {
  var pipeline: String
  var levels: [(term: String, text: String)] = []
  var entries: [(term: String, text: String)]
}

extension Option {
  /// The spellings with the value: `-o, --output PATH`.
  var usage: String {
    let short = spellings.filter { !$0.hasPrefix("--") }
    let long = spellings.filter { $0.hasPrefix("--") }
    let names = (short + long).joined(separator: ", ")
    guard let value else { return names }
    return isValueOptional ? "\(names)[=\(value.placeholder)]" : "\(names) \(value.placeholder)"
  }

  /// The help with the available choices.
  func help(in verb: Verb) -> String {
    var text = helpText
    if case .choice(_, let names) = value { text += " One of \(names.joined(separator: ", "))." }
    if repeats { text += " May be given more than once." }
    return text
  }
}
