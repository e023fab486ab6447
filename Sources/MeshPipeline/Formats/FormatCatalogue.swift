/// Formats as their declarations describe them, for documentation.
public struct FormatCatalogue: Sendable {
  /// A format with all that can be said of it.
  public struct Entry: Sendable {
    public var id: String
    public var name: String
    /// Without dots; the first is the usual one.
    public var extensions: [String]
    public var isReadable: Bool
    public var writing: Writing?
    /// The plugin that it comes from; nil for one of the program's own.
    public var plugin: String?
  }

  /// What there is to say of a format that is written.
  public struct Writing: Sendable {
    public var keeps: Set<SceneFeature>
    public var axes: AxisConvention
    public var remark: String
    public var options: [ParameterDeclaration]
  }

  /// In the order of the list that the catalogue was made of.
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
  /// What a user should know, as a sentence without a stop.
  public var description: String {
    switch self {
    case .fixed(let system):
      "always \(system.upDescription) in \(system.unitDescription), whatever the scene"
    case .declared: "as the scene is; the file says so, and programs heed it"
    case .undeclared(let usual):
      "as the scene is; the file says nothing, and programs take it as \(usual.upDescription)"
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
