import MeshpipeBase
import MeshpipeScene

/// Formats with their declarations, for documentation.
public struct FormatCatalogue: Sendable {
  /// The documentation of a format.
  public struct Entry: Sendable {
    /// The identifier in pipelines and options, such as `glb`.
    public var id: String
    /// The name for people, such as "glTF binary".
    public var name: String
    /// Without dots; the first is the usual one.
    public var extensions: [String]
    /// Whether meshpipe reads it.
    public var isReadable: Bool
    /// Nil if meshpipe does not write it.
    public var writing: Writing?
    /// The plugin that provides it; nil for built-in formats.
    public var plugin: String?
  }

  /// The documentation of a writable format.
  public struct Writing: Sendable {
    /// The kinds of data that the format stores.
    public var keeps: Set<SceneFeature>
    /// How programs with default settings interpret the coordinates of a file.
    public var axes: AxisConvention
    /// Notes for users; empty if there are none.
    public var remark: String
    /// The options of an output.
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

  /// The format of an identifier.
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
