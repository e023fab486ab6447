import MeshpipeKit

/// Prints the JSON Schema of pipeline files.
enum SchemaVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    // By default the schema is the same on every machine.
    let search: PluginSearch =
      invocation.has(.withPlugins) || invocation.has(\.$pluginFolders)
      ? try invocation.pluginSearch : .none
    let environment = CommandEnvironment(invocation.stages, search)
    Messages.show(environment.plugins.problems.map(\.asNote))
    let schema = PipelineSchema(environment.pipelines)
    try StandardStream.output.write(schema.json.prettyText)
    return .success
  }
}
