import MeshPipeline

/// Not there yet.
enum RunVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode { .unavailable }
}
