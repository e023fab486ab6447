/// Makes values of the JSON that ``JSONEncoding`` made of them.
package enum JSONDecoding {
  /// A value from its JSON.
  ///
  /// - Throws: A `DecodingError` for JSON of something else.
  package static func value<Value: Decodable>(
    _ type: Value.Type = Value.self, of json: JSONValue
  ) throws -> Value {
    try ValueReader(codingPath: [], json: json).decode(type)
  }

  fileprivate static func fault(
    _ path: [any CodingKey], _ expected: String, _ found: JSONValue?
  ) -> DecodingError {
    let words = found?.kindDescription ?? "nothing"
    return .dataCorrupted(
      .init(codingPath: path, debugDescription: "\(expected) expected, but is \(words)"))
  }
}

private struct ValueDecoder: Decoder {
  let codingPath: [any CodingKey]
  let json: JSONValue
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) throws -> KeyedDecodingContainer<Key> {
    guard case .object(let members) = json.content else {
      throw JSONDecoding.fault(codingPath, "an object", json)
    }
    let values = Dictionary(
      members.map { ($0.key, $0.value) }, uniquingKeysWith: { first, _ in first })
    return KeyedDecodingContainer(KeyedReader(codingPath: codingPath, values: values))
  }

  func unkeyedContainer() throws -> any UnkeyedDecodingContainer {
    guard case .array(let elements) = json.content else {
      throw JSONDecoding.fault(codingPath, "an array", json)
    }
    return ArrayReader(codingPath: codingPath, elements: elements)
  }

  func singleValueContainer() -> any SingleValueDecodingContainer {
    ValueReader(codingPath: codingPath, json: json)
  }
}

private struct KeyedReader<Key: CodingKey>: KeyedDecodingContainerProtocol {
  let codingPath: [any CodingKey]
  let values: [String: JSONValue]

  var allKeys: [Key] { values.keys.compactMap(Key.init(stringValue:)) }

  func contains(_ key: Key) -> Bool { values[key.stringValue] != nil }

  func decodeNil(forKey key: Key) throws -> Bool {
    values[key.stringValue].map { $0.content == .null } ?? true
  }

  func decode<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value {
    try ValueReader(codingPath: codingPath + [key], json: try json(forKey: key)).decode(type)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) throws -> KeyedDecodingContainer<Nested> {
    try decoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) throws -> any UnkeyedDecodingContainer {
    try decoder(forKey: key).unkeyedContainer()
  }

  func superDecoder() throws -> any Decoder {
    ValueDecoder(codingPath: codingPath, json: values["super"] ?? JSONValue(.null))
  }

  func superDecoder(forKey key: Key) throws -> any Decoder { try decoder(forKey: key) }

  private func decoder(forKey key: Key) throws -> ValueDecoder {
    ValueDecoder(codingPath: codingPath + [key], json: try json(forKey: key))
  }

  private func json(forKey key: Key) throws -> JSONValue {
    guard let json = values[key.stringValue] else {
      throw JSONDecoding.fault(codingPath, "'\(key.stringValue)'", nil)
    }
    return json
  }
}

private struct ArrayReader: UnkeyedDecodingContainer {
  let codingPath: [any CodingKey]
  let elements: [JSONValue]
  private(set) var currentIndex = 0

  init(codingPath: [any CodingKey], elements: [JSONValue]) {
    self.codingPath = codingPath
    self.elements = elements
  }

  var count: Int? { elements.count }
  var isAtEnd: Bool { currentIndex >= elements.count }

  private mutating func next() throws -> JSONValue {
    guard !isAtEnd else { throw JSONDecoding.fault(codingPath, "another element", nil) }
    defer { currentIndex += 1 }
    return elements[currentIndex]
  }

  mutating func decodeNil() throws -> Bool {
    guard !isAtEnd, elements[currentIndex].content == .null else { return false }
    currentIndex += 1
    return true
  }

  mutating func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    try ValueReader(codingPath: codingPath, json: try next()).decode(type)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) throws -> KeyedDecodingContainer<Nested> {
    try ValueDecoder(codingPath: codingPath, json: try next()).container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() throws -> any UnkeyedDecodingContainer {
    try ValueDecoder(codingPath: codingPath, json: try next()).unkeyedContainer()
  }

  mutating func superDecoder() throws -> any Decoder {
    ValueDecoder(codingPath: codingPath, json: try next())
  }
}

private struct ValueReader: SingleValueDecodingContainer {
  let codingPath: [any CodingKey]
  let json: JSONValue

  func decodeNil() -> Bool { json.content == .null }

  func decode<Value: Decodable>(_ type: Value.Type) throws -> Value {
    let plain: Any?
    switch type {
    case is Bool.Type: plain = if case .bool(let value) = json.content { value } else { nil }
    case is String.Type: plain = json.text
    case is Double.Type: plain = number
    case is Float.Type: plain = number.map { Float($0) }
    case let type as any FixedWidthInteger.Type: plain = integer(type)
    default: return try Value(from: ValueDecoder(codingPath: codingPath, json: json))
    }
    guard let value = plain as? Value else {
      throw JSONDecoding.fault(codingPath, "\(type)", json)
    }
    return value
  }

  private var number: Double? {
    switch json.content {
    case .number(let number): number
    // As JSONEncoding writes what JSON has no number for.
    case .string(let text): Double(text)
    default: nil
    }
  }

  private func integer<Value: FixedWidthInteger>(_ type: Value.Type) -> Value? {
    json.number.flatMap { Value(exactly: $0) }
  }
}
