import MeshpipeBase
import NativeLibraries

/// Typed access to the JSON header of a message; every mismatch is a ``WireError`` with its path.
struct WireHeader {
  private let value: JSONValue
  private let path: String

  /// Reads the text of a header.
  init(_ text: [UInt8]) throws(WireError) {
    let result = JSONReader.read(text, file: "header")
    guard let value = result.value else {
      throw .header(result.diagnostics.first?.message ?? "it is not JSON")
    }
    guard case .object = value.content else { throw .header("it is not an object") }
    self.value = value
    path = ""
  }

  private init(value: JSONValue, path: String) {
    self.value = value
    self.path = path
  }

  func path(of key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func fault(_ key: String, _ expected: String) -> WireError {
    let found = value[key].map { "\($0.kindDescription)" } ?? "nothing"
    return .header("'\(path(of: key))' must be \(expected), but is \(found)")
  }

  func has(_ key: String) -> Bool { value[key] != nil }

  func string(_ key: String) throws(WireError) -> String {
    guard case .string(let text)? = value[key]?.content else { throw fault(key, "a string") }
    return text
  }

  func string(_ key: String, default fallback: String) throws(WireError) -> String {
    has(key) ? try string(key) : fallback
  }

  func bool(_ key: String) throws(WireError) -> Bool {
    guard case .bool(let flag)? = value[key]?.content else { throw fault(key, "true or false") }
    return flag
  }

  func number(_ key: String) throws(WireError) -> Double {
    guard case .number(let number)? = value[key]?.content, number.isFinite else {
      throw fault(key, "a number")
    }
    return number
  }

  /// A whole number from 0 to `limit`.
  func count(_ key: String, limit: Int) throws(WireError) -> Int {
    guard case .number(let number)? = value[key]?.content, let count = Int(exactly: number),
      0...limit ~= count
    else { throw fault(key, "a whole number from 0 to \(limit)") }
    return count
  }

  /// A list of whole numbers from 0 to `limit`.
  func counts(_ key: String, limit: Int) throws(WireError) -> [Int] {
    let expected = "whole numbers from 0 to \(limit)"
    guard case .array(let elements)? = value[key]?.content else { throw fault(key, expected) }
    var counts: [Int] = []
    for element in elements {
      guard case .number(let number) = element.content, let count = Int(exactly: number),
        0...limit ~= count
      else { throw fault(key, expected) }
      counts.append(count)
    }
    return counts
  }

  /// A list of finite numbers of a given length.
  func numbers(_ key: String, _ count: Int) throws(WireError) -> [Double] {
    guard case .array(let elements)? = value[key]?.content, elements.count == count else {
      throw fault(key, "\(count) numbers")
    }
    var numbers: [Double] = []
    for element in elements {
      guard case .number(let number) = element.content, number.isFinite else {
        throw fault(key, "\(count) numbers")
      }
      numbers.append(number)
    }
    return numbers
  }

  /// A list of strings, empty if absent.
  func strings(_ key: String) throws(WireError) -> [String] {
    guard let list = value[key] else { return [] }
    guard case .array(let elements) = list.content else { throw fault(key, "strings") }
    var strings: [String] = []
    for element in elements {
      guard case .string(let text) = element.content else { throw fault(key, "strings") }
      strings.append(text)
    }
    return strings
  }

  /// A case of an enumeration, by its raw value.
  func word<Word: RawRepresentable<String>>(_ key: String) throws(WireError) -> Word {
    let text = try string(key)
    guard let word = Word(rawValue: text) else {
      throw .header("'\(path(of: key))' has the unknown value '\(text)'")
    }
    return word
  }

  /// Any value.
  func any(_ key: String) throws(WireError) -> JSONValue {
    guard let member = value[key] else { throw fault(key, "there") }
    return member.withoutPositions
  }

  /// The members of an object.
  func members(_ key: String) throws(WireError) -> [JSONValue.Member] {
    guard case .object(let members)? = value[key]?.withoutPositions.content else {
      throw fault(key, "an object")
    }
    return members
  }

  func object(_ key: String) throws(WireError) -> WireHeader {
    guard let member = value[key], case .object = member.content else {
      throw fault(key, "an object")
    }
    return WireHeader(value: member, path: path(of: key))
  }

  /// A list of objects, empty if absent.
  func objects(_ key: String) throws(WireError) -> [WireHeader] {
    guard let list = value[key] else { return [] }
    guard case .array(let elements) = list.content else { throw fault(key, "a list of objects") }
    var objects: [WireHeader] = []
    for (index, element) in elements.enumerated() {
      guard case .object = element.content else { throw fault(key, "a list of objects") }
      objects.append(WireHeader(value: element, path: "\(path(of: key))[\(index)]"))
    }
    return objects
  }
}
