extension JSONValue {
  /// A number in its shortest form: integers without a decimal point, others with an exact round
  /// trip.
  public static func text(of number: Double) -> String { NumberText.shortest(number) }

  /// A fraction as a percentage, without the rounding error of the multiplication.
  package static func percentText(of fraction: Double) -> String {
    text(of: (fraction * 100 * 1e9).rounded() / 1e9) + "%"
  }

  /// The value as JSON on one line.
  public var compactText: String { String(decoding: compactBytes, as: UTF8.self) }

  /// The value as JSON on one line, in UTF-8.
  package var compactBytes: [UInt8] {
    var bytes: [UInt8] = []
    writeLine(to: &bytes)
    return bytes
  }

  /// The value as JSON on several lines, indented by two, with a line break at the end.
  ///
  /// Objects keep their order and short ones stay on one line, so that the same value always gives
  /// the same text.
  public var prettyText: String {
    var bytes: [UInt8] = []
    write(to: &bytes, indentation: 0, column: 0)
    bytes.append(UInt8(ascii: "\n"))
    return String(decoding: bytes, as: UTF8.self)
  }

  private func writeLine(to bytes: inout [UInt8]) {
    switch content {
    case .null: bytes += "null".utf8
    case .bool(let value): bytes += (value ? "true" : "false").utf8
    // JSON can't represent non-finite numbers.
    case .number(let number): bytes += (number.isFinite ? Self.text(of: number) : "null").utf8
    case .string(let string): Self.write(string, to: &bytes)
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      for index in elements.indices {
        if index > 0 { bytes += ", ".utf8 }
        elements[index].writeLine(to: &bytes)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members) where members.isEmpty: bytes += "{}".utf8
    case .object(let members):
      bytes += "{ ".utf8
      for index in members.indices {
        if index > 0 { bytes += ", ".utf8 }
        Self.write(members[index].key, to: &bytes)
        bytes += ": ".utf8
        members[index].value.writeLine(to: &bytes)
      }
      bytes += " }".utf8
    }
  }

  /// - Parameters:
  ///   - indentation: The indentation of this value.
  ///   - column: The column of the value.
  private func write(to bytes: inout [UInt8], indentation: Int, column: Int) {
    guard !fitsInLine(from: column) else { return writeLine(to: &bytes) }
    let indent = "\n" + String(repeating: " ", count: indentation)
    func writeItems(_ count: Int, _ write: (Int, inout [UInt8]) -> Void) {
      for index in 0..<count {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes += indent.utf8
        bytes += "  ".utf8
        write(index, &bytes)
      }
      bytes += indent.utf8
    }
    switch content {
    case .array(let elements):
      bytes.append(UInt8(ascii: "["))
      writeItems(elements.count) { index, bytes in
        elements[index].write(to: &bytes, indentation: indentation + 2, column: indentation + 2)
      }
      bytes.append(UInt8(ascii: "]"))
    case .object(let members):
      bytes.append(UInt8(ascii: "{"))
      writeItems(members.count) { index, bytes in
        Self.write(members[index].key, to: &bytes)
        bytes += ": ".utf8
        members[index].value.write(
          to: &bytes, indentation: indentation + 2,
          column: indentation + 2 + members[index].key.utf8.count + 4)
      }
      bytes.append(UInt8(ascii: "}"))
    default: writeLine(to: &bytes)
    }
  }

  /// Whether a list fits on one line: short, and without objects.
  private func fitsInLine(from column: Int) -> Bool {
    switch content {
    case .array(let elements) where elements.isEmpty: true
    case .object(let members) where members.isEmpty: true
    case .array(let elements):
      elements.allSatisfy(\.isScalar) && column + compactText.utf8.count <= 96
    case .object(let members):
      members.count <= 4 && members.allSatisfy { $0.value.isScalar }
        && column + compactText.utf8.count <= 80
    default: true
    }
  }

  private var isScalar: Bool {
    switch content {
    case .array, .object: false
    default: true
    }
  }

  private static func write(_ string: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(ascii: "\""))
    defer { bytes.append(UInt8(ascii: "\"")) }
    let isPlain = string.utf8.allSatisfy { byte in
      byte >= 0x20 && byte < 0x7F && byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\")
    }
    if isPlain {
      bytes += string.utf8
      return
    }
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": bytes += "\\\"".utf8
      case "\\": bytes += "\\\\".utf8
      case "\n": bytes += "\\n".utf8
      case "\r": bytes += "\\r".utf8
      case "\t": bytes += "\\t".utf8
      case _ where ForeignByte.isScalar(scalar):
        // Escaped, the text stays JSON where such names are shown by their bytes.
        for unit in String(scalar).utf16 { bytes += "\\u\(String(unit, radix: 16))".utf8 }
      case "\u{0}"..<"\u{20}", "\u{7F}", "\u{2028}", "\u{2029}":
        bytes += "\\u\(String(scalar.value, digits: 4, radix: 16))".utf8
      default: bytes += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
    }
  }
}

extension Double {
  /// The number, rounded for people who read a report.
  ///
  /// - Parameter digits: After the decimal point.
  package func json(digits: Int) -> JSONValue {
    let scale = (0..<digits).reduce(1.0) { scale, _ in scale * 10 }
    // Zero is added so that there is no negative one.
    return JSONValue(.number((self * scale).rounded() / scale + 0))
  }
}
