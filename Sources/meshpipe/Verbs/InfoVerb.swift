import MeshPipeline

/// Not there yet.
enum InfoVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode { .unavailable }
}
