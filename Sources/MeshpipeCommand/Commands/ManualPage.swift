import MeshPipeline

/// The manual page, generated from the table of verbs.
enum ManualPage {
  static var text: String {
    var lines = [
      ".\\\" Made from the table of verbs by `make docs`; changes belong there.",
      ".TH MESHPIPE 1 \"\" \"meshpipe \(meshpipeVersion)\" \"User Commands\"",
      ".SH NAME", "meshpipe \\- \(escaped(CommandTable.summary))",
      ".SH SYNOPSIS",
    ]
    for usage in CommandTable.verbs.flatMap(\.usageLines) {
      lines += [".B \(escaped(usage))", ".br"]
    }
    lines.removeLast()
    lines += [".SH DESCRIPTION"] + paragraphs(HelpPage.description)
    lines.append(".SH VERBS")
    for verb in CommandTable.verbs { lines += self.lines(of: verb) }
    lines += [".SH BUILDS"] + paragraphs(CommandTable.builds)
    lines.append(".SH EXIT STATUS")
    for (code, meaning) in CommandTable.exitCodes { lines += item("\(code.rawValue)", meaning) }
    lines.append(".SH ENVIRONMENT")
    for (name, meaning) in CommandTable.environment { lines += item(name, meaning) }
    lines.append(".SH FILES")
    for (name, meaning) in CommandTable.files { lines += item(name, meaning) }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func lines(of verb: Verb) -> [String] {
    var lines = [".SS \(escaped(verb.name)): \(escaped(verb.summary))"]
    lines += paragraphs(verb.discussion)
    for operand in verb.operands { lines += item(operand.name, operand.help) }
    let groups = verb.groupedOptions
    for (title, options) in groups {
      if groups.count > 1 { lines += [".PP", ".I \(escaped(title))"] }
      for option in options { lines += item(option.usage, option.help(in: verb)) }
    }
    for example in verb.examples {
      lines += [".PP", escaped(example.purpose), ".PP", ".in +4n", ".nf"]
      lines += [escaped(example.line), ".fi", ".in"]
    }
    return lines
  }

  private static func item(_ term: String, _ text: String) -> [String] {
    [".TP", ".B \(escaped(term))", escaped(text)]
  }

  private static func paragraphs(_ text: String) -> [String] {
    text.split(separator: "\n").flatMap { [".PP", escaped(String($0))] }
  }

  /// Escapes what roff would interpret: backslashes, hyphens, and leading periods or quotes.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for character in text {
      switch character {
      case "\\": result += "\\e"
      case "-": result += "\\-"
      default: result.append(character)
      }
    }
    return result.hasPrefix(".") || result.hasPrefix("'") ? "\\&" + result : result
  }
}
