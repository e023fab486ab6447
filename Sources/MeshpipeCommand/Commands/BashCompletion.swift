import MeshPipeline

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
      _meshpipe_ask() {
        local text=${word#\\'}
        text=${text#\\"}
        mapfile -t COMPREPLY < <("${COMP_WORDS[0]}" --complete "$1" "$start$text" \\
          "${COMP_WORDS[@]:1:COMP_CWORD-1}" 2>/dev/null)
        COMPREPLY=("${COMPREPLY[@]#"$start"}")
        case "${COMPREPLY[0]}" in *[=/]) compopt -o nospace 2>/dev/null ;; esac
      }
      _meshpipe() {
        local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}
        local start=""
        COMPREPLY=()
        # bash takes NAME=VALUE for three words.
        if [ "$word" = "=" ] && [ "$COMP_CWORD" -gt 2 ]; then
          start="$before="; word=""; before=${COMP_WORDS[COMP_CWORD-2]}
        elif [ "$before" = "=" ] && [ "$COMP_CWORD" -gt 3 ]; then
          start="${COMP_WORDS[COMP_CWORD-2]}="; before=${COMP_WORDS[COMP_CWORD-3]}
        fi
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
      guard let value = option.value, !option.isValueOptional else { continue }
      let pattern = option.spellings.joined(separator: "|")
      cases.append("        \(pattern)) \(reply(CompletionWords.words(for: value))); return ;;")
    }
    let spellings = verb.options.flatMap(\.spellings).joined(separator: " ")
    let operand = operands(of: verb)
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

  /// Completes the first operand separately if it differs from the others.
  private static func operands(of verb: Verb) -> String {
    guard let last = verb.operands.last else { return ":" }
    let others = reply(CompletionWords.words(for: last), or: CommandTable.followers(of: verb))
    guard verb.operands.count > 1, let first = verb.operands.first else { return others }
    let place = verb.name.split(separator: " ").count + 1
    return "if [ \"$COMP_CWORD\" -eq \(place) ]; then "
      + reply(CompletionWords.words(for: first), or: CommandTable.followers(of: verb))
      + "; else \(others); fi"
  }

  private static func reply(_ words: CompletionWords, or others: [String] = []) -> String {
    let list = others.joined(separator: " ")
    switch words {
    case .files:
      let others = others.isEmpty ? "" : " -W '\(list)'"
      return "mapfile -t COMPREPLY < <(compgen -f\(others) -- \"$word\")"
    case .asked(let kind):
      let ask = "_meshpipe_ask \(kind.rawValue)"
      return others.isEmpty ? ask : "\(ask); COMPREPLY+=($(compgen -W '\(list)' -- \"$word\"))"
    case .these(let words):
      if words.isEmpty { return ":" }
      return "COMPREPLY=($(compgen -W \"\(words.joined(separator: " "))\" -- \"$word\"))"
    }
  }
}
