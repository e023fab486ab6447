import MeshpipeBase
import MeshpipeScene

extension FormatCatalogue {
  /// All formats as a Markdown page: a table of the features kept, a section for each writable
  /// format, and a list of read-only ones.
  package var markdown: String {
    let written = entries.filter { $0.writing != nil }
    let features = SceneFeature.allCases.filter { !SceneFeature.besideModels.contains($0) }
    var lines = [
      "| Format | " + features.map(\.words).joined(separator: " | ") + " |",
      "|---|" + features.map { _ in ":-:|" }.joined(),
    ]
    for entry in written {
      let marks = features.map { entry.writing?.keeps.contains($0) == true ? "✓" : "" }
      lines.append("| [`\(entry.id)`](#\(entry.id)) | " + marks.joined(separator: " | ") + " |")
    }
    let table = lines.joined(separator: "\n") + "\n\n"
    let sections = written.map(\.markdown).joined(separator: "\n")
    let read = entries.filter { $0.writing == nil && $0.isReadable }.map { entry in
      "- \(entry.name) (\(entry.extensionList))"
    }
    guard !read.isEmpty else { return table + sections }
    return table + sections + "\n## Only read\n\n" + read.joined(separator: "\n") + "\n"
  }
}

extension FormatCatalogue.Entry {
  /// The extensions with dots: `.dae, .zae`.
  package var extensionList: String { extensions.map { "." + $0 }.joined(separator: ", ") }

  /// The format as a section of a Markdown page.
  package var markdown: String {
    var blocks = ["## \(id)"]
    let directions =
      isReadable && writing != nil ? "read and written" : isReadable ? "read" : "written"
    blocks.append("\(name) (`\(extensions.joined(separator: "`, `"))`), \(directions).")
    guard let writing else { return blocks.joined(separator: "\n\n") + "\n" }
    if !writing.remark.isEmpty { blocks.append(writing.remark) }
    blocks.append(
      """
      - Keeps \(writing.keeps.sorted().map(\.words).joined(separator: ", ")).
      - Axes and unit: \(writing.axes.description).
      """ + (isReadable ? "\n- Read as \(writing.axes.readingDescription)." : ""))
    if !writing.options.isEmpty {
      let rows = writing.options.map { option in
        "| `\(option.name)` | \(StageCatalogue.cell(option.type.name)) | `\(option.defaultValue.compactText)` "
          + "| \(option.help) |"
      }
      blocks.append(
        (["| Option | Type | Default | Meaning |", "|---|---|---|---|"] + rows)
          .joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }
}
