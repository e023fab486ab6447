import MeshPipeline

/// Prints the JSON Schema of pipeline files.
enum SchemaVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    try StandardStream.output.write(PipelineSchema(PipelineCall.environment).json.prettyText)
    return .success
  }
}
