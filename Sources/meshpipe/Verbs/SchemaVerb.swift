import MeshPipeline

/// Not there yet.
enum SchemaVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode { .unavailable }
}
