package import MeshPipeline
import NativeLibraries

/// Finds in a file what made it.
package enum ProvenanceReader {
  /// What a file says.
  package enum Finding: Sendable, Equatable {
    case provenance(Provenance)
    /// The beginnings of the hashes of pipeline and input, where the format has room for no more.
    case digest(String)
  }

  /// What a file says; nil if it says nothing.
  ///
  /// - Throws: If the file can't be read, or is damaged where it would say so.
  package static func read(_ path: String) throws -> Finding? {
    let file = try MappedFile(path: path, allowsPipes: false)
    let head = file.withBytes { [UInt8](copying: $0.extracting(first: Provenance.longest)) }
    if let found = Provenance(inFile: try contents(of: file, head)) { return .provenance(found) }
    return digest(in: head).map { .digest($0) }
  }

  /// The part of a file in which it stands: the beginning, or of one that is compressed what is unpacked from it.
  private static func contents(of file: MappedFile, _ head: [UInt8]) throws -> [UInt8] {
    let bytes = USDBytes(file, named: file.path)
    if head.starts(with: CrateReader.identifier.utf8) { return try names(inCrate: bytes) }
    guard head.starts(with: "PK".utf8) else { return head }
    if let layer = try? USDArchive(bytes).firstLayer() {
      let start: [UInt8] = try layer.integers(at: 0, min(layer.count, 8))
      guard start.elementsEqual(CrateReader.identifier.utf8) else {
        return try layer.integers(at: 0, min(layer.count, Provenance.longest))
      }
      return try names(inCrate: layer)
    }
    return try model(inPackage: file.path) ?? head
  }

  /// The names and texts of a crate, apart.
  private static func names(inCrate bytes: USDBytes) throws -> [UInt8] {
    try Array(CrateReader.tokens(of: bytes).joined(separator: "\0").utf8)
  }

  /// The beginning of the model of a 3MF package.
  private static func model(inPackage path: String) throws -> [UInt8]? {
    let archive = try ArchiveReader(path)
    while let entry = try archive.next() {
      guard entry.kind == .file, fileExtension(of: entry.name) == "model" else { continue }
      var head: [UInt8] = []
      try archive.forEachBlock { block in
        head += block.prefix(max(0, Provenance.longest - head.count))
      }
      return head
    }
    return nil
  }

  /// What stands in the first 80 bytes of an STL file.
  private static func digest(in head: [UInt8]) -> String? {
    let words = String(decoding: head.prefix(80), as: UTF8.self)
      .split(whereSeparator: \.isWhitespace)
    guard words.contains("meshpipe") else { return nil }
    let parts = words.filter { word in
      ["p=", "i="].contains { word.hasPrefix($0) } && word.count == 10
        && word.dropFirst(2).allSatisfy(\.isHexDigit)
    }
    return parts.isEmpty ? nil : parts.joined(separator: " ")
  }
}

extension USDArchive {
  /// The layer that stands for the package.
  fileprivate func firstLayer() throws -> USDBytes? {
    try names.first { ["usd", "usda", "usdc"].contains(fileExtension(of: $0)) }.flatMap(file)
  }
}
