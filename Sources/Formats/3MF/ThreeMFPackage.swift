import MeshPipeline
import NativeLibraries

/// The parts of a 3MF package needed by its model.
///
/// ECMA-376 part 2 (Open Packaging Conventions): part names begin with a slash and are
/// case-insensitive.
struct ThreeMFPackage {
  let path: String
  /// The root part.
  let root: String
  /// Model parts by their keys; see ``key(_:)``.
  private(set) var parts: [String: ThreeMFPart] = [:]
  /// The bytes of images by their keys.
  private(set) var pictures: [String: [UInt8]] = [:]
  /// The parts whose bytes are encrypted, by their keys.
  private let encrypted: Set<String>
  private let context: ReadingContext

  init(_ path: String, in context: ReadingContext) throws {
    self.path = path
    self.context = context
    var names: Set<String> = []
    let relationships = RelationshipParser()
    try Self.forEachFile(of: path, for: context.stage) { name, archive in
      names.insert(name)
      guard name == "_rels/.rels" else { return }
      try Self.parse(
        archive, names: RelationshipParser.names, relationships, path: path, part: name)
    }
    root = Self.key(relationships.model ?? "3D/3dmodel.model")
    encrypted = try Self.encryptedParts(
      of: path, keystore: relationships.keystore.map(Self.key), for: context.stage)
    guard names.contains(root) else {
      throw ReadingError.content(
        path: path, "contains no model: there is no '\(root.prefix(120))' in the package")
    }
    try readParts(names)
    try readPictures()
  }

  /// A part's name as the index of ``parts`` and ``pictures``.
  static func key(_ name: String) -> String {
    let name = DataURI.decodingPercents(name).lowercased()
    return name.hasPrefix("/") ? String(name.dropFirst()) : name
  }

  private static func encryptedParts(
    of path: String, keystore: String?, for run: any Cancellable
  ) throws -> Set<String> {
    guard let keystore else { return [] }
    let handler = KeystoreParser()
    try forEachFile(of: path, for: run) { name, archive in
      guard name == keystore else { return }
      try parse(archive, names: KeystoreParser.names, handler, path: path, part: name)
    }
    return Set(handler.paths.map(key))
  }

  /// Parts may refer to parts, although the specification allows it only for the root part.
  private static let mostRounds = 8

  private mutating func readParts(_ names: Set<String>) throws {
    var wanted: Set<String> = [root]
    for _ in 0..<Self.mostRounds where !wanted.isEmpty {
      try Self.forEachFile(of: path, for: context.stage) { name, archive in
        guard wanted.contains(name) else { return }
        try refuseEncrypted(name)
        parts[name] = try readPart(name, archive)
      }
      let named = parts.values.flatMap { part in
        (part.items + part.objects.values.flatMap(\.components)).compactMap(\.path)
      }
      wanted = Set(named.map(Self.key)).subtracting(parts.keys)
      if let missing = wanted.subtracting(names).min() {
        throw ReadingError.content(
          path: path, "refers to the missing part '\(missing.prefix(120))'")
      }
    }
    guard wanted.isEmpty else {
      throw ReadingError.content(
        path: path, "the chain of references between its parts is too long")
    }
  }

  private func readPart(_ name: String, _ archive: ArchiveReader) throws -> ThreeMFPart {
    let handler = ThreeMFParser()
    try Self.parse(archive, names: ThreeMFParser.names, handler, path: path, part: name) {
      // The total is unknown before unpacking.
      try context.stage.progress(0.4)
    }
    var part = handler.part
    if let remark = handler.remarkOnModel { part.remarks.append(remark) }
    return part
  }

  private static func parse(
    _ archive: ArchiveReader, names: [String], _ handler: any XMLHandler, path: String,
    part: String, didParse: () throws -> Void = {}
  ) throws {
    let parser = try XMLParser(names: names, handler: handler)
    do {
      try archive.forEachBlock { block in
        try parser.parse(block)
        try didParse()
      }
      try parser.finish()
    } catch let error as XMLError {
      throw ReadingError.content(path: path, "\(part), line \(error.line): \(error.message)")
    }
  }

  private func refuseEncrypted(_ name: String) throws {
    guard encrypted.contains(name) else { return }
    throw ReadingError.content(
      path: path, "its part '\(name.prefix(120))' is encrypted; save it without protection")
  }

  private mutating func readPictures() throws {
    let wanted = Set(parts.values.flatMap(\.textures.values).map(Self.key))
    guard !wanted.isEmpty else { return }
    try Self.forEachFile(of: path, for: context.stage) { name, archive in
      guard wanted.contains(name) else { return }
      try refuseEncrypted(name)
      var bytes: [UInt8] = []
      try archive.forEachBlock { bytes += $0 }
      pictures[name] = bytes
      try context.stage.progress(0.5)
    }
  }

  /// Iterates over the files of the package; the body may read their bytes from the archive.
  private static func forEachFile(
    of path: String, for run: any Cancellable,
    _ body: (_ key: String, ArchiveReader) throws -> Void
  ) throws {
    let archive = try ArchiveReader(path, for: run)
    while let entry = try archive.next() {
      guard entry.kind == .file, entry.refusal == nil else { continue }
      try body(key(entry.name), archive)
    }
  }
}

/// Finds the parts that are encrypted.
private final class KeystoreParser: XMLHandler {
  private(set) var paths: [String] = []

  static let names = ["04", "07"].map {
    "http://schemas.microsoft.com/3dmanufacturing/securecontent/2019/\($0) resourcedata"
  }

  func start(_ name: Int?, _ attributes: borrowing XMLAttributes) throws(XMLFault) {
    if name != nil, let path = attributes.text("path") { paths.append(path) }
  }

  func end(_ name: Int?) throws(XMLFault) {}
  func declare(prefix: String, namespace: String) {}
}

/// Finds the model and the keys of encrypted parts in the relationships of a package.
private final class RelationshipParser: XMLHandler {
  private(set) var model: String?
  private(set) var keystore: String?

  static let names = [
    "http://schemas.openxmlformats.org/package/2006/relationships Relationship"
  ]

  func start(_ name: Int?, _ attributes: borrowing XMLAttributes) throws(XMLFault) {
    guard name != nil, let type = attributes.text("Type") else { return }
    if type == "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel" {
      model = model ?? attributes.text("Target")
    } else if type.hasPrefix("http://schemas.microsoft.com/3dmanufacturing/"),
      type.hasSuffix("/keystore")
    {
      keystore = keystore ?? attributes.text("Target")
    }
  }

  func end(_ name: Int?) throws(XMLFault) {}
  func declare(prefix: String, namespace: String) {}
}
