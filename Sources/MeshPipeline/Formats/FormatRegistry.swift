/// The formats of a run, by id and by file extension.
public struct FormatRegistry: Sendable {
  public let formats: [any Format.Type]

  /// Creates a registry; where two formats share an extension the earlier one has it.
  public init(_ formats: [any Format.Type]) {
    self.formats = formats
  }

  /// The format that reads `path`, by its extension.
  public func reader(forPath path: String) -> (any ReadableFormat.Type)? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap {
      $0 as? any ReadableFormat.Type
    }
    .first
  }

  /// The format that writes `path`, by its extension.
  public func writer(forPath path: String) -> (any WritableFormat.Type)? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap {
      $0 as? any WritableFormat.Type
    }
    .first
  }

  /// The format with an id that writes.
  public func writer(id: String) -> (any WritableFormat.Type)? {
    formats.lazy.compactMap { $0 as? any WritableFormat.Type }.first { $0.id == id }
  }

  /// The format with an id that reads.
  public func reader(id: String) -> (any ReadableFormat.Type)? {
    formats.lazy.compactMap { $0 as? any ReadableFormat.Type }.first { $0.id == id }
  }

  private func candidates(forExtension name: String) -> [any Format.Type] {
    formats.filter { $0.extensions.contains(name) }
  }
}

/// The lower-case extension of a path without the dot; empty when it has none.
public func fileExtension(of path: String) -> String {
  let name = path.split(separator: "/").last ?? ""
  guard let dot = name.lastIndex(of: "."), dot != name.startIndex else { return "" }
  return name[name.index(after: dot)...].lowercased()
}
