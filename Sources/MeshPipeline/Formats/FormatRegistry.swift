/// The formats of a run, by id and by file extension.
public struct FormatRegistry: Sendable {
  public let formats: [FormatDefinition]
  private let foreign: [ForeignFormat]

  /// Creates a registry; where two formats share an extension the earlier one has it.
  ///
  /// - Parameter foreign: Formats that are not read, for messages.
  public init(_ formats: [FormatDefinition], foreign: [ForeignFormat] = []) {
    self.formats = formats
    self.foreign = foreign
  }

  public init(_ formats: [any Format.Type], foreign: [ForeignFormat] = []) {
    self.init(formats.map { FormatDefinition($0) }, foreign: foreign)
  }

  /// The format that reads `path`, by its extension.
  public func reader(forPath path: String) -> FormatReader? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap(\.reader).first
  }

  /// The format that a file most likely has, by how it begins; nil when none recognizes it.
  public func reader(forHead head: FileHead) -> FormatReader? {
    formats.lazy.compactMap(\.reader).first { $0.recognizes(head) }
  }

  /// What is said of a file of a format that is not read; nil when its name tells none.
  public func explanation(forForeign path: String) -> String? {
    let name = fileExtension(of: path)
    return foreign.first { $0.extensions.contains(name) }.map { format in
      "'.\(name)' is \(format.name), which is not read: \(format.wayOut)"
    }
  }

  /// The format that writes `path`, by its extension.
  public func writer(forPath path: String) -> FormatWriter? {
    candidates(forExtension: fileExtension(of: path)).lazy.compactMap(\.writer).first
  }

  /// The format with an id that writes.
  public func writer(id: String) -> FormatWriter? {
    formats.lazy.compactMap(\.writer).first { $0.id == id }
  }

  /// The format with an id that reads.
  public func reader(id: String) -> FormatReader? {
    formats.lazy.compactMap(\.reader).first { $0.id == id }
  }

  private func candidates(forExtension name: String) -> [FormatDefinition] {
    formats.filter { $0.extensions.contains(name) }
  }
}
