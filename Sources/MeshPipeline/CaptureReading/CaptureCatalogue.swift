/// Capture layouts as their declarations describe them, for documentation.
public struct CaptureCatalogue: Sendable {
  /// A layout with all that can be said of it.
  public struct Entry: Sendable {
    public var id: String
    public var summary: String
  }

  /// In the order in which a folder is tried.
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
