import MeshPipeline

/// Not there yet.
enum PlanVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode { .unavailable }
}
