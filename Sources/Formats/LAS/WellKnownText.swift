import MeshPipeline

/// A node of a coordinate reference system as well-known text: a keyword with what is in its brackets.
///
/// Both forms are read, that of OGC 01-009 and GDAL, which LAS has, and that of ISO 19162.
struct WellKnownText {
  /// In capitals.
  private(set) var keyword: String
  /// Quoted texts, in order; the first is the name.
  private(set) var texts: [String] = []
  private(set) var numbers: [Double] = []
  /// Words without quotes or brackets: `Cartesian`, `EAST`.
  private(set) var words: [String] = []
  private(set) var nodes: [WellKnownText] = []

  /// More levels than any system has, so that no file exhausts the stack.
  private static let deepest = 32

  /// Nil for what is not such a text.
  init?(_ bytes: [UInt8]) {
    var reader = Reader(bytes: bytes)
    guard let node = reader.node(depth: 0) else { return nil }
    self = node
  }

  private init(keyword: String) { self.keyword = keyword }

  var name: String? { texts.first.flatMap { $0.isEmpty ? nil : $0 } }

  /// The first of the nodes with one of some keywords.
  func node(_ keywords: String...) -> WellKnownText? {
    nodes.first { keywords.contains($0.keyword) }
  }

  /// The code in the EPSG registry.
  var code: Int? {
    guard let node = node("AUTHORITY", "ID"), node.name?.uppercased() == "EPSG" else { return nil }
    return node.texts.dropFirst().first.flatMap { Int($0) }
      ?? node.numbers.first.flatMap { Int(exactly: $0) }
  }

  /// The length of its unit in metres, or its angle in radians, whatever number stands there.
  var unit: Double? { unitNode?.numbers.first }
  /// The code of its unit in the EPSG registry.
  var unitCode: Int? { unitNode?.code }

  private var unitNode: WellKnownText? {
    let own = nodes.last { ["UNIT", "LENGTHUNIT", "ANGLEUNIT"].contains($0.keyword) }
    return own ?? nodes.first { $0.keyword == "AXIS" }?.node("UNIT", "LENGTHUNIT", "ANGLEUNIT")
  }

  /// The node itself or the first one below it with one of some keywords.
  func first(_ keywords: Set<String>) -> WellKnownText? {
    if keywords.contains(keyword) { return self }
    for node in nodes {
      if let found = node.first(keywords) { return found }
    }
    return nil
  }

  // MARK: Reading

  private struct Reader {
    let bytes: [UInt8]
    private var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    private mutating func skipSpaces() {
      while let next, next <= 32, next > 0 { place += 1 }
    }

    mutating func node(depth: Int) -> WellKnownText? {
      skipSpaces()
      let keyword = word
      skipSpaces()
      guard depth < WellKnownText.deepest, !keyword.isEmpty, isOpening(next) else { return nil }
      place += 1
      var node = WellKnownText(keyword: keyword.uppercased())
      while true {
        skipSpaces()
        guard let next else { return nil }
        switch next {
        case UInt8(ascii: "]"), UInt8(ascii: ")"):
          place += 1
          return node
        case UInt8(ascii: ","): place += 1
        case UInt8(ascii: "\""):
          guard let text else { return nil }
          node.texts.append(text)
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "+"),
          UInt8(ascii: "."):
          guard let number = Double(word) else { return nil }
          node.numbers.append(number)
        default:
          let start = place
          let word = word
          skipSpaces()
          guard !word.isEmpty else { return nil }
          guard isOpening(self.next) else {
            node.words.append(word)
            continue
          }
          place = start
          guard let inner = self.node(depth: depth + 1) else { return nil }
          node.nodes.append(inner)
        }
      }
    }

    private func isOpening(_ byte: UInt8?) -> Bool {
      byte == UInt8(ascii: "[") || byte == UInt8(ascii: "(")
    }

    /// Letters, digits and what numbers have.
    private var word: String {
      mutating get {
        let start = place
        while let next, next > 32, !Self.ends.contains(next) { place += 1 }
        return String(decoding: bytes[start..<place], as: UTF8.self)
      }
    }

    private static let ends = Set("[](),\"".utf8)

    /// A text in quotes, in which a double quote is written twice.
    private var text: String? {
      mutating get {
        var result: [UInt8] = []
        place += 1
        while let byte = next {
          place += 1
          if byte != UInt8(ascii: "\"") {
            result.append(byte)
          } else if next == byte {
            result.append(byte)
            place += 1
          } else {
            return String(decoding: result, as: UTF8.self)
          }
        }
        return nil
      }
    }
  }
}
