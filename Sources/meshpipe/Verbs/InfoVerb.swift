import Formats
import MeshPipeline

/// Tells what scans and models hold.
enum InfoVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    var summaries: [JSONValue] = []
    for (index, argument) in invocation.operands.enumerated() {
      let input = try InputFile(argument, formatID: invocation.value(of: .inputFormat))
      do {
        let format = try SceneInput.format(of: input)
        let (context, scene) = try SceneInput.read(input, invocation)
        for warning in context.stage.warnings { Messages.warn(input.readable(warning)) }
        let summary = SceneSummary(scene)
        if invocation.has(.json) {
          summaries.append(summary.json(file: input.name, format: format.id))
        } else {
          let text = InfoPage.text(summary, of: input, format)
          try StandardStream.output.write((index > 0 ? "\n" : "") + text)
        }
      } catch let error as any UserError {
        throw ReadableError(error, input)
      }
    }
    if invocation.has(.json) {
      let isSingle = summaries.count == 1
      let json = isSingle ? summaries[0] : JSONValue(.array(summaries))
      try StandardStream.output.write(json.prettyText)
    }
    return .success
  }
}
