import MeshPipeline

/// Not there yet.
enum CheckVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode { .unavailable }
}
