/// A JSON value with its position in its file.
public struct JSONValue: Sendable, Equatable {
  /// The kinds of value.
  public enum Content: Sendable, Equatable {
    /// Also stands for a value that is not given.
    case null
    /// `true` or `false`.
    case bool(Bool)
    /// Any number, as the nearest 64-bit floating-point number.
    case number(Double)
    /// A text, without quotes and escapes.
    case string(String)
    /// The elements in order.
    case array([JSONValue])
    /// The members in the order of the file.
    case object([Member])
  }

  /// A key of an object with its value; objects keep the order of the file.
  public struct Member: Sendable, Equatable {
    /// The key, without quotes and escapes.
    public var key: String
    /// The position of the key.
    public var keyPosition: SourcePosition
    /// The value of the key.
    public var value: JSONValue

    /// Creates a member.
    public init(_ key: String, _ value: JSONValue, keyPosition: SourcePosition = .none) {
      self.key = key
      self.keyPosition = keyPosition
      self.value = value
    }
  }

  /// The value itself.
  public var content: Content
  /// The position of its first character; `.none` if it comes from no file.
  public var position: SourcePosition

  /// Creates a value; one that was not read from a file has no position.
  public init(_ content: Content, at position: SourcePosition = .none) {
    self.content = content
    self.position = position
  }

  /// The value of `key` if this is an object that has it.
  public subscript(key: String) -> JSONValue? {
    guard case .object(let members) = content else { return nil }
    return members.first { $0.key == key }?.value
  }

  /// The value as a number, if it is one.
  public var number: Double? { if case .number(let number) = content { number } else { nil } }
  /// The value as a string, if it is one.
  public var text: String? { if case .string(let text) = content { text } else { nil } }
  /// The elements of an array; empty for other values.
  public var elements: [JSONValue] {
    if case .array(let elements) = content { elements } else { [] }
  }
  /// Whether the value is `true`.
  public var isTrue: Bool { content == .bool(true) }

  /// The kind for an error message: "a string", "an array" and so on.
  package var kindDescription: String {
    switch content {
    case .null: "null"
    case .bool: "true or false"
    case .number: "a number"
    case .string: "a string"
    case .array: "an array"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByFloatLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral,
  ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self.init(.string(value)) }
  /// A number.
  public init(floatLiteral value: Double) { self.init(.number(value)) }
  /// A number.
  public init(integerLiteral value: Int) { self.init(.number(Double(value))) }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self.init(.bool(value)) }
  /// An array.
  public init(arrayLiteral elements: JSONValue...) { self.init(.array(elements)) }
  /// An object, with its members in the order given.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self.init(.object(elements.map { Member($0, $1) }))
  }
}

/// A position in a text file: line and column count from 1, the column in characters.
public struct SourcePosition: Sendable, Equatable, Comparable {
  /// Counted from 1.
  public var line: Int
  /// Counted from 1, in characters.
  public var column: Int

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  /// No position: the value was not read from a file.
  public static let none = SourcePosition(line: 0, column: 0)

  /// Orders by line, then by column.
  public static func < (left: SourcePosition, right: SourcePosition) -> Bool {
    (left.line, left.column) < (right.line, right.column)
  }
}

extension JSONValue {
  /// The same value with another position throughout.
  package func moved(to position: SourcePosition) -> JSONValue {
    switch content {
    case .array(let elements):
      JSONValue(.array(elements.map { $0.moved(to: position) }), at: position)
    case .object(let members):
      JSONValue(
        .object(
          members.map {
            Member($0.key, $0.value.moved(to: position), keyPosition: position)
          }), at: position)
    default: JSONValue(content, at: position)
    }
  }

  /// The same value without positions.
  package var withoutPositions: JSONValue { moved(to: .none) }
}
