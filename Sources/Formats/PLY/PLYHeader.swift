import MeshPipeline

/// The header of a PLY file: the layout of its body.
struct PLYHeader {
  enum Encoding { case text, littleEndian, bigEndian }

  /// A named sequence of records with the same properties.
  struct Element {
    var name: String
    var count: Int
    var properties: [Property] = []
    /// The number of its header line, counted from 1; of points without one, that of the first.
    var line: Int

    /// The minimum size of a record in bytes.
    func smallestSize(_ encoding: Encoding) -> Int {
      switch encoding {
      case .text: 2 * properties.count  // a digit and what parts it from the next
      case .littleEndian, .bigEndian:
        properties.reduce(0) { $0 + ($1.countType ?? $1.type).size }
      }
    }

    var hasLists: Bool { properties.contains { $0.countType != nil } }
  }

  struct Property {
    var name: String
    var type: NumberType
    /// The type of a list's length; nil for a single value.
    var countType: NumberType?
  }

  private(set) var encoding = Encoding.text
  private(set) var elements: [Element] = []
  private var elementNames: Set<Substring> = []
  /// Textures named in comments, as by MeshLab.
  private(set) var textureFiles: [String] = []
  /// Names of class labels in comments, as written by meshpipe.
  private(set) var classNames: [Int: String] = [:]
  /// The numbers of unknown lines, counted from 1.
  private(set) var strayLines: [Int] = []
  /// The first byte of the body.
  private(set) var bodyOffset = 0
  /// The end of the body in text; nil for that of the file.
  private(set) var bodyEnd: Int?
  /// What separates numbers in text, besides spaces.
  private(set) var delimiter: UInt8?
  /// Subtracted from positions, which single precision would round far from it.
  var origin = SIMD3<Double>.zero
  /// A vertex in messages.
  private(set) var vertexWord = "vertex"
  /// Whether the file itself says how many records it has.
  private(set) var claimsCounts = true

  private static let keywords = [
    "format", "comment", "obj_info", "element", "property", "end_header",
  ]

  /// Describes the points of a file of another format as the vertices of a PLY file.
  init(
    points: Element, encoding: Encoding, bodyOffset: Int, bodyEnd: Int? = nil,
    delimiter: UInt8? = nil,
    origin: SIMD3<Double> = .zero, classNames: [Int: String] = [:], claimsCounts: Bool
  ) {
    elements = [points]
    vertexWord = "point"
    self.encoding = encoding
    self.bodyOffset = bodyOffset
    self.bodyEnd = bodyEnd
    self.delimiter = delimiter
    self.origin = origin
    self.classNames = classNames
    self.claimsCounts = claimsCounts
  }

  /// Parses the header at the beginning of a file.
  init(_ bytes: Span<UInt8>) throws(LineFault) {
    var lines = HeaderLines()
    var hasFormat = false
    guard lines.next(bytes) == "ply" else { throw LineFault(line: 0, message: "is not a PLY file") }
    while let line = lines.next(bytes) {
      let words = line.split { $0 == " " || $0 == "\t" }
      let number = lines.count - 1
      func fault(_ message: String) -> LineFault { LineFault(line: number, message: message) }
      switch words.first {
      case nil: continue
      case "format":
        try setFormat(words, number)
        hasFormat = true
      case "comment", "obj_info": readComment(words)
      case "element": try addElement(words, number)
      case "property": try addProperty(words, number)
      case "end_header":
        guard hasFormat else { throw fault("the header has no 'format'") }
        bodyOffset = lines.position
        return
      case let word?:
        // A misspelled property would shift all those after it; a misplaced remark does not.
        guard words.count > 1, nearestName(to: String(word.prefix(16)), in: Self.keywords) == nil
        else { throw fault("unknown word '\(line.prefix(24))' in the header") }
        strayLines.append(lines.count)
      }
    }
    throw LineFault(line: max(0, lines.count - 1), message: "the header has no 'end_header'")
  }

