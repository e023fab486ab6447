import MeshPipeline
import NativeLibraries

/// The layers and textures of a file: in a package, or in its folder.
struct USDFiles {
  /// Where a layer is.
  private struct Place {
    /// The name of the package, empty for the file itself if it is one.
    var package: String
    /// In the package, or in the folder.
    var name: String
  }

  private let opener: SideFileOpener
  private let file: MappedFile
  private let path: String
  private let context: ReadingContext
  /// The file itself by an empty name, if it is a package; others by their names as layers.
  private var packages: [String: USDArchive] = [:]
  /// Layers in packages other than the file itself, by their names.
  private var places: [String: Place] = [:]
  var textures = TextureCollection()
  private var textureOfName: [String: Int] = [:]
  /// Of the packages' textures so far, and the most that there can be.
  private var textureBytes = 0
  private var mostTextureBytes: Int

  init(_ file: MappedFile, in context: ReadingContext) {
    self.file = file
    self.context = context
    path = file.path
    mostTextureBytes = file.count
    opener = SideFileOpener(mainPath: path, context: context)
  }

  // MARK: Layers

  /// The main layer.
  mutating func main() throws -> USDReadLayer {
    let bytes = USDBytes(file, named: path)
    guard try USDArchive.isArchive(bytes) else {
      return try Self.known(Self.layer(bytes, named: FileSystem.name(of: path)), bytes)
    }
    return try mainLayer(ofPackage: "", bytes)
  }

  /// The first file of a package; others of its folder may be layers, too.
  private mutating func mainLayer(
    ofPackage package: String, _ bytes: USDBytes
  ) throws -> USDReadLayer {
    let archive = try packages[package] ?? USDArchive(bytes)
    packages[package] = archive
    guard
      let name = archive.names.first(where: {
        ["usd", "usda", "usdc"].contains(fileExtension(of: $0))
      }), let layer = try archive.file(name)
    else {
      throw ReadingError.content(
        path: bytes.path, "the package contains no layer (usdc, usda or usd)")
    }
    return try Self.known(
      Self.layer(layer, named: add(Place(package: package, name: name))), layer)
  }

  /// The name of a layer, which is that of its file where this is enough.
  private mutating func add(_ place: Place) -> String {
    let name = Self.name(of: place)
    if !place.package.isEmpty { places[name] = place }
    return name
  }

  private static func name(of place: Place) -> String {
    place.package.isEmpty ? place.name : "\(place.package)[\(place.name)]"
  }

  private func place(ofLayer name: String) -> Place {
    places[name] ?? Place(package: "", name: name)
  }

  /// The name of a layer, or of the package whose main layer it is, found without reading it.
  func layerName(_ name: String, from other: String) -> String {
    var place = place(ofLayer: other)
    let found = packages[place.package].flatMap { archive in
      Self.candidates(name, from: place.name).first { archive.contains($0) }
    }
    place.name = found ?? Self.normalized(Self.folder(of: place.name), name)
    return Self.name(of: place)
  }

  /// A layer that another one names, or the main layer of a package; nil, with a warning, if there is none.
  mutating func layer(_ name: String, from other: String) throws -> USDReadLayer? {
    let place = place(ofLayer: other)
    if let archive = packages[place.package] {
      for candidate in Self.candidates(name, from: place.name) {
        guard let bytes = try archive.file(candidate) else { continue }
        return try layer(bytes, at: Place(package: place.package, name: candidate), name)
      }
      warn("the layer '\(name.prefix(120))' is not in the package and is left out")
      return nil
    }
    let found = opener.openOrWarn(
      name, subfolder: Self.folder(of: place.name), purpose: "the layer",
      source: FileSystem.name(of: path))
    guard let found else { return nil }
    defer { opener.didFinish(found.file) }
    let bytes = USDBytes(found.file, named: found.canonicalPath)
    if try USDArchive.isArchive(bytes) { mostTextureBytes += bytes.count }
    return try layer(
      bytes, at: Place(package: "", name: Self.normalized(Self.folder(of: place.name), name)), name)
  }

  /// - Parameter name: What the file is called where it is referred to.
  /// - Returns: Nil, with a warning, for a file of another kind.
  private mutating func layer(
    _ bytes: USDBytes, at place: Place, _ name: String
  ) throws -> USDReadLayer? {
    if try USDArchive.isArchive(bytes) {
      return try mainLayer(ofPackage: Self.name(of: place), bytes)
    }
    if fileExtension(of: place.name) == "mtlx" { return try materialX(bytes, at: place, name) }
    guard let layer = try Self.layer(bytes, named: add(place)) else {
      warn("the layer '\(name.prefix(120))' is neither USD nor MaterialX and is left out")
      return nil
    }
    return layer
  }

