/// Formats with their declarations, for documentation.
public struct FormatCatalogue: Sendable {
  /// The documentation of a format.
  public struct Entry: Sendable {
    public var id: String
    public var name: String
    /// Without dots; the first is the usual one.
    public var extensions: [String]
    public var isReadable: Bool
    public var writing: Writing?
    /// The plugin that provides it; nil for built-in formats.
    public var plugin: String?
  }

  /// The documentation of a writable format.
  public struct Writing: Sendable {
    public var keeps: Set<SceneFeature>
    public var axes: AxisConvention
    public var remark: String
    public var options: [ParameterDeclaration]
  }

  /// In the order of the formats given.
  public let entries: [Entry]

  public init(_ formats: [FormatDefinition]) {
    entries = formats.map { format in
      Entry(
        id: format.id, name: format.name, extensions: format.extensions,
        isReadable: format.reader != nil,
        writing: format.writer.map { writer in
          Writing(
            keeps: writer.keeps, axes: writer.axes, remark: writer.remark,
            options: writer.options)
        },
        plugin: format.origin?.plugin)
    }
  }

  public init(_ formats: [any Format.Type]) {
    self.init(formats.map { FormatDefinition($0) })
  }

  public subscript(id: String) -> Entry? { entries.first { $0.id == id } }
}

extension AxisConvention {
  /// What a user should know, as a sentence without a full stop.
  public var description: String {
    switch self {
    case .fixed(let system):
      "always \(system.upDescription) in \(system.unitDescription), whatever the scene"
    case .declared: "those of the scene; the file declares them, and programs honour them"
    case .undeclared(let usual):
      "those of the scene; the file does not declare them, and programs assume \(usual.upDescription)"
    }
  }
}

extension CoordinateSystem {
  /// `Y-up`.
  fileprivate var upDescription: String { "\(up.rawValue.uppercased())-up" }

  fileprivate var unitDescription: String {
    switch metersPerUnit {
    case 1: "metres"
    case 0.01: "centimetres"
    case 0.001: "millimetres"
    default: "units of \(JSONValue.text(of: metersPerUnit)) m"
    }
  }
}
