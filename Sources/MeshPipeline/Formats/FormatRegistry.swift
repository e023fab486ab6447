import MeshpipeBase

/// The formats of a run, by id and by file extension.
public struct FormatRegistry: Sendable {
  /// Built-in formats and those of plugins.
  public let formats: [FormatDefinition]
  private let foreign: [ForeignFormat]

  /// Creates a registry; the first of two formats with the same extension gets it.
  ///
  /// - Parameter foreign: Unsupported formats, for messages.
  public init(_ formats: [FormatDefinition], foreign: [ForeignFormat] = []) {
    self.formats = formats
    self.foreign = foreign
  }

  /// Creates a registry of formats given as types; the first of an extension gets it.
  ///
  /// - Parameter foreign: Unsupported formats, for messages.
  public init(_ formats: [any Format.Type], foreign: [ForeignFormat] = []) {
    self.init(formats.map { FormatDefinition($0) }, foreign: foreign)
  }

  /// The format that reads `path`, by its extension.
  public func reader(forPath path: String) -> FormatReader? {
    candidates(forPath: path).lazy.compactMap(\.reader).first
  }

  /// The probable format of a file, by its first bytes; nil if none recognizes it.
  public func reader(forHead head: FileHead) -> FormatReader? {
    formats.lazy.compactMap(\.reader).first { $0.recognizes(head) }
  }

  /// The format of a file by its extension, or otherwise by its first bytes.
  ///
  /// - Returns: Nil for unknown and unreadable files, and for those of formats that are not supported.
  package func reader(ofFile path: String) -> FormatReader? {
    if let reader = reader(forPath: path) { return reader }
    guard explanation(forForeign: path) == nil, let head = FileHead(ofFile: path) else {
      return nil
    }
    return reader(forHead: head)
  }

  /// The format of a scan that has the extension of pipelines, `json`; nil for any other file.
  package func reader(ofJSONScan path: String) -> FormatReader? {
    guard fileExtension(of: path) == "json", let reader = reader(ofFile: path) else { return nil }
    return reader.extensions.contains { $0.hasSuffix(".json") } ? reader : nil
  }

  /// The message for a file of an unsupported format; nil for other file names.
  package func explanation(forForeign path: String) -> String? {
    let name = fileExtension(of: path)
    return foreign.first { $0.extensions.contains(name) }.map { format in
      "'.\(name)' is \(format.name), which is not supported: \(format.wayOut)"
    }
  }

  /// What a file of no format plainly holds, for messages: `is a JPEG picture, not a mesh`; nil if its first bytes tell
  /// nothing.
  package func explanation(ofContentsOf path: String) -> String? {
    ForeignContent.explanation(ofFile: path)
  }

  /// The end of a message on a file of an unknown format: how to read it if its lines are points.
  package func pointsHint(ofFile path: String) -> String {
    // The format of tables is that of points in any text.
    guard let text = FileHead(ofFile: path)?.text, text.contains(where: \.isNumber),
      let format = reader(forPath: "points.csv")
    else { return "" }
    return "; if its lines are points, read it with --input-format \(format.id)"
  }

  /// The format that writes `path`, by its extension.
  public func writer(forPath path: String) -> FormatWriter? {
    candidates(forPath: path).lazy.compactMap(\.writer).first
  }

  /// The writable format with an id.
  public func writer(id: String) -> FormatWriter? {
    formats.lazy.compactMap(\.writer).first { $0.id == id }
  }

  /// The extension of the first format that writes, for examples; empty if none does.
  package var exampleExtension: String {
    formats.lazy.compactMap(\.writer).first?.extensions.first ?? ""
  }

  /// The readable format with an id.
  public func reader(id: String) -> FormatReader? {
    formats.lazy.compactMap(\.reader).first { $0.id == id }
  }

  /// Those of an extension of two words (`shapes.json`) before those of its last word.
  private func candidates(forPath path: String) -> [FormatDefinition] {
    let last = fileExtension(of: path)
    let whole = path.lowercased()
    return formats.filter { format in
      format.extensions.contains { $0.contains(".") && whole.hasSuffix("." + $0) }
    } + formats.filter { $0.extensions.contains(last) }
  }
}
