import MeshPipeline

/// What precedes the points in a text, and what separates their numbers.
struct PointTextHeader {
  /// A comma or semicolon; nil for spaces.
  private(set) var delimiter: UInt8?
  /// The names of the columns, if there is a header.
  private(set) var names: [String]?
  /// Whether the names stand in a comment, so that they may be something else.
  private(set) var areNamesRemark = false
  /// The number of points that the file claims to have, and the line that does, counted from 0.
  private(set) var claim: (count: Int, line: Int)?
  /// Names of class labels in comments, as meshpipe writes them.
  private(set) var classNames: [Int: String] = [:]
  /// The first byte of the points.
  private(set) var bodyOffset = 0
  /// The end of the points.
  private(set) var bodyEnd = 0
  /// The line of the first point, counted from 0.
  private(set) var bodyLine = 0
  /// The number of columns of the first point.
  private(set) var width = 0

  init(_ bytes: Span<UInt8>) throws(LineFault) {
    try self.init(bytes, textStart(of: bytes)..<bytes.count)
  }

  /// - Parameters:
  ///   - range: The part of the text with one scan.
  ///   - firstLine: The line that the part begins with, counted from 0.
  init(_ bytes: Span<UInt8>, _ range: Range<Int>, firstLine: Int = 0) throws(LineFault) {
    bodyEnd = range.upperBound
    var lines = TextLines(range, firstLine: firstLine)
    while let range = try lines.next(bytes) {
      let line = text(bytes, range)
      guard !line.contains("\0") else {
        throw lines.fault("is not text, or text in UTF-16; save it as plain text")
      }
      if let remark = Self.remark(line) {
        read(remark: remark)
        continue
      }
      delimiter = Self.delimiter(of: line)
      let words = words(line)
      guard let first = words.first else { continue }
      if Self.isNumeric(first) {
        if words.count == 1, claim == nil, let count = Int(first), count >= 0 {
          claim = (count, lines.line)
          continue
        }
        (bodyOffset, bodyLine, width) = (range.lowerBound, lines.line, words.count)
        try requireCoordinates(lines)
        return
      }
      guard names == nil || areNamesRemark else {
        throw lines.fault("expected a number, found '\(first.prefix(24))'")
      }
      names = words.map(Self.columnName)
      areNamesRemark = false
      guard hasCoordinates else {
        if let names, Degrees.areNamed(names) {
          throw lines.fault(
            "its columns are degrees of longitude and latitude; \(Degrees.wayOut)")
        }
        throw lines.fault(
          "is neither a point nor a header that names x, y and z: '\(line.prefix(40))'")
      }
    }
    throw lines.fault("the file has no points")
  }

  private var hasCoordinates: Bool { ["x", "y", "z"].allSatisfy { names?.contains($0) == true } }

  private mutating func requireCoordinates(_ lines: TextLines) throws(LineFault) {
    guard width >= 3 else {
      throw lines.fault(
        "a point has \(width) number\(width == 1 ? "" : "s"); it needs at least three")
    }
    guard let names, names.count != width else { return }
    guard areNamesRemark else {
      throw lines.fault("a point has \(width) numbers, but the header names \(names.count)")
    }
    self.names = nil
  }

  /// Ends the points where another scan begins.
  mutating func end(at offset: Int) { bodyEnd = offset }

  /// The same columns as those of an earlier scan of the file, if there are as many.
  mutating func takeNames(of other: PointTextHeader) {
    if names == nil, other.width == width { names = other.names }
  }

  // MARK: Lines

  private static func remark(_ line: String) -> Substring? {
    for mark in ["//", "#", ";", "%"] where line.hasPrefix(mark) {
      return line.dropFirst(mark.count)
    }
    return nil
  }

  private mutating func read(remark: Substring) {
    if let remark = ClassRemark(remark) {
      classNames[remark.label] = remark.name
      return
    }
    guard names == nil || areNamesRemark else { return }
    delimiter = Self.delimiter(of: String(remark))
    let found = words(String(remark)).map(Self.columnName)
    guard ["x", "y", "z"].allSatisfy(found.contains) else { return }
    (names, areNamesRemark) = (found, true)
  }

  /// What separates the words of a line; spaces if it is uncertain.
  private static func delimiter(of line: String) -> UInt8? {
    if line.contains(";") { return UInt8(ascii: ";") }
    let parts = line.split(separator: ",", omittingEmptySubsequences: false)
    guard parts.count > 1 else { return nil }
    let followers = parts.dropFirst().filter { !$0.isEmpty }
    let spaces = followers.filter { $0.first?.isWhitespace == true }.count
    // Decimal commas stand between spaces, or beside commas with spaces.
    guard spaces == 0 || spaces == followers.count else { return nil }
    let isOne = parts.allSatisfy { $0.split(whereSeparator: \.isWhitespace).count <= 1 }
    return isOne ? UInt8(ascii: ",") : nil
  }

  func words(_ line: String) -> [String] {
    guard let delimiter else {
      return line.split(whereSeparator: \.isWhitespace).map(String.init)
    }
    var words = line.split(omittingEmptySubsequences: false) { $0.utf8.elementsEqual([delimiter]) }
      .map { part in String(part.filter { !$0.isWhitespace }) }
    while words.last?.isEmpty == true { words.removeLast() }
    return words
  }

  private static func isNumeric(_ word: String) -> Bool {
    Double(word) != nil || word.first.map { "0123456789+-.,".contains($0) } == true
  }

  /// A name as of a PLY property: lower case, and without quotes.
  private static func columnName(_ word: String) -> String {
    let name = word.lowercased().filter { $0 != "\"" && $0 != "'" }
    return aliases[name] ?? name
  }

  private static let aliases = [
    "easting": "x", "northing": "y", "elevation": "z", "height": "z", "i": "intensity",
    "rf": "red", "gf": "green", "bf": "blue",
  ]
}
