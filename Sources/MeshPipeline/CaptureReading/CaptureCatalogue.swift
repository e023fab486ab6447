/// Capture layouts with their declarations, for documentation.
public struct CaptureCatalogue: Sendable {
  /// The documentation of a layout.
  public struct Entry: Sendable {
    /// The identifier of the layout.
    public var id: String
    /// One sentence.
    public var summary: String
  }

  /// In the order in which a folder is checked.
  public let entries: [Entry]

  public init(_ layouts: [any CaptureLayout.Type]) {
    entries = layouts.map { Entry(id: $0.id, summary: $0.summary) }
  }

  /// All layouts as a Markdown table.
  public var markdown: String {
    (["| Layout | What it is |", "|---|---|"]
      + entries.map { "| `\($0.id)` | \($0.summary) |" }).joined(separator: "\n") + "\n"
  }
}
