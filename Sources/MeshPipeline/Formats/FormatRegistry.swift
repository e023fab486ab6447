/// The formats of a run, by id and by file extension.
public struct FormatRegistry: Sendable {
  /// Built-in formats and those of plugins.
  public let formats: [FormatDefinition]

  /// Creates a registry; the first of two formats with the same extension gets it.
  public init(_ formats: [FormatDefinition]) {
    self.formats = formats
  }

  public init(_ formats: [any Format.Type]) {
    self.init(formats.map { FormatDefinition($0) })
  }

  /// The format that reads `path`, by its extension.
  public func reader(forPath path: String) -> FormatReader? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap(\.reader).first
  }

  /// The format that writes `path`, by its extension.
  public func writer(forPath path: String) -> FormatWriter? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap(\.writer).first
  }

  /// The writable format with an id.
  public func writer(id: String) -> FormatWriter? {
    formats.lazy.compactMap(\.writer).first { $0.id == id }
  }

  /// The readable format with an id.
  public func reader(id: String) -> FormatReader? {
    formats.lazy.compactMap(\.reader).first { $0.id == id }
  }

  private func candidates(forExtension name: String) -> [FormatDefinition] {
    formats.filter { $0.extensions.contains(name) }
  }
}

/// The lower-case extension of a path without the dot; empty if there is none.
public func fileExtension(of path: String) -> String {
  let name = path.split(separator: "/").last ?? ""
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
  return name[name.index(after: dot)...].lowercased()
}
