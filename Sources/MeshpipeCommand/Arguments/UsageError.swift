import MeshPipeline

/// A call that does not match the table of verbs.
struct UsageError: HintingError, Equatable {
  let message: String
  /// The verb whose help page to suggest; nil for the page of the command.
  let verbName: String?
  /// The option that the verb does not have; nil for other mistakes.
  private(set) var unknownOption: UnknownOption?

  /// An option of no verb, which may be meant for something else.
  struct UnknownOption: Equatable {
    /// The option as typed, with its hyphens.
    var name: String
    /// The value, attached or next; nil if there is none.
    var value: String?
  }

  init(_ message: String, verb: Verb? = nil) {
    self.message = message
    verbName = verb?.name
  }

  /// - Parameter next: The word after the argument, if there is one.
  init(unknownOption argument: String, next: String?, of verb: Verb) {
    let (name, attached) = argument.splitAtEquals() ?? (argument, nil)
    let nearest = nearestName(to: name, in: verb.longSpellings)
    self.init(
      "unknown option '\(name)' of '\(verb.name)'"
        + (nearest.map { "; did you mean '\($0)'?" } ?? ""), verb: verb)
    let value = attached ?? next.flatMap { Self.mayBeValue($0) ? $0 : nil }
    unknownOption = UnknownOption(name: name, value: value)
  }

  /// Whether a word is neither an option nor a file, which would be the scan.
  private static func mayBeValue(_ word: String) -> Bool {
    !word.hasPrefix("-") && (try? FileSystem.status(of: word)) == nil
  }

  var exitCode: ExitCode { .usage }

  /// Where to read more.
  var hint: String {
    "try 'meshpipe \(verbName.map { "\($0) --help" } ?? "--help")'"
  }
}

extension Verb {
  /// The long spellings of the verb's options, for hints.
  var longSpellings: [String] { options.flatMap(\.spellings).filter { $0.hasPrefix("--") } }
}
