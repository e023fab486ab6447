extension RunReport {
  /// The report as JSON: `"meshpipeReport": 1`.
  public var json: JSONValue { JSONValue(.object([])) }

  /// The report as a table of about ten lines, for a terminal.
  public var table: String { "" }
}
