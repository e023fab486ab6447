import MeshPipeline

/// The completion script for fish.
enum FishCompletion {
  static var script: String {
    var lines = [
      "# fish completion for meshpipe: ~/.config/fish/completions/meshpipe.fish",
      "complete -c meshpipe -n __fish_use_subcommand -l help -s h -d 'Show the help page.'",
      "complete -c meshpipe -n __fish_use_subcommand -l version -d 'Show the version.'",
    ]
    for verb in CommandTable.verbs {
      let before =
        verb.secondWord == nil
        ? "__fish_use_subcommand" : "'__fish_seen_subcommand_from \(verb.firstWord)'"
      lines.append(
        "complete -c meshpipe -n \(before) -f -a \(verb.secondWord ?? verb.name) "
          + "-d \(quoted(verb.summary))")
      let seen = verb.name.split(separator: " ").map { "__fish_seen_subcommand_from \($0)" }
      let here = "complete -c meshpipe -n '\(seen.joined(separator: "; and "))'"
      lines += verb.options.map { "\(here) \(specification(of: $0))" }
      for operand in verb.operands {
        switch CompletionWords.words(for: operand) {
        case .files: continue
        case .asked(let kind): lines.append("\(here) -f -a \(ask(kind))")
        case .these(let words):
          lines.append("\(here) -f -a \(quoted(words.joined(separator: " ")))")
        }
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }

  private static func specification(of option: Option) -> String {
    var words = option.spellings.map { spelling in
      if spelling.hasPrefix("--") { return "-l \(spelling.dropFirst(2))" }
      return spelling.count == 2 ? "-s \(spelling.dropFirst())" : "-o \(spelling.dropFirst())"
    }
    words.append("-d \(quoted(option.helpText))")
    if let value = option.value, !option.isValueOptional {
      switch CompletionWords.words(for: value) {
      case .files: words.append("-r -F")
      case .asked(let kind): words.append("-x -a \(ask(kind))")
      case .these(let names) where names.isEmpty: words.append("-x")
      case .these(let names): words.append("-x -a \(quoted(names.joined(separator: " ")))")
      }
    }
    return words.joined(separator: " ")
  }

  /// Calls the command when Tab is pressed.
  private static func ask(_ kind: CompletionKind) -> String {
    "'(meshpipe --complete \(kind.rawValue) (commandline -ct | string trim -c \"\\'\\\"\") "
      + "(commandline -opc)[2..-1])'"
  }

  private static func quoted(_ text: String) -> String {
    var result = "'"
    for character in text {
      if character == "'" || character == "\\" { result.append("\\") }
      result.append(character)
    }
    return result + "'"
  }
}
