import MeshPipeline

/// Shows the help page of the command or of a verb.
enum HelpVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    guard !invocation.operands.isEmpty else {
      try StandardStream.output.write(HelpPage.command())
      return .success
    }
    let (verb, rest) = try CommandTable.call(invocation.operands[...])
    if let extra = rest.first {
      throw UsageError("unexpected argument '\(extra)' of 'help'", verb: invocation.verb)
    }
    try StandardStream.output.write(HelpPage.verb(verb))
    return .success
  }
}
