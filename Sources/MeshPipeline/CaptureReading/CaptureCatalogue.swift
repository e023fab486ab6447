/// Capture layouts with their declarations, for documentation.
package struct CaptureCatalogue: Sendable {
  /// The documentation of a layout.
  package struct Entry: Sendable {
    /// The identifier of the layout.
    package var id: String
    /// One sentence.
    package var summary: String
  }

  /// In the order in which a folder is checked.
  package let entries: [Entry]

  package init(_ layouts: [any CaptureLayout.Type]) {
    entries = layouts.map { Entry(id: $0.id, summary: $0.summary) }
  }

  /// All layouts as a Markdown table.
  package var markdown: String {
    (["| Layout | What it is |", "|---|---|"]
      + entries.map { "| `\($0.id)` | \($0.summary) |" }).joined(separator: "\n") + "\n"
  }
}
