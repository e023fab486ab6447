/// The text of a JSON object whose members can be changed while the rest stays as it is.
///
/// Numbers keep their digits and members their order and spacing: what a program does not know, it
/// passes on unchanged.
package struct JSONObjectText: Sendable, Equatable {
  /// A member in the text.
  private struct Member: Sendable, Equatable {
    var key: String
    /// From the quote of the key to the end of the value, as offsets of bytes.
    var whole: Range<Int>
    var value: Range<Int>
  }

  /// The object.
  package private(set) var value: JSONValue = [:]
  private var bytes: [UInt8]
  private var members: [Member] = []
  /// The offset of the closing brace.
  private var end = 0

  /// Reads a text.
  ///
  /// - Returns: Nil if it is not a JSON object, or has comments.
  package init?(_ text: String) {
    bytes = Array(text.utf8)
    guard !JSONReader.holdsComments(bytes), scan() else { return nil }
  }

  /// The text.
  package var text: String { String(decoding: bytes, as: UTF8.self) }

  /// The keys in the order of the text.
  package var keys: [String] { members.map(\.key) }

  /// The value of a key; nil if there is none.
  package subscript(key: String) -> String? {
    members.first { $0.key == key }.map { String(decoding: bytes[$0.value], as: UTF8.self) }
  }

  /// Replaces the value of a key, or adds it as the last member.
  ///
  /// - Parameter value: JSON on one line.
  package mutating func set(_ key: String, to value: JSONValue) {
    set(key, toText: value.compactText)
  }

  /// Replaces the value of a key by valid JSON, or adds it as the last member.
  package mutating func set(_ key: String, toText value: String) {
    if let member = members.first(where: { $0.key == key }) {
      bytes.replaceSubrange(member.value, with: value.utf8)
    } else {
      let name = JSONValue(.string(key)).compactText
      let start = members.last?.whole.upperBound
      bytes.insert(
        contentsOf: (start == nil ? "\(name): \(value)" : ", \(name): \(value)").utf8,
        at: start ?? end)
    }
    rescan()
  }

  /// Removes a key, if there is one.
  package mutating func remove(_ key: String) {
    guard let index = members.firstIndex(where: { $0.key == key }) else { return }
    let whole = members[index].whole
    if index + 1 < members.count {
      bytes.removeSubrange(whole.lowerBound..<members[index + 1].whole.lowerBound)
    } else {
      let start = index > 0 ? members[index - 1].whole.upperBound : whole.lowerBound
      bytes.removeSubrange(start..<whole.upperBound)
    }
    rescan()
  }

  private mutating func rescan() {
    precondition(scan(), "a changed object stays one")
  }

  // MARK: Scanning

  /// Finds the members; false if the text is not an object.
  private mutating func scan() -> Bool {
    guard let value = JSONReader.read(bytes, takesNonFiniteNumbers: true).value,
      case .object(let parsed) = value.content,
      let start = bytes.firstIndex(of: UInt8(ascii: "{"))
    else { return false }
    self.value = value
    // The reader has accepted the text, so that strings and brackets are all there is to it.
    members = []
    var offset = start + 1
    for member in parsed {
      guard let key = bytes[offset...].firstIndex(of: UInt8(ascii: "\"")) else { return false }
      let colon = skip(from: key)
      var first = colon + 1
      while first < bytes.count, bytes[first] <= 0x20 { first += 1 }
      let last = skip(from: first)
      let value = first..<trimmed(last, from: first)
      members.append(
        Member(key: member.key, whole: key..<value.upperBound, value: value))
      offset = last + 1
    }
    guard
      let brace = bytes[(members.last?.whole.upperBound ?? offset)...]
        .firstIndex(of: UInt8(ascii: "}"))
    else { return false }
    end = brace
    return true
  }

  /// The offset of the colon, comma or closing bracket after a key or a value.
  private func skip(from start: Int) -> Int {
    var depth = 0
    var offset = start
    while offset < bytes.count {
      switch bytes[offset] {
      case UInt8(ascii: "\""):
        offset += 1
        while offset < bytes.count, bytes[offset] != UInt8(ascii: "\"") {
          offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
        }
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        if depth == 0 { return offset }
        depth -= 1
      case UInt8(ascii: ","), UInt8(ascii: ":"): if depth == 0 { return offset }
      default: break
      }
      offset += 1
    }
    return bytes.count
  }

  /// The end of a value without the white space after it.
  private func trimmed(_ end: Int, from start: Int) -> Int {
    var end = end
    while end > start, bytes[end - 1] <= 0x20 { end -= 1 }
    return end
  }
}
