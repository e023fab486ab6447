extension StageCatalogue {
  /// The names and summaries of all stages, aligned, for a terminal.
  ///
  /// - Parameter width: The number of columns.
  package func list(width: Int = 80) -> String {
    let longest = entries.map(\.name.count).max() ?? 0
    return entries.map { entry in
      let padding = String(repeating: " ", count: longest - entry.name.count)
      let text = wrapped(entry.summary, width: width, indentation: longest + 4)
      return "  \(entry.name)\(padding)  \(text)\n"
    }.joined()
  }
}

extension StageDefinition {
  /// The page of the stage as plain text for a terminal.
  ///
  /// - Parameter width: The number of columns.
  package func text(width: Int = 80) -> String {
    var blocks = [wrapped("\(name): \(summary)", width: width)]
    let (method, notes) = methodAndNotes
    blocks += paragraphs(of: method).map { wrapped($0, width: width) }
    if !parameters.isEmpty {
      blocks.append(
        "Options:\n" + parameters.map { text(of: $0, width) }.joined(separator: "\n"))
    }
    blocks += dataFlow.lines.map {
      wrapped("\($0.word): \($0.features)", width: width, indentation: 2)
    }
    if let origin {
      blocks.append("From the plugin \(origin.plugin) \(origin.version), \(origin.path)")
    }
    let example = example.split(separator: "\n").map { "  " + $0 }.joined(separator: "\n")
    blocks.append("Example:\n" + example)
    if !notes.isEmpty {
      blocks.append("Notes:")
      blocks += paragraphs(of: notes).map { wrapped($0, width: width) }
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }

  /// The first paragraph of the discussion, and the others.
  var methodAndNotes: (method: String, notes: String) {
    let lines = discussion.split(separator: "\n", omittingEmptySubsequences: false)
    let end = lines.firstIndex { $0.allSatisfy(\.isWhitespace) } ?? lines.endIndex
    let notes = lines[end...].drop { $0.allSatisfy(\.isWhitespace) }
    return (lines[..<end].joined(separator: "\n"), notes.joined(separator: "\n"))
  }

  private func text(of parameter: ParameterDeclaration, _ width: Int) -> String {
    var facts = parameter.type.name
    if parameter.isRequired {
      facts += ", required"
    } else if parameter.defaultValue.content != .null {
      facts += ", default " + parameter.defaultText
    }
    if let range = parameter.rangeText { facts += ", " + range }
    return "  \(parameter.name) (\(facts))\n      "
      + wrapped(parameter.help, width: width, indentation: 6)
  }

  /// The paragraphs of Markdown text without its marks for code and emphasis; list items stay separate.
  private func paragraphs(of markdown: String) -> [String] {
    var paragraphs: [String] = []
    var continues = false
    for line in markdown.split(separator: "\n", omittingEmptySubsequences: false) {
      let isBlank = line.allSatisfy(\.isWhitespace)
      if !isBlank {
        let text = line.filter { $0 != "`" }.split(
          separator: "**", omittingEmptySubsequences: false
        )
        .joined()
        if continues, !line.hasPrefix("- ") {
          paragraphs[paragraphs.count - 1] += " " + text
        } else {
          paragraphs.append(text)
        }
      }
      continues = !isBlank
    }
    return paragraphs
  }
}

/// Wraps a text to `width` columns; all lines except the first are indented.
func wrapped(_ text: String, width: Int, indentation: Int = 0) -> String {
  var result = ""
  var column = indentation
  for word in text.split(whereSeparator: \.isWhitespace) {
    if result.isEmpty {
      result += word
    } else if column + 1 + word.count <= width {
      result += " " + word
      column += 1
    } else {
      result += "\n" + String(repeating: " ", count: indentation) + word
      column = indentation
    }
    column += word.count
  }
  return result
}
