extension StageCatalogue {
  /// All stages as a table of Markdown, with links to their pages in `stages/`.
  package var markdown: String {
    var lines = ["| Stage | Does |", "|---|---|"]
    lines += entries.map { "| [`\($0.name)`](stages/\($0.name).md) | \(Self.cell($0.summary)) |" }
    return lines.joined(separator: "\n") + "\n"
  }

  static func cell(_ text: String) -> String {
    text.split(separator: "\n").joined(separator: " ").split(separator: "|")
      .joined(separator: "\\|")
  }
}

extension StageDefinition {
  /// The stage as a Markdown page.
  ///
  /// - Parameter figure: What is shown below the summary.
  package func markdown(figure: String? = nil) -> String {
    let (method, notes) = methodAndNotes
    var blocks = ["# \(name)", summary] + (figure.map { [$0] } ?? []) + [method]
    if parameters.isEmpty {
      blocks.append("It has no options.")
    } else {
      blocks.append(
        (["| Option | Type | Default | Meaning |", "|---|---|---|---|"] + parameters.map(row))
          .joined(separator: "\n"))
    }
    let flow = dataFlow.lines.map { "\($0.word) \($0.features)." }
    if !flow.isEmpty { blocks.append(flow.joined(separator: " ")) }
    blocks.append("## Example\n\n```json\n\(example)\n```")
    if !notes.isEmpty { blocks.append("## Notes\n\n\(notes)") }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  private func row(_ parameter: ParameterDeclaration) -> String {
    let value = parameter.defaultText
    let isJSON = !parameter.isRequired && parameter.defaultValue.content != .null
    let range = parameter.rangeText.map { " \(Self.sentence($0))." } ?? ""
    return "| `\(parameter.name)` | \(StageCatalogue.cell(parameter.type.name)) "
      + "| \(isJSON ? "`\(value)`" : value) | \(StageCatalogue.cell(parameter.help))\(range) |"
  }

  static func sentence(_ text: String) -> String { text.prefix(1).uppercased() + text.dropFirst() }
}
