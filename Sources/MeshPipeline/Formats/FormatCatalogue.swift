import MeshpipeBase
import MeshpipeScene

/// Formats with their declarations, for documentation.
package struct FormatCatalogue: Sendable {
  /// The documentation of a format.
  package struct Entry: Sendable {
    /// The identifier in pipelines and options, such as `glb`.
    package var id: String
    /// The name for people, such as "glTF binary".
    package var name: String
    /// Without dots; the first is the usual one.
    package var extensions: [String]
    /// Whether meshpipe reads it.
    package var isReadable: Bool
    /// Nil if meshpipe does not write it.
    package var writing: Writing?
    /// The plugin that provides it; nil for built-in formats.
    package var plugin: String?
  }

  /// The documentation of a writable format.
  package struct Writing: Sendable {
    /// The kinds of data that the format stores.
    package var keeps: Set<SceneFeature>
    /// How programs with default settings interpret the coordinates of a file.
    package var axes: AxisConvention
    /// Notes for users; empty if there are none.
    package var remark: String
    /// The options of an output.
    package var options: [ParameterDeclaration]
  }

  /// In the order of the formats given.
  package let entries: [Entry]

  package init(_ formats: [FormatDefinition]) {
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

  package init(_ formats: [any Format.Type]) {
    self.init(formats.map { FormatDefinition($0) })
  }

  /// The format of an identifier.
  package subscript(id: String) -> Entry? { entries.first { $0.id == id } }
}

extension AxisConvention {
  /// What a user should know, as a sentence without a full stop.
  package var description: String {
    switch self {
    case .fixed(let system):
      "always \(system.upDescription) in \(system.unitWords), whatever the scene"
    case .declared: "those of the scene; the file declares them, and programs honour them"
    case .undeclared(let usual):
      "those of the scene; the file does not declare them, and programs assume \(usual.upDescription)"
    }
  }

  /// How files are read whose axes and unit are not given by options, as the rest of a sentence.
  var readingDescription: String {
    switch self {
    case .fixed(let system): "\(system.upDescription) in \(system.unitWords)"
    case .declared: "the file declares"
    case .undeclared(let usual):
      "Y-up in metres, \(usual.up == .y ? "as programs take it" : "though other programs take it for \(usual.upDescription)"), "
        + "unless meshpipe wrote the file or its numbers show something else; `--input-up` and `--input-unit` settle it"
    }
  }
}

extension CoordinateSystem {
  /// `Y-up`.
  fileprivate var upDescription: String { "\(up.rawValue.uppercased())-up" }
}
