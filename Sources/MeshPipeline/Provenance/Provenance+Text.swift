import MeshpipeBase

// How provenance stands in files: as JSON of plain ASCII on one line, which needs no escapes in comments, in XML and in
// quotes, except for the quotation marks themselves, whatever the names in it are.

extension Provenance {
  /// The JSON on one line of ASCII.
  ///
  /// Without angle brackets, ampersands, neighbouring spaces, and a backslash that is not the beginning of an escape.
  package var text: String {
    var text: [UInt8] = []
    func escape(_ unit: UInt16) {
      text += "\\u\(String(unit, digits: 4, radix: 16))".utf8
    }
    var afterBackslash = false
    for scalar in json.compactText.unicodeScalars {
      if afterBackslash {
        afterBackslash = false
        if scalar == "\\" { escape(0x5C) } else { text += "\\\(scalar)".utf8 }
        continue
      }
      switch scalar {
      case "\\": afterBackslash = true
      case "<", ">", "&": escape(UInt16(scalar.value))
      case " " where text.last == UInt8(ascii: " "): escape(0x20)
      case _ where scalar.isASCII: text.append(UInt8(scalar.value))
      default: for unit in String(scalar).utf16 { escape(unit) }
      }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// The text in lines for comments, each marked with ``key``, and all but the first with a plus sign.
  ///
  /// Short ones, since some readers of PLY take no more than a thousand bytes; none ends with a backslash, which joins
  /// lines in OBJ, or with a space.
  package var lines: [String] {
    var lines: [String] = []
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      var end =
        rest.index(rest.startIndex, offsetBy: Self.lineLength, limitedBy: rest.endIndex)
        ?? rest.endIndex
      while end < rest.endIndex, Self.isLoose(rest[end - 1]) || Self.isLoose(rest[end]) { end -= 1 }
      let mark = lines.isEmpty ? Self.key : Self.key + "+"
      lines.append("\(mark) \(String(decoding: rest[..<end], as: UTF8.self))")
      rest = rest[end...]
    }
    return lines
  }

  private static let lineLength = 200

  /// Whether a line must not end with a byte, or begin with it.
  private static func isLoose(_ byte: UInt8) -> Bool {
    byte == UInt8(ascii: "\\") || byte == UInt8(ascii: " ")
  }

  /// Finds provenance in bytes of a file: after its ``key``, whatever the file puts around it.
  ///
  /// - Returns: Nil if there is none.
  package init?(inFile bytes: [UInt8]) {
    let key = Array(Self.key.utf8)
    var start = 0
    while let place = bytes.firstIndex(of: key, from: start) {
      start = place + key.count
      guard let (text, rest) = Self.text(in: bytes, at: start) else { continue }
      for form in [text, text.withoutXMLQuotes, text.withoutBackslashes, rest] {
        guard let object = form.firstJSONObject, let json = JSONReader.read(object).value,
          let found = Provenance(json.withoutPositions)
        else { continue }
        self = found
        return
      }
    }
    return nil
  }

  /// The object after the key, with what lines after it continue, and as it stands there; nil if there is no object.
  private static func text(in bytes: [UInt8], at start: Int) -> (joined: [UInt8], rest: [UInt8])? {
    // What separates them depends on the format: a space, a NUL, a colon, a quotation mark, a tag's end, an attribute.
    guard let brace = bytes[start...].prefix(farthestObject).firstIndex(of: UInt8(ascii: "{"))
    else { return nil }
    var rest = bytes[brace...]
    let mark = Array("\(key)+ ".utf8)
    var text: [UInt8] = []
    while true {
      let end = rest.firstIndex { $0 == 0x0A || $0 == 0x0D } ?? rest.endIndex
      text += rest[..<end]
      let isWhole = end == rest.endIndex || text.count > longest
      // After a comment's own beginning.
      guard !isWhole, let next = bytes.firstIndex(of: mark, from: end), next - end <= 16 else {
        return (text, Array(bytes[brace...].prefix(longest)))
      }
      rest = bytes[(next + mark.count)...]
    }
  }

  private static let farthestObject = 64
  /// Bytes; pipelines are smaller.
  package static let longest = 1 << 22
}

extension [UInt8] {
  fileprivate func firstIndex(of pattern: [UInt8], from start: Int) -> Int? {
    var place = start
    while place <= count - pattern.count {
      guard let first = self[place...].firstIndex(of: pattern[0]), first <= count - pattern.count
      else { return nil }
      if self[first..<first + pattern.count].elementsEqual(pattern) { return first }
      place = first + 1
    }
    return nil
  }

  /// The object with which they begin; nil if it does not end.
  fileprivate var firstJSONObject: [UInt8]? {
    var (depth, isText, isEscaped) = (0, false, false)
    for (index, byte) in enumerated() {
      if isEscaped {
        isEscaped = false
      } else if isText {
        if byte == UInt8(ascii: "\\") { isEscaped = true }
        if byte == UInt8(ascii: "\"") { isText = false }
      } else {
        switch byte {
        case UInt8(ascii: "\""): isText = true
        case UInt8(ascii: "{"): depth += 1
        case UInt8(ascii: "}"): depth -= 1
        default: break
        }
        if depth == 0 { return Array(self[...index]) }
      }
    }
    return nil
  }

  /// As in an element or an attribute of XML.
  fileprivate var withoutXMLQuotes: [UInt8] {
    Array(String(decoding: self, as: UTF8.self).replacing("&quot;", with: "\"").utf8)
  }

  /// As in a text in quotes.
  fileprivate var withoutBackslashes: [UInt8] {
    var (result, isEscaped) = ([UInt8](), false)
    for byte in self {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        result.append(byte)
        isEscaped = false
      }
    }
    return result
  }
}
