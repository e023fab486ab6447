import MeshPipeline

/// Shows the help page of the command or of a verb.
enum HelpVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    guard !invocation.operands.isEmpty else {
      try StandardStream.output.write(HelpPage.command())
      return .success
    }
    if invocation.operands.count == 1, try showOther(invocation.operands[0], invocation) {
      return .success
    }
    let (verb, rest) = try CommandTable.call(invocation.operands[...])
    if let extra = rest.first {
      throw UsageError("unexpected argument '\(extra)' of 'help'", verb: invocation.verb)
    }
    try StandardStream.output.write(HelpPage.verb(verb))
    return .success
  }

  /// Shows the page of a name that is not a verb: of a stage, or of a pipeline with its variables.
  ///
  /// - Returns: False for a verb, or for a name near to nothing.
  /// - Throws: ``UsageError`` for a name of nothing, with the nearest one.
  private static func showOther(_ name: String, _ invocation: Invocation) throws -> Bool {
    guard !CommandTable.verbs.contains(where: { $0.firstWord == name }) else { return false }
    if PipelineLibrary.standard().has(name) {
      let call = try Invocation(CommandTable.run, [name, "--help"], stages: invocation.stages)
      try StandardStream.output.write(HelpPage.verb(call.verb, variables: VariableHelp(call)))
      return true
    }
    let call = try Invocation(CommandTable.stages, [name], stages: invocation.stages)
    let stages = try call.environment.pipelines.stages
    guard stages[name] != nil else {
      let names =
        CommandTable.verbs.map(\.name) + stages.names
        + PipelineLibrary.standard().entries().map(\.name)
      guard let near = nearestName(to: name, in: names) else { return false }
      throw UsageError(
        "there is no verb, stage or pipeline '\(name)'; did you mean '\(near)'?",
        verb: invocation.verb)
    }
    _ = try call.verb.perform(call)
    return true
  }
}
