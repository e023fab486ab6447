import MeshPipeline

/// A call that does not match the table of verbs.
struct UsageError: HintingError, Equatable {
  let message: String
  /// The verb whose help page to suggest; nil for the page of the command.
  let verbName: String?

  init(_ message: String, verb: Verb? = nil) {
    self.message = message
    verbName = verb?.name
  }

  var exitCode: ExitCode { .usage }

  /// Where to read more.
  var hint: String {
    "try 'meshpipe \(verbName.map { "\($0) --help" } ?? "--help")'"
  }
}

extension Verb {
  /// The spelling among the verb's options that is nearest to what was typed.
  func nearestSpelling(to name: String) -> String? {
    nearestName(to: name, in: options.flatMap(\.spellings).filter { $0.hasPrefix("--") })
  }
}
