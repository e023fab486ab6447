import MeshPipeline

/// Lists the mistakes of a pipeline.
enum CheckVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let arguments = try PipelineArguments(invocation)
    let input = try arguments.inputs().first
    let resolution = try arguments.resolve(for: input)
    Messages.show(resolution.diagnostics)
    if !resolution.errors.isEmpty { return InvalidPipeline(resolution.diagnostics).exitCode }
    if invocation.settings.warningsAreErrors, !resolution.warnings.isEmpty {
      throw StrictWarnings(exitCode: .configuration)
    }
    if let input { try requireReadable(input) }
    if invocation.has(.format), let path = arguments.document.source.file { try format(path) }
    if !invocation.has(.quiet), StandardStream.errors.isTerminal {
      Messages.say("no mistakes found")
    }
    return .success
  }

  /// Rewrites a pipeline file in its normal form, unless it is already.
  private static func format(_ path: String) throws {
    let bytes = try FileSystem.contents(of: path, limit: PipelineDocument.largestFile)
    let text = String(decoding: bytes, as: UTF8.self)
    let formatted = try PipelineFormatter.format(text, file: path)
    guard formatted != text else { return }
    try FileSystem.replaceFile(path, with: formatted)
    Messages.say("\(path): rewritten in normal form")
  }

  private static func requireReadable(_ input: InputFile) throws {
    try input.requireExistence()
    if !FileSystem.isReadable(input.path) { throw FileError(.read, input.path) }
  }
}
