/// The completion script for bash.
enum BashCompletion {
  static var script: String {
    let names = CommandTable.firstWords.joined(separator: " ")
    let pairs = CommandTable.verbs.filter { $0.secondWord != nil }
      .map { "\"\($0.name)\"" }.joined(separator: "|")
    let choice =
      pairs.isEmpty
      ? ""
      : """
        case "$verb ${COMP_WORDS[2]}" in
          \(pairs)) if [ "$COMP_CWORD" -gt 2 ]; then verb="$verb ${COMP_WORDS[2]}"; fi ;;
        esac

      """
    return """
      # bash completion for meshpipe: source <(meshpipe completions bash)
      _meshpipe() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
        COMPREPLY=()
        if [ "$COMP_CWORD" -eq 1 ]; then
          COMPREPLY=($(compgen -W "\(names) --help --version" -- "$word"))
          return
        fi
      \(choice)  case $verb in
      \(CommandTable.verbs.map(lines(of:)).joined(separator: "\n"))
        esac
      }
      complete -o filenames -F _meshpipe meshpipe

      """
  }

  private static func lines(of verb: Verb) -> String {
    var cases: [String] = []
    for option in verb.options {
      guard let value = option.value else { continue }
      let pattern = option.spellings.joined(separator: "|")
      cases.append("        \(pattern)) \(reply(CompletionWords.words(for: value))); return ;;")
    }
    let spellings = verb.options.flatMap(\.spellings).joined(separator: " ")
    let operand =
      verb.operands.last.map { reply(CompletionWords.words(for: $0), or: verb.followers) } ?? ":"
    var lines = ["    \"\(verb.name)\")"]
    if !cases.isEmpty { lines += ["      case $before in"] + cases + ["      esac"] }
    lines += [
      "      case $word in",
      "        -?*) COMPREPLY=($(compgen -W \"\(spellings)\" -- \"$word\")) ;;",
      "        *) \(operand) ;;",
      "      esac ;;",
    ]
    return lines.joined(separator: "\n")
  }

  private static func reply(_ words: [String]?, or others: [String] = []) -> String {
    guard let words else {
      let others = others.isEmpty ? "" : " -W '\(others.joined(separator: " "))'"
      return "mapfile -t COMPREPLY < <(compgen -f\(others) -- \"$word\")"
    }
    if words.isEmpty { return ":" }
    return "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
  }
}
