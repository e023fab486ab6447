import MeshPipeline

/// The completion script for zsh.
enum ZshCompletion {
  static var script: String {
    let verbs = CommandTable.verbs.filter { $0.secondWord == nil }
      .map { "    \(quoted("\($0.name):\($0.summary)"))" }
    let pairs = CommandTable.verbs.filter { $0.secondWord != nil }
      .map { quoted($0.name) }.joined(separator: "|")
    let choice =
      pairs.isEmpty
      ? ""
      : """
        case "$words[2] $words[3]" in
          \(pairs))
            if (( CURRENT > 3 )); then
              words=("$words[1]" "$words[2] $words[3]" "${(@)words[4,-1]}"); (( CURRENT-- ))
            fi ;;
        esac

      """
    return """
      #compdef meshpipe
      # zsh completion for meshpipe: meshpipe completions zsh > _meshpipe, in a folder of fpath
      _meshpipe_ask() {
        local -a found
        local call=("$meshpipe_call[1]" --complete $1 "$PREFIX" "${(@)meshpipe_call[2,-1]}")
        found=("${(@f)$("${(@)call}" 2>/dev/null)}")
        found=("${(@)found:#}")
        (( $#found )) && compadd -S '' -- "${(@)found}"
      }
      _meshpipe() {
        local -a verbs meshpipe_call
        meshpipe_call=("${(@)words[1,CURRENT-1]}")
        verbs=(
      \(verbs.joined(separator: "\n"))
        )
        if (( CURRENT == 2 )); then
          _describe verb verbs
          return
        fi
      \(choice)  case $words[2] in
      \(CommandTable.verbs.map(lines(of:)).joined(separator: "\n"))
        esac
      }
      if [ "$funcstack[1]" = "_meshpipe" ]; then _meshpipe "$@"; else compdef _meshpipe meshpipe; fi

      """
  }

  private static func lines(of verb: Verb) -> String {
    var specifications = verb.options.flatMap { option in
      option.spellings.map { spelling in specification(of: option, spelling) }
    }
    for operand in verb.operands {
      let place = operand.repeats ? "*" : ""
      specifications.append(
        quoted("\(place):\(operand.name):\(action(CompletionWords.words(for: operand)))"))
    }
    if let first = verb.operands.first, !CommandTable.followers(of: verb).isEmpty {
      let followers = CommandTable.followers(of: verb).joined(separator: " ")
      specifications.removeAll { $0.hasPrefix("':\(first.name):") }
      specifications.append(
        quoted(
          ":\(first.name):{\(statement(CompletionWords.words(for: first))); compadd -- \(followers)}"
        ))
    }
    let arguments = specifications.map { "        \($0)" }.joined(separator: " \\\n")
    return """
          \(quoted(verb.name)))
            shift words; (( CURRENT-- ))
            _arguments -s \\
      \(arguments) ;;
      """
  }

  private static func specification(of option: Option, _ spelling: String) -> String {
    let help = option.helpText.filter { $0 != "[" && $0 != "]" && $0 != ":" }
    var text = "\(option.repeats ? "*" : "")\(spelling)"
    if option.value != nil, spelling.hasPrefix("--") { text += option.isValueOptional ? "=-" : "=" }
    text += "[\(help)]"
    if let value = option.value {
      text += option.isValueOptional ? "::" : ":"
      text += "\(value.placeholder):\(action(CompletionWords.words(for: value)))"
    }
    return quoted(text)
  }

  private static func action(_ words: CompletionWords) -> String {
    switch words {
    case .files: "_files"
    case .asked(let kind): "{_meshpipe_ask \(kind.rawValue)}"
    case .these(let words): words.isEmpty ? " " : "(\(words.joined(separator: " ")))"
    }
  }

  /// The same as a command.
  private static func statement(_ words: CompletionWords) -> String {
    switch words {
    case .files: "_files"
    case .asked(let kind): "_meshpipe_ask \(kind.rawValue)"
    case .these(let words): "compadd -- \(words.joined(separator: " "))"
    }
  }

  private static func quoted(_ text: String) -> String {
    "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''")
      + "'"
  }
}