  private static func known(_ layer: USDReadLayer?, _ bytes: USDBytes) throws -> USDReadLayer {
    guard let layer else { throw bytes.fault(0, "is neither a USD crate nor USD text") }
    return layer
  }

  /// - Returns: Nil if it is neither a crate nor text.
  private static func layer(_ bytes: USDBytes, named name: String) throws -> USDReadLayer? {
    let head: [UInt8] = try bytes.integers(at: 0, min(16, bytes.count))
    if head.starts(with: CrateReader.identifier.utf8) {
      return try CrateReader.layer(bytes, named: name)
    }
    if head.starts(with: USDTextReader.identifier.utf8) {
      return try USDTextReader.layer(bytes, named: name)
    }
    return nil
  }

  // MARK: MaterialX

  /// The most documents that are included in one.
  private static let mostIncluded = 100

  /// A MaterialX document with those that it includes; nil, with a warning, if it is damaged: only materials are lost.
  private mutating func materialX(
    _ bytes: USDBytes, at place: Place, _ name: String
  ) throws -> USDReadLayer? {
    var known: Set<String> = [Self.name(of: place)]
    guard let document = try materialX(bytes, at: place, name, &known) else { return nil }
    do throws(XMLError) {
      return try MaterialXLayer.layer(document, named: add(place), byteCount: bytes.count)
    } catch {
      warnOfDocument(name, error)
      return nil
    }
  }

  private func warnOfDocument(_ name: String, _ error: XMLError) {
    let what = "the MaterialX document '\(name.prefix(120))'"
    warn("\(what) is left out: line \(error.line): \(error.message.prefix(200))")
  }

  private mutating func materialX(
    _ bytes: USDBytes, at place: Place, _ name: String, _ known: inout Set<String>
  ) throws -> MaterialXDocument? {
    var document: MaterialXDocument
    do {
      document = try MaterialXDocument(bytes)
    } catch let error as XMLError {
      warnOfDocument(name, error)
      return nil
    }
    let folder = Self.folder(of: place.name)
    for file in document.includes {
      var next = place
      next.name = Self.normalized(folder, file)
      guard known.insert(Self.name(of: next)).inserted else { continue }
      guard known.count <= Self.mostIncluded else {
        warn(
          "'\(name.prefix(120))' includes more than \(Self.mostIncluded) documents; some are left out"
        )
        break
      }
      var part: MaterialXDocument?
      if let archive = packages[place.package] {
        guard let bytes = try archive.file(next.name) else {
          warn("the document '\(file.prefix(120))' is not in the package and is left out")
          continue
        }
        part = try materialX(bytes, at: next, file, &known)
      } else if let side = opener.openOrWarn(
        file, subfolder: folder, purpose: "the document", source: FileSystem.name(of: path))
      {
        defer { opener.didFinish(side.file) }
        let bytes = USDBytes(side.file, named: side.canonicalPath)
        part = try materialX(bytes, at: next, file, &known)
      }
      if let part, !document.include(part) {
        warn(
          """
          the document '\(file.prefix(120))' is left out, since the documents together have more than \
          \(MaterialXDocument.mostElements) elements
          """)
      }
    }
    return document
  }

  // MARK: Textures

  /// The index of the first of some textures that exists; nil, with a warning, if there is none.
  mutating func texture(anyOf names: [String], from layer: String) throws -> Int? {
    // One alone is looked for when it is read.
    if names.count == 1 { return try texture(names[0], from: layer) }
    let place = place(ofLayer: layer)
    let existing = names.first { name in
      if let archive = packages[place.package] {
        return Self.candidates(name, from: place.name).contains { archive.contains($0) }
      }
      return opener.exists(name, subfolder: Self.folder(of: place.name))
    }
    return try (existing ?? names.first).flatMap { try texture($0, from: layer) }
  }

  /// The index of a texture that a layer names; nil, with a warning, if there is none.
  mutating func texture(_ name: String, from layer: String) throws -> Int? {
    let place = place(ofLayer: layer)
    guard let archive = packages[place.package] else {
      return textures.load(
        name, subfolder: Self.folder(of: place.name), opener: opener,
        source: FileSystem.name(of: path))
    }
    for candidate in Self.candidates(name, from: place.name) {
      let key = Self.name(of: Place(package: place.package, name: candidate))
      if let known = textureOfName[key] { return known }
      guard let picture = try archive.file(candidate) else { continue }
      textureBytes += picture.count
      guard textureBytes <= mostTextureBytes else {
        throw ReadingError.content(path: path, "files of the package overlap; is it damaged?")
      }
      let bytes = try picture.with(0..<picture.count) { [UInt8](copying: $0) }
      let index = textures.add(bytes, fileName: FileSystem.name(of: candidate).withoutForeignBytes)
      textureOfName[key] = index
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
