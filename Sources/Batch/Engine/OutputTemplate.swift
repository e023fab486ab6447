package import MeshPipeline

/// The output paths of items: `out/{archive}/{stem}.glb`, or `out/${stem}.glb` as in pipeline
/// files.
///
/// A template that ends in a file name gives each item one file. One that ends in a slash, or has
/// neither braces nor an extension, names a folder, in which the pipeline's outputs keep their own
/// names; without braces the inputs' folders are mirrored in it.
package struct OutputTemplate: Sendable, Equatable {
  /// The placeholders.
  package enum Name: String, Sendable, CaseIterable {
    case archive, folder, stem, ext, name

    func value(at place: BatchItem.Place) -> String {
      switch self {
      case .archive: place.archive
      case .folder: place.folder
      case .stem: place.stem
      case .ext: place.fileExtension
      case .name:
        place.fileExtension.isEmpty ? place.stem : "\(place.stem).\(place.fileExtension)"
      }
    }
  }

  enum Part: Sendable, Equatable {
    case literal(String)
    case name(Name)
  }

  /// The template as written.
  package let text: String
  private let isAbsolute: Bool
  let parts: [Part]
  /// Whether items get a folder, in which the pipeline's outputs keep their names.
  package let isFolder: Bool
  /// The folder of the batch's journal: everything before the first part that differs between
  /// items.
  package let root: String

  /// - Parameter shown: The template for messages, if it differs from its text.
  /// - Throws: ``TemplateFault``.
  package init(_ template: String, named shown: String? = nil) throws(TemplateFault) {
    let shown = shown ?? template
    text = shown
    guard !template.isEmpty, !template.contains("\0") else {
      throw TemplateFault(text: shown, reason: "is not a path")
    }
    guard template != "-" else {
      throw TemplateFault(text: shown, reason: "is standard output, which takes only one result")
    }
    var parts = try Self.parts(of: template, named: shown)
    let hasNames = parts.contains { if case .name = $0 { true } else { false } }
    let last = template.split(separator: "/", omittingEmptySubsequences: false).last ?? ""
    let isFolderOnDisk = !hasNames && FileSystem.isFolder(template)
    isFolder = isFolderOnDisk || fileExtension(of: String(last)).isEmpty
    if isFolder, !hasNames {
      parts += [.literal("/"), .name(.archive), .literal("/"), .name(.folder)]
    }
    self.parts = parts
    isAbsolute = template.hasPrefix("/")
    var start = ""
    if case .literal(let text)? = parts.first { start = text }
    let isWhole = isFolder && !hasNames || start.hasSuffix("/")
    root = DiskPath.plain(isWhole ? start : FileSystem.folder(of: start))
  }

  private static func parts(of text: String, named shown: String) throws(TemplateFault) -> [Part] {
    var parts: [Part] = []
    var literal = ""
    var rest = text[...]
    while let character = rest.popFirst() {
      // As in pipeline files: '${stem}' does not mean a dollar sign.
      if character == "$", rest.first == "{", !rest.hasPrefix("{{") { continue }
      if character == "{" || character == "}", rest.first == character {
        literal.append(character)
        rest = rest.dropFirst()
      } else if character == "{" {
        guard let end = rest.firstIndex(of: "}") else {
          throw TemplateFault(text: shown, reason: "has a brace that is not closed")
        }
        parts += literal.isEmpty ? [] : [.literal(literal)]
        parts.append(.name(try name(String(rest[..<end]), in: shown)))
        literal = ""
        rest = rest[rest.index(after: end)...]
      } else if character == "}" {
        throw TemplateFault(
          text: shown, reason: "has a '}' without a '{'; write '}}' for a literal brace")
      } else {
        literal.append(character)
      }
    }
    return parts + (literal.isEmpty ? [] : [.literal(literal)])
  }

  private static func name(_ text: String, in template: String) throws(TemplateFault) -> Name {
    if let name = Name(rawValue: text) { return name }
    let names = Name.allCases.map(\.rawValue)
    let hint =
      nearestName(to: text, in: names).map { "did you mean '{\($0)}'?" }
      ?? "there are \(names.map { "{\($0)}" }.joined(separator: ", "))"
    throw TemplateFault(text: template, reason: "has an unknown placeholder '{\(text)}'; \(hint)")
  }

  /// The path for an item; ends in a slash if it is a folder.
  ///
  /// - Throws: ``TemplateFault`` if the item's names would escape the root.
  package func path(for place: BatchItem.Place) throws(TemplateFault) -> String {
    var path = ""
    for part in parts {
      switch part {
      case .literal(let text): path += text
      case .name(let name):
        let value = name.value(at: place)
        if value.split(separator: "/").contains("..") || value.contains("\0") {
          throw TemplateFault(text: text, reason: "would escape its folder with '\(value)'")
        }
        path += value
      }
    }
    // An empty value, or one with a leading slash, must not make a relative path absolute.
    if !isAbsolute { path = String(path.drop { $0 == "/" }) }
    path = DiskPath.plain(path)
    return isFolder && path != "/" ? path + "/" : path
  }
}

/// A template of output paths that can't be used.
package struct TemplateFault: UserError, Equatable {
  package var text: String
  package var reason: String

  package var exitCode: ExitCode { .usage }
  package var message: String { "-o '\(text)' \(reason)" }
}
