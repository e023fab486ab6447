import MeshPipeline

/// Lists the stages, or explains one.
enum StagesVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let environment = try invocation.environment
    let catalogue = StageCatalogue(environment.pipelines.stages)
    guard let name = invocation.operands.first else {
      let text = invocation.has(.json) ? catalogue.json.prettyText : catalogue.list()
      try StandardStream.output.write(text)
      return .success
    }
    guard let stage = catalogue[name] else {
      Messages.show(environment.plugins.problems.map(\.asNote))
      throw UnknownStage(name: name, nearest: environment.pipelines.stages.nearestName(to: name))
    }
    let text = invocation.has(.json) ? stage.json.prettyText : stage.text()
    try StandardStream.output.write(text)
    return .success
  }
}

/// An unknown stage name.
struct UnknownStage: UserError {
  var name: String
  var nearest: String?

  var exitCode: ExitCode { .unavailable }
  var message: String {
    let hint = nearest.map { "; did you mean '\($0)'?" } ?? ""
    return "unknown stage '\(name)'\(hint) ('meshpipe stages' lists them)"
  }
}
