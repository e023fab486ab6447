import Formats
import MeshPipeline

/// Tells what scans and models hold.
enum InfoVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    var summaries: [JSONValue] = []
    var failures: [ExitCode] = []
    var separator = ""
    for argument in invocation.operands {
      let input: InputFile
      let summary: SceneSummary
      let format: any ReadableFormat.Type
      do {
        input = try InputFile(argument, formatID: invocation.value(of: .inputFormat))
        (format, summary) = try summarize(input, invocation)
      } catch {
        if Signals.exitStatus != nil { throw error }
        failures.append(Messages.report(error))
        continue
      }
      if invocation.has(.json) {
        summaries.append(summary.json(file: input.name, format: format.id))
      } else {
        let text = InfoPage.text(summary, of: input, format)
        try StandardStream.output.write(separator + text)
        separator = "\n"
      }
    }
    if invocation.has(.json), !summaries.isEmpty {
      let isSingle = invocation.operands.count == 1
      let json = isSingle ? summaries[0] : JSONValue(.array(summaries))
      try StandardStream.output.write(json.prettyText)
    }
    return failures.first ?? .success
  }

  private static func summarize(
    _ input: InputFile, _ invocation: Invocation
  ) throws -> (any ReadableFormat.Type, SceneSummary) {
    do {
      let format = try SceneInput.format(of: input)
      let (context, scene) = try SceneInput.read(input.path, as: format, invocation)
      for warning in context.stage.warnings { Messages.warn(input.readable(warning)) }
      return (format, SceneSummary(scene))
    } catch let error as any UserError {
      throw ReadableError(error, input)
    }
  }
}
