import MeshPipeline

/// Prints the JSON Schema of pipeline files.
enum SchemaVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let schema = PipelineSchema(PipelineCall.environment)
    try StandardStream.output.write(schema.json.prettyText)
    return .success
  }
}
