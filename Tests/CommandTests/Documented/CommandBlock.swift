import Foundation
import MeshTestSupport
import Testing

/// A fenced block of a page of the documentation, in `sh` or in another language.
///
/// A comment before it, which readers don't see, says what is special about it:
///
/// - `<!-- not run: REASON -->`: it can't be run here.
/// - `<!-- needs: PROGRAM... -->`: it is run where these programs are installed.
/// - `<!-- exit: CODE -->`: the exit code that it ends with, in place of 0.
struct CommandBlock: Sendable, CustomTestStringConvertible {
  let page: String
  /// The number of its first line in the page.
  let line: Int
  let language: String
  var script: String
  let marks: [String: String]

  var testDescription: String { "\(page):\(line)" }

  /// Whether a line of it begins with the command, or pipes into it.
  var callsMeshpipe: Bool { script.contains(#/(?m)^[^\#\n]*?(?:^|[|&;(] *)meshpipe /#) }

  /// The blocks of a language in a page.
  static func all(of language: String, in page: String) throws -> [CommandBlock] {
    let lines = try Checkout.text(page).split(separator: "\n", omittingEmptySubsequences: false)
    var blocks: [CommandBlock] = []
    var open: CommandBlock?
    var indent = 0
    var marks: [String: String] = [:]
    for (index, line) in lines.enumerated() {
      let text = line.trimmingCharacters(in: .whitespaces)
      if let block = open {
        if text == "```" {
          if block.language == language { blocks.append(block) }
          open = nil
          marks = [:]
        } else {
          // A block in a list is indented as a whole.
          open?.script += line.dropFirst(min(indent, line.prefix { $0 == " " }.count)) + "\n"
        }
      } else if text.hasPrefix("```") {
        indent = line.prefix { $0 == " " }.count
        open = CommandBlock(
          page: page, line: index + 2, language: String(text.dropFirst(3)), script: "",
          marks: marks)
      } else if let mark = text.wholeMatch(of: /<!-- (not run|needs|exit): (.+) -->/) {
        marks[String(mark.1)] = String(mark.2)
      } else if !text.isEmpty {
        marks = [:]
      }
    }
    return blocks
  }

  /// The pages that readers see.
  static func pages() throws -> [String] {
    try Checkout.trackedFiles().filter {
      $0.hasSuffix(".md") && ($0.hasPrefix("docs/") || $0 == "README.md")
    }.sorted()
  }
}
