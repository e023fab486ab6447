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
    /// How much of what made it a file can say.
    package var provenance: Provenance.Extent
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
            keeps: writer.keeps, axes: writer.axes, provenance: writer.holdsProvenance,
            remark: writer.remark, options: writer.options)
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

extension Provenance.Extent {
  /// What a file can say, without a full stop.
  fileprivate var description: String {
    switch self {
    case .full: "all of it"
    case .short: "the beginnings of the hashes of pipeline and input"
    case .none: "none, the format has no place for it"
    }
  }
}

extension CoordinateSystem {
  /// `Y-up`.
  fileprivate var upDescription: String { "\(up.rawValue.uppercased())-up" }
}

extension FormatCatalogue {
  /// All formats as JSON, for programs.
  package var json: JSONValue { JSONValue(.array(entries.map(\.json))) }
}

extension FormatCatalogue.Entry {
  /// The format as JSON: names, directions, and the features kept.
  package var json: JSONValue {
    func text(_ string: String) -> JSONValue { JSONValue(.string(string)) }
    var members: [JSONValue.Member] = [
      .init("id", text(id)), .init("name", text(name)),
      .init("extensions", JSONValue(.array(extensions.map(text)))),
      .init("reads", JSONValue(.bool(isReadable))),
      .init("writes", JSONValue(.bool(writing != nil))),
    ]
    if let writing {
      members += [
        .init("keeps", JSONValue(.array(writing.keeps.sorted().map { text($0.rawValue) }))),
        .init("axes", text(writing.axes.description)),
        .init("provenance", text(writing.provenance.rawValue)),
        .init("remark", text(writing.remark)),
        .init("options", JSONValue(.array(writing.options.map(\.json)))),
      ]
    }
    if let plugin { members.append(.init("plugin", text(plugin))) }
    return JSONValue(.object(members))
  }
}

extension FormatCatalogue {
  /// All formats as a Markdown page: a table of the features kept, a section for each writable
  /// format, and a list of read-only ones.
  package var markdown: String {
    let written = entries.filter { $0.writing != nil }
    let features = SceneFeature.allCases.filter { !SceneFeature.besideModels.contains($0) }
    var lines = [
      "| Format | " + features.map(\.words).joined(separator: " | ") + " |",
      "|---|" + features.map { _ in ":-:|" }.joined(),
    ]
    for entry in written {
      let marks = features.map { entry.writing?.keeps.contains($0) == true ? "✓" : "" }
      lines.append("| [`\(entry.id)`](#\(entry.id)) | " + marks.joined(separator: " | ") + " |")
    }
    let table = lines.joined(separator: "\n") + "\n\n"
    let sections = written.map(\.markdown).joined(separator: "\n")
    let read = entries.filter { $0.writing == nil && $0.isReadable }.map { entry in
      "- \(entry.name) (\(entry.extensionList))"
    }
    guard !read.isEmpty else { return table + sections }
    return table + sections + "\n## Only read\n\n" + read.joined(separator: "\n") + "\n"
  }
}

extension FormatCatalogue.Entry {
  /// The extensions with dots: `.dae, .zae`.
  package var extensionList: String { extensions.map { "." + $0 }.joined(separator: ", ") }

  /// The format as a section of a Markdown page.
  package var markdown: String {
    var blocks = ["## \(id)"]
    let directions =
      isReadable && writing != nil ? "read and written" : isReadable ? "read" : "written"
    blocks.append("\(name) (`\(extensions.joined(separator: "`, `"))`), \(directions).")
    guard let writing else { return blocks.joined(separator: "\n\n") + "\n" }
    if !writing.remark.isEmpty { blocks.append(writing.remark) }
    blocks.append(
      """
      - Keeps \(writing.keeps.sorted().map(\.words).joined(separator: ", ")).
      - Axes and unit: \(writing.axes.description).
      - Provenance: \(writing.provenance.description).
      """ + (isReadable ? "\n- Read as \(writing.axes.readingDescription)." : ""))
    if !writing.options.isEmpty {
      let rows = writing.options.map { option in
        "| `\(option.name)` | \(StageCatalogue.cell(option.type.name)) | `\(option.defaultValue.compactText)` "
          + "| \(option.help) |"
      }
      blocks.append(
        (["| Option | Type | Default | Meaning |", "|---|---|---|---|"] + rows)
          .joined(separator: "\n"))
    }
    return blocks.joined(separator: "\n\n") + "\n"
  }
}
