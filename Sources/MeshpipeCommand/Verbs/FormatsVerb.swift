import MeshpipeKit

/// Lists the formats and what each keeps.
enum FormatsVerb {
  static func perform(_ invocation: Invocation) throws -> ExitCode {
    let environment = try invocation.environment
    let catalogue = FormatCatalogue(environment.pipelines.formats.formats)
    guard !invocation.has(.json) else {
      try StandardStream.output.write(catalogue.json.prettyText)
      return .success
    }
    var lines = list(catalogue.entries)
    lines += ["", "What writable formats keep:"]
    for entry in catalogue.entries {
      guard let writing = entry.writing else { continue }
      let names = writing.keeps.sorted().map(\.rawValue).joined(separator: ", ")
      lines += ["", "\(entry.id): \(writing.axes.description)"]
      lines += TextLayout.wrapped("keeps \(names)", indent: 2)
      lines += TextLayout.wrapped(writing.remark, indent: 2).filter { !$0.isEmpty }
      if let plugin = entry.plugin { lines.append("  by the plugin '\(plugin)'") }
    }
    lines += ["", "Captures, for --frames or as an input:", ""]
    lines += TextLayout.definitions(
      CaptureCatalogue(builtInLayouts).entries.map { ($0.id, $0.summary) })
    lines += [""]
    lines += TextLayout.wrapped(
      "Scans and captures may come as archives: \(CaptureArchive.endings.joined(separator: ", ")).")
    try StandardStream.output.write(lines.joined(separator: "\n") + "\n")
    return .success
  }

  /// One line per format, or more for long lists of extensions.
  private static func list(_ entries: [FormatCatalogue.Entry]) -> [String] {
    let rows = entries.map { entry in
      [entry.id, entry.name, entry.isReadable ? "r" : "-", entry.writing == nil ? "-" : "w"]
    }
    let heads = TextLayout.table([["ID", "NAME", "R", "W"]] + rows)
    let column = (heads.map(\.count).max() ?? 0) + 2
    var lines = [TextLayout.padded(heads[0], to: column) + "FILES"]
    for (head, entry) in zip(heads.dropFirst(), entries) {
      let files = TextLayout.wrapped(entry.extensionList, indent: column)
      lines.append(TextLayout.padded(head, to: column) + (files.first ?? "").dropFirst(column))
      lines += files.dropFirst()
    }
    return lines
  }
}
