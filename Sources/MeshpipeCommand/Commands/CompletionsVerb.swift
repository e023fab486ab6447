import MeshPipeline

/// Prints a completion script.
enum CompletionsVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let name = invocation.operands[0]
    guard let shell = CompletionShell(rawValue: name) else {
      throw UsageError(
        "'\(name)' is not one of 'bash', 'zsh', 'fish'", verb: invocation.verb)
    }
    try StandardStream.output.write(shell.script)
    return .success
  }
}
