import MeshPipeline

/// The header of a PCD file: the fields of its points, and how they are stored.
struct PCDHeader {
  enum Encoding: String { case text = "ascii", binary, compressed = "binary_compressed" }

  struct Field {
    var name: String
    /// Bytes of a number.
    var size = 4
    /// `F`, `I` or `U`.
    var kind: Character = "F"
    /// Numbers of a point.
    var count = 1

    /// The type of its numbers; nil for signed whole ones of 64 bits.
    var type: NumberType? {
      switch (kind, size) {
      case ("F", 4): .float32
      case ("F", 8): .float64
      case ("I", 1): .int8
      case ("I", 2): .int16
      case ("I", 4): .int32
      case ("U", 1): .uint8
      case ("U", 2): .uint16
      case ("U", 4): .uint32
      case ("U", 8): .uint64
      default: nil
      }
    }

    /// Whether it fills a record up to the size of a structure in memory.
    var isPadding: Bool { name == "_" }
    var isColor: Bool { ["rgb", "rgba"].contains(name) && size == 4 && count == 1 }
  }

  private(set) var fields: [Field] = []
  private(set) var pointCount = 0
  /// The line that says so, counted from 1.
  private(set) var countLine = 0
  private(set) var encoding = Encoding.text
  private(set) var bodyOffset = 0
  private(set) var classNames: [Int: String] = [:]
  /// Whether the points were seen from elsewhere than the origin.
  private(set) var hasViewpoint = false
  private var width: Int?
  private var height = 1

  /// The size of a point in binary.
  var recordSize: Int { fields.reduce(0) { $0 + $1.size * $1.count } }

  /// The most bytes of a point; some descriptors have hundreds of numbers.
  private static let largestRecord = 1 << 16

  init(_ bytes: Span<UInt8>) throws(LineFault) {
    var lines = TextLines(textStart(of: bytes)..<bytes.count)
    while let range = try lines.next(bytes) {
      let line = text(bytes, range)
      if line.hasPrefix("#") {
        if let remark = ClassRemark(line.dropFirst()) { classNames[remark.label] = remark.name }
        continue
      }
      let words = line.split { $0 == " " || $0 == "\t" }.map(String.init)
      do throws(Fault) {
        try read(words, line: lines.line + 1)
      } catch {
        throw lines.fault(error.message)
      }
      guard words.first == "DATA" else { continue }
      bodyOffset = lines.position
      do throws(Fault) { try check() } catch { throw lines.fault(error.message) }
      return
    }
    throw lines.fault("the header has no DATA; is this a PCD file?")
  }

  private struct Fault: Error { var message: String }

  // MARK: Lines

  private mutating func read(_ words: [String], line: Int) throws(Fault) {
    let values = Array(words.dropFirst())
    switch words[0] {
    case "VERSION": break
    case "FIELDS", "COLUMNS": fields = values.map { Field(name: $0) }
    case "SIZE":
      try set(values, \.size) { word in Int(word).flatMap { [1, 2, 4, 8].contains($0) ? $0 : nil } }
    case "TYPE": try set(values, \.kind) { ["F", "I", "U"].contains($0) ? Character($0) : nil }
    case "COUNT":
      try set(values, \.count) { word in
        Int(word).flatMap { (1...Self.largestRecord).contains($0) ? $0 : nil }
      }
    case "WIDTH": width = try number(words)
    case "HEIGHT": height = try number(words)
    case "POINTS": (pointCount, countLine) = (try number(words), line)
    case "VIEWPOINT": hasViewpoint = values.compactMap(Double.init) != [0, 0, 0, 1, 0, 0, 0]
    case "DATA":
      guard values.count == 1, let encoding = Encoding(rawValue: values[0]) else {
        throw Fault(message: "DATA must be ascii, binary or binary_compressed")
      }
      self.encoding = encoding
      if countLine == 0 { countLine = line }
    default: throw Fault(message: "unknown word '\(words[0].prefix(24))' in the header")
    }
  }

  private mutating func set<Value>(
    _ words: [String], _ path: WritableKeyPath<Field, Value>, _ value: (String) -> Value?
  ) throws(Fault) {
    guard words.count == fields.count else {
      throw Fault(message: "there are \(fields.count) fields, but \(words.count) values")
    }
    for (index, word) in words.enumerated() {
      guard let value = value(word) else { throw Fault(message: "'\(word.prefix(24))' is invalid") }
      fields[index][keyPath: path] = value
    }
  }

  private func number(_ words: [String]) throws(Fault) -> Int {
    guard words.count == 2, let number = Int(words[1]), number >= 0 else {
      throw Fault(message: "expected '\(words[0]) NUMBER'")
    }
    return number
  }

  private mutating func check() throws(Fault) {
    guard ["x", "y", "z"].allSatisfy({ name in fields.contains { $0.name == name } }) else {
      throw Fault(message: "the points have no fields x, y and z")
    }
    for field in fields where field.kind == "F" && field.size < 4 {
      throw Fault(message: "field '\(field.name.prefix(24))' is a number of \(field.size) bytes")
    }
    guard recordSize <= Self.largestRecord else {
      throw Fault(message: "a point of \(recordSize) bytes is too large")
    }
    if let width {
      let (product, isOver) = width.multipliedReportingOverflow(by: height)
      if pointCount == 0, !isOver { pointCount = product }
      guard !isOver, product == pointCount else {
        throw Fault(message: "the header claims \(pointCount) points, but \(width) by \(height)")
      }
    }
    guard pointCount > 0 else { throw Fault(message: "the file has no points") }
  }
}
