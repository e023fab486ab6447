import MeshPipeline

/// The layers and textures of a file: in a package, or in its folder.
struct USDFiles {
  private let archive: USDArchive?
  private let opener: SideFileOpener
  private let file: MappedFile
  private let path: String
  private let context: ReadingContext
  /// The name of the main layer: in a package, or in the folder.
  let mainName: String
  var textures = TextureCollection()
  private var textureOfName: [String: Int] = [:]
  /// Of the package's textures so far.
  private var textureBytes = 0

  init(_ file: MappedFile, in context: ReadingContext) throws {
    self.file = file
    self.context = context
    path = file.path
    opener = SideFileOpener(mainPath: path, context: context)
    let isPackage = file.withBytes { $0.count >= 2 && $0[0] == 0x50 && $0[1] == 0x4B }
    archive = isPackage ? try USDArchive(file, named: path) : nil
    if let archive {
      // The first file is the main layer; others of its folder may be layers, too.
      guard let name = archive.names.first(where: Self.isLayer) else {
        throw ReadingError.content(path: path, "the package contains no layer (usdc, usda or usd)")
      }
      mainName = name
    } else {
      mainName = FileSystem.name(of: path)
    }
  }

  private static func isLayer(_ name: String) -> Bool {
    ["usd", "usda", "usdc"].contains(fileExtension(of: name))
  }

  /// The main layer.
  func main() throws -> USDReadLayer {
    guard let archive else { return try Self.layer(USDBytes(file, named: path), named: mainName) }
    guard let range = try archive.range(of: mainName) else {
      throw ReadingError.content(path: path, "the package contains no layer")
    }
    return try Self.layer(
      USDBytes(file, range, named: "\(path)[\(mainName.prefix(120))]"), named: mainName)
  }

  /// The name that ``layer(_:from:)`` gives to a layer, found without reading it.
  func layerName(_ name: String, from other: String) -> String {
    if let archive,
      let found = Self.candidates(name, from: other).first(where: { archive.contains($0) })
    {
      return found
    }
    return Self.normalized(Self.folder(of: other), name)
  }

  /// A layer that another one names; nil, with a warning, if there is none.
  func layer(_ name: String, from other: String) throws -> USDReadLayer? {
    if let archive {
      for candidate in Self.candidates(name, from: other) {
        guard let range = try archive.range(of: candidate) else { continue }
        return try Self.layer(
          USDBytes(file, range, named: "\(path)[\(candidate.prefix(120))]"), named: candidate)
      }
      warn("the layer '\(name.prefix(120))' is not in the package and is left out")
      return nil
    }
    let found = opener.openOrWarn(
      name, subfolder: Self.folder(of: other), purpose: "the layer",
      source: FileSystem.name(of: path))
    guard let found else { return nil }
    defer { opener.didFinish(found.file) }
    let isPackage = found.file.withBytes { $0.count >= 2 && $0[0] == 0x50 && $0[1] == 0x4B }
    if isPackage {
      warn("the package '\(name.prefix(120))' in another file is left out; read it by itself")
      return nil
    }
    return try Self.layer(
      USDBytes(found.file, named: found.canonicalPath),
      named: Self.normalized(Self.folder(of: other), name))
  }

  private static func layer(_ bytes: USDBytes, named name: String) throws -> USDReadLayer {
    let head: [UInt8] = try bytes.integers(at: 0, min(16, bytes.count))
    if head.starts(with: CrateReader.identifier.utf8) {
      return try CrateReader.layer(bytes, named: name)
    }
    if head.starts(with: USDTextReader.identifier.utf8) {
      return try USDTextReader.layer(bytes, named: name)
    }
    throw bytes.fault(0, "is neither a USD crate nor USD text")
  }

  /// The index of a texture that a layer names; nil, with a warning, if there is none.
  mutating func texture(_ name: String, from layer: String) throws -> Int? {
    guard let archive else {
      return textures.load(
        name, subfolder: Self.folder(of: layer), opener: opener,
        source: FileSystem.name(of: path))
    }
    for candidate in Self.candidates(name, from: layer) {
      if let known = textureOfName[candidate] { return known }
      guard let range = try archive.range(of: candidate) else { continue }
      textureBytes += range.count
      guard textureBytes <= file.count else {
        throw ReadingError.content(path: path, "files of the package overlap; is it damaged?")
      }
      let bytes = file.withBytes { [UInt8](copying: $0.extracting(range)) }
      let index = textures.add(bytes, fileName: FileSystem.name(of: candidate).withoutForeignBytes)
      textureOfName[candidate] = index
      return index
    }
    warn("the image '\(name.prefix(120))' is not in the package and is ignored")
    return nil
  }

  func warn(_ message: String) {
    context.stage.warn("\(FileSystem.name(of: path)): \(message)")
  }

  // MARK: Names

  /// Relative to the layer that names it, or else to the package.
  private static func candidates(_ name: String, from layer: String) -> [String] {
    [normalized(folder(of: layer), name), normalized("", name)]
  }

  private static func folder(of name: String) -> String {
    name.lastIndex(of: "/").map { String(name[..<$0]) } ?? ""
  }

  /// Without `.`, and with `..` only at the beginning, where it leads out of the folder of the main layer.
  private static func normalized(_ folder: String, _ name: String) -> String {
    var parts: [Substring] = []
    for part in "\(folder)/\(name)".split(separator: "/") where part != "." {
      if part == "..", let last = parts.last, last != ".." {
        parts.removeLast()
      } else {
        parts.append(part)
      }
    }
    return parts.joined(separator: "/")
  }
}
