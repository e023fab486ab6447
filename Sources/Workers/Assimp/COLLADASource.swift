import MeshpipeBase

/// Finds errors in a COLLADA file that Assimp 5.2 does not check: missing numbers, and negative
/// vertex indices.
struct COLLADASource {
  private let path: String
  private let bytes: [UInt8]
  private var position = 0
  /// The number of values in each array as read by Assimp, by id.
  private var lengths: [String: Int] = [:]

  /// - Throws: ``AssimpError/contradiction(path:reason:)``; ignores files of other formats.
  static func check(_ path: String) throws {
    guard fileExtension(of: path) == "dae", let bytes = try? FileSystem.contents(of: path) else {
      return
    }
    var source = COLLADASource(path: path, bytes: XMLText.utf8(bytes))
    try source.check()
  }

  private init(path: String, bytes: [UInt8]) {
    self.path = path
    self.bytes = bytes
  }

  private mutating func check() throws(AssimpError) {
    while let tag = nextTag() {
      // Each counted element takes at least a byte.
      if let count = tag.count, count > bytes.count {
        throw fault("'\(tag.name)' claims \(count) elements, more than the file has bytes")
      }
      switch tag.name {
      case "float_array":
        let words = contents().split { $0 <= 0x20 }.count
        if let id = tag.text("id") { lengths[id] = min(words, tag.count ?? words) }
      case "accessor": try check(accessor: tag)
      case "p":
        guard !contents().contains(UInt8(ascii: "-")) else {
          throw fault("a face has a negative vertex index")
        }
      default: break
      }
    }
  }

  private func check(accessor tag: Tag) throws(AssimpError) {
    guard let source = tag.text("source"), source.hasPrefix("#"), let count = tag.count,
      let length = lengths[String(source.dropFirst())]
    else { return }
    let (stride, offset) = (tag.number("stride") ?? 1, tag.number("offset") ?? 0)
    let (product, isOver) = count.multipliedReportingOverflow(by: stride)
    guard !isOver, offset >= 0, count >= 0, stride >= 0, product <= length,
      offset <= length - product
    else {
      throw fault(
        "\(count) times \(stride) numbers are taken from the array '\(source.dropFirst().prefix(64))', "
          + "which has \(length)")
    }
  }

  private func fault(_ reason: String) -> AssimpError { .contradiction(path: path, reason: reason) }

  // MARK: Text

  /// A start tag.
  private struct Tag {
    var name: String
    var attributes: [String: String]

    var count: Int? { number("count") }
    func text(_ attribute: String) -> String? { attributes[attribute] }
    func number(_ attribute: String) -> Int? {
      attributes[attribute].flatMap { Int($0.filter { $0 != " " }) }
    }
  }

  /// Moves after the next start tag; nil at the end.
  private mutating func nextTag() -> Tag? {
    while let start = bytes[position...].firstIndex(of: UInt8(ascii: "<")) {
      position = start + 1
      guard position < bytes.count else { return nil }
      if bytes[position] == UInt8(ascii: "!") {
        skipComment()
        continue
      }
      guard let end = bytes[position...].firstIndex(of: UInt8(ascii: ">")) else { return nil }
      let body = bytes[position..<end]
      position = end + 1
      guard let first = body.first, first != UInt8(ascii: "/"), first != UInt8(ascii: "?") else {
        continue
      }
      return Self.tag(String(decoding: body.prefix(4096), as: UTF8.self))
    }
    return nil
  }

  private mutating func skipComment() {
    let mark = Array("!--".utf8)
    guard bytes[position...].starts(with: mark) else { return }
    while position < bytes.count, !bytes[position...].starts(with: Array("-->".utf8)) {
      position += 1
    }
  }

  /// The text up to the next tag.
  private func contents() -> ArraySlice<UInt8> {
    bytes[position...].prefix { $0 != UInt8(ascii: "<") }
  }

  private static func tag(_ text: String) -> Tag {
    let name = text.prefix { !$0.isWhitespace && $0 != "/" }
    var attributes: [String: String] = [:]
    var rest = text[name.endIndex...]
    while let equals = rest.firstIndex(of: "=") {
      let key = rest[..<equals].filter { !$0.isWhitespace }
      rest = rest[rest.index(after: equals)...].drop { $0.isWhitespace }
      guard let quote = rest.popFirst(), quote == "\"" || quote == "'",
        let end = rest.firstIndex(of: quote)
      else { break }
      attributes[key] = String(rest[..<end])
      rest = rest[rest.index(after: end)...]
    }
    return Tag(name: name.split(separator: ":").last.map(String.init) ?? "", attributes: attributes)
  }
}
