import MeshPipeline

/// Shows the help page of the command or of a verb.
enum HelpVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    guard let name = invocation.operands.first else {
      try StandardStream.output.write(HelpPage.command())
      return .success
    }
    try StandardStream.output.write(HelpPage.verb(CommandTable.verb(named: name)))
    return .success
  }
}
