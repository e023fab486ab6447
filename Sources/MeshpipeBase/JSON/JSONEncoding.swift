/// Makes JSON of `Encodable` values, so that the compiler and not we lists the properties.
///
/// Numbers come back bit by bit, those that JSON lacks (NaN, infinities, minus zero) as strings. An optional that is nil
/// is not written.
package enum JSONEncoding {
  /// A value as JSON; null for one that encodes nothing.
  package static func json(_ value: some Encodable) throws -> JSONValue {
    let encoder = ValueEncoder(codingPath: [])
    try value.encode(to: encoder)
    return encoder.slot.json
  }

  /// The JSON of a number, exactly.
  fileprivate static func json(_ number: Double) -> JSONValue {
    guard number.isFinite, number != 0 || number.sign == .plus else {
      return JSONValue(.string(number.description))
    }
    return JSONValue(.number(number))
  }
}

/// A place in the JSON that is being made: containers are handed out before they are filled.
private final class Slot {
  enum Content {
    case value(JSONValue)
    case array([Slot])
    case object([(key: String, slot: Slot)])
  }

  var content = Content.value(JSONValue(.null))

  var json: JSONValue {
    switch content {
    case .value(let value): value
    case .array(let slots): JSONValue(.array(slots.map(\.json)))
    case .object(let members): JSONValue(.object(members.map { .init($0.key, $0.slot.json) }))
    }
  }

  func addElement() -> Slot {
    let slot = Slot()
    if case .array(var slots) = content {
      content = .value(JSONValue(.null))
      slots.append(slot)
      content = .array(slots)
    } else {
      content = .array([slot])
    }
    return slot
  }

  func addMember(_ key: String) -> Slot {
    let slot = Slot()
    if case .object(var members) = content {
      content = .value(JSONValue(.null))
      members.append((key, slot))
      content = .object(members)
    } else {
      content = .object([(key, slot)])
    }
    return slot
  }
}

private struct ValueEncoder: Encoder {
  let codingPath: [any CodingKey]
  var slot = Slot()
  var userInfo: [CodingUserInfoKey: Any] { [:] }

  func container<Key: CodingKey>(keyedBy type: Key.Type) -> KeyedEncodingContainer<Key> {
    if case .value = slot.content { slot.content = .object([]) }
    return KeyedEncodingContainer(KeyedWriter(codingPath: codingPath, slot: slot))
  }

  func unkeyedContainer() -> any UnkeyedEncodingContainer {
    if case .value = slot.content { slot.content = .array([]) }
    return ArrayWriter(codingPath: codingPath, slot: slot)
  }

  func singleValueContainer() -> any SingleValueEncodingContainer {
    ValueWriter(codingPath: codingPath, slot: slot)
  }
}

private struct KeyedWriter<Key: CodingKey>: KeyedEncodingContainerProtocol {
  let codingPath: [any CodingKey]
  let slot: Slot

  func encodeNil(forKey key: Key) { _ = slot.addMember(key.stringValue) }

  func encode(_ value: some Encodable, forKey key: Key) throws {
    let writer = ValueWriter(codingPath: codingPath + [key], slot: slot.addMember(key.stringValue))
    try writer.encode(value)
  }

  func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type, forKey key: Key
  ) -> KeyedEncodingContainer<Nested> {
    encoder(forKey: key).container(keyedBy: type)
  }

  func nestedUnkeyedContainer(forKey key: Key) -> any UnkeyedEncodingContainer {
    encoder(forKey: key).unkeyedContainer()
  }

  func superEncoder() -> any Encoder {
    ValueEncoder(codingPath: codingPath, slot: slot.addMember("super"))
  }

  func superEncoder(forKey key: Key) -> any Encoder { encoder(forKey: key) }

  private func encoder(forKey key: Key) -> ValueEncoder {
    ValueEncoder(codingPath: codingPath + [key], slot: slot.addMember(key.stringValue))
  }
}

private struct ArrayWriter: UnkeyedEncodingContainer {
  let codingPath: [any CodingKey]
  let slot: Slot
  private(set) var count = 0

  init(codingPath: [any CodingKey], slot: Slot) {
    self.codingPath = codingPath
    self.slot = slot
  }

  private mutating func next() -> ValueEncoder {
    count += 1
    return ValueEncoder(codingPath: codingPath, slot: slot.addElement())
  }

  mutating func encodeNil() { _ = next() }

  mutating func encode(_ value: some Encodable) throws {
    try ValueWriter(codingPath: codingPath, slot: next().slot).encode(value)
  }

  mutating func nestedContainer<Nested: CodingKey>(
    keyedBy type: Nested.Type
  ) -> KeyedEncodingContainer<Nested> {
    next().container(keyedBy: type)
  }

  mutating func nestedUnkeyedContainer() -> any UnkeyedEncodingContainer {
    next().unkeyedContainer()
  }

  mutating func superEncoder() -> any Encoder { next() }
}

private struct ValueWriter: SingleValueEncodingContainer {
  let codingPath: [any CodingKey]
  let slot: Slot

  func encodeNil() {}

  func encode(_ value: some Encodable) throws {
    switch value {
    case let value as Bool: slot.content = .value(JSONValue(.bool(value)))
    case let value as String: slot.content = .value(JSONValue(.string(value)))
    case let value as Double: slot.content = .value(JSONEncoding.json(value))
    case let value as Float: slot.content = .value(JSONEncoding.json(Double(value)))
    case let value as any BinaryInteger:
      guard let number = Double(exactly: value) else {
        let reason = EncodingError.Context(
          codingPath: codingPath, debugDescription: "\(value) is beyond the numbers of JSON")
        throw EncodingError.invalidValue(value, reason)
      }
      slot.content = .value(JSONValue(.number(number)))
    default: try value.encode(to: ValueEncoder(codingPath: codingPath, slot: slot))
    }
  }
}
