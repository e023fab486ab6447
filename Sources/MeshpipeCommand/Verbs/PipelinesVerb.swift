import MeshPipeline

/// Lists the pipelines available by name, and prints one.
enum PipelinesVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let library = PipelineLibrary.standard()
    let pipelines = library.entries().map { ($0, description(of: $0)) }
    let text: String
    if invocation.has(.json) {
      text = JSONValue(.array(pipelines.map(json))).prettyText
    } else if pipelines.isEmpty {
      text = "There are no pipelines in\n" + library.folders.map { "  \($0)\n" }.joined()
    } else {
      let lines = TextLayout.definitions(pipelines.map { ($0.name, $1) })
      text = lines.joined(separator: "\n") + "\n"
    }
    try StandardStream.output.write(text)
    return .success
  }

  /// Prints the file unchanged.
  static func show(_ invocation: Invocation) throws -> ExitCode {
    let path = try PipelineLibrary.standard().path(of: invocation.operands.first ?? "")
    let bytes = try FileSystem.contents(of: path, limit: PipelineDocument.largestFile)
    try StandardStream.output.write(String(decoding: bytes, as: UTF8.self))
    return .success
  }

  private static func description(of entry: PipelineLibrary.Entry) -> String {
    guard let document = try? PipelineDocument(path: entry.path) else { return "(can't be read)" }
    return document.about.isEmpty ? "(no description)" : document.about
  }

  private static func json(_ entry: PipelineLibrary.Entry, _ description: String) -> JSONValue {
    JSONValue(
      .object([
        .init("name", JSONValue(.string(entry.name))),
        .init("path", JSONValue(.string(entry.path))),
        .init("description", JSONValue(.string(description))),
      ]))
  }
}
