import Formats
import MeshPipeline

/// Lists the formats and what each keeps.
enum FormatsVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    var rows = [["ID", "NAME", "FILES", "READS", "WRITES", "KEEPS"]]
    for format in builtInFormats {
      let writer = format as? any WritableFormat.Type
      rows.append([
        format.id, format.name, format.extensions.map { "." + $0 }.joined(separator: " "),
        format is any ReadableFormat.Type ? "yes" : "no", writer == nil ? "no" : "yes",
        writer.map { $0.keeps.sorted().map(\.rawValue).joined(separator: ", ") } ?? "",
      ])
    }
    try StandardStream.output.write(TextLayout.table(rows).joined(separator: "\n") + "\n")
    return .success
  }
}