  private mutating func setFormat(_ words: [Substring], _ line: Int) throws(LineFault) {
    switch words.dropFirst().first {
    case "ascii": encoding = .text
    case "binary_little_endian": encoding = .littleEndian
    case "binary_big_endian": encoding = .bigEndian
    default:
      throw LineFault(
        line: line,
        message: "the format must be ascii, binary_little_endian or binary_big_endian")
    }
  }

  private mutating func addElement(_ words: [Substring], _ line: Int) throws(LineFault) {
    guard words.count == 3, let count = Int(words[2]), count >= 0 else {
      throw LineFault(line: line, message: "expected 'element NAME COUNT'")
    }
    guard elementNames.insert(words[1]).inserted else {
      throw LineFault(line: line, message: "element '\(words[1].prefix(24))' is declared twice")
    }
    elements.append(Element(name: String(words[1]), count: count, line: line + 1))
  }

  private mutating func addProperty(_ words: [Substring], _ line: Int) throws(LineFault) {
    guard !elements.isEmpty else {
      throw LineFault(line: line, message: "a property before the first element")
    }
    func type(_ index: Int) throws(LineFault) -> NumberType {
      guard let type = NumberType(words[index]) else {
        throw LineFault(line: line, message: "unknown type '\(words[index].prefix(24))'")
      }
      return type
    }
    let property: Property
    if words.count == 5, words[1] == "list" {
      let countType = try type(2)
      guard countType.isInteger else {
        throw LineFault(line: line, message: "the length of a list must be a whole number")
      }
      property = Property(name: String(words[4]), type: try type(3), countType: countType)
    } else if words.count == 3 {
      property = Property(name: String(words[2]), type: try type(1))
    } else {
      throw LineFault(
        line: line, message: "expected 'property TYPE NAME' or 'property list TYPE TYPE NAME'")
    }
    elements[elements.count - 1].properties.append(property)
  }

  private mutating func readComment(_ words: [Substring]) {
    guard words.count > 2, let last = words.last else { return }
    let rest = String(words[2].base[words[2].startIndex..<last.endIndex])
    if words[1] == "TextureFile" {
      textureFiles.append(rest)
    } else if words[1] == "classification", words.count > 3, let label = Int(words[2]) {
      classNames[label] = String(words[3].base[words[3].startIndex..<last.endIndex])
    }
  }
}

/// The lines of a header, which all end like the first one.
private struct HeaderLines {
  private(set) var position = 0
  /// The lines that were returned.
  private(set) var count = 0
  private var endsWithReturn = false

  /// The maximum length of a header; a file without `end_header` must not be read completely.
  private static let longest = 1 << 20

  mutating func next(_ bytes: Span<UInt8>) -> String? {
    let limit = min(bytes.count, Self.longest)
    var end = position
    while end < limit, bytes[end] != 0x0A, bytes[end] != 0x0D { end += 1 }
    guard end < limit else { return nil }
    var line = text(bytes, position..<end)
    while line.last == " " || line.last == "\t" { line.removeLast() }
    let isPair = bytes[end] == 0x0D && end + 1 < bytes.count && bytes[end + 1] == 0x0A
    if count == 0 { endsWithReturn = bytes[end] == 0x0D && !isPair }
    // In a file with bare carriage returns, a line feed after the header is the first byte of the
    // body.
    position = end + (isPair && !endsWithReturn ? 2 : 1)
    count += 1
    return line
  }
}

extension NumberType {
  /// The type for a name in a PLY header, old or new.
  init?(_ name: Substring) {
    switch name {
    case "char", "int8": self = .int8
    case "uchar", "uint8": self = .uint8
    case "short", "int16": self = .int16
    case "ushort", "uint16": self = .uint16
    case "int", "int32": self = .int32
    case "uint", "uint32": self = .uint32
    // Not of the format, but some programs write it.
    case "ulong", "uint64": self = .uint64
    case "float", "float32": self = .float32
    case "double", "float64": self = .float64
    default: return nil
    }
  }
}
