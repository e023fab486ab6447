public import MeshpipeBase
public import MeshpipeScene

/// A type for settings.
public protocol SettingValue: Sendable, Equatable {
  /// Whether the option may be given several times.
  static var repeats: Bool { get }

  /// Reads what is given on the command line: the values of the option in their order; none for a flag.
  init(words: [String]) throws

  /// Reads the result of ``savedJSON``; nil for anything else.
  init?(savedJSON: JSONValue)

  /// The value in a form that another process or a later run reads, even where files have changed.
  var savedJSON: JSONValue { get }
}

/// A value that is given as one word, by itself, as an optional or in a list.
public protocol SettingElement: Sendable, Equatable {
  /// Reads the value of an option; files that it names are read at once.
  init(word: String) throws

  /// Reads the result of ``savedJSON``; nil for anything else.
  init?(savedJSON: JSONValue)

  /// The value in a form that another process or a later run reads, even where files have changed.
  var savedJSON: JSONValue { get }
}

/// Why a word is not a value of an option.
package struct SettingFault: Error, Equatable {
  /// The end of a sentence that begins with option and word in quotes.
  package var message: String
}

extension SettingValue {
  /// Given once.
  public static var repeats: Bool { false }
}

extension SettingValue where Self: SettingElement {
  /// Reads the only value.
  public init(words: [String]) throws { try self.init(word: words.last ?? "") }
}

// MARK: Shapes

extension Bool: SettingValue {
  /// True: the flag is given.
  public init(words: [String]) { self = true }
  /// Reads a truth value.
  public init?(savedJSON: JSONValue) {
    guard case .bool(let value) = savedJSON.content else { return nil }
    self = value
  }
  /// The truth value.
  public var savedJSON: JSONValue { JSONValue(.bool(self)) }
}

extension Optional: SettingValue where Wrapped: SettingElement {
  /// Reads the only value.
  public init(words: [String]) throws { self = try Wrapped(word: words.last ?? "") }
  /// Reads the value.
  public init?(savedJSON: JSONValue) {
    guard let value = Wrapped(savedJSON: savedJSON) else { return nil }
    self = .some(value)
  }
  /// The value, or null.
  public var savedJSON: JSONValue { self?.savedJSON ?? JSONValue(.null) }
}

extension Array: SettingValue where Element: SettingElement {
  /// Given for each element.
  public static var repeats: Bool { true }
  /// Reads the elements.
  public init(words: [String]) throws { self = try words.map { try Element(word: $0) } }
  /// Reads the elements.
  public init?(savedJSON: JSONValue) {
    guard case .array(let elements) = savedJSON.content else { return nil }
    self = elements.compactMap { Element(savedJSON: $0) }
    if count != elements.count { return nil }
  }
  /// The elements.
  public var savedJSON: JSONValue { JSONValue(.array(map(\.savedJSON))) }
}

// MARK: Words

extension String: SettingElement {
  /// The word itself.
  public init(word: String) { self = word }
  /// Reads a text.
  public init?(savedJSON: JSONValue) {
    guard let text = savedJSON.text else { return nil }
    self = text
  }
  /// The text.
  public var savedJSON: JSONValue { JSONValue(.string(self)) }
}

extension Int: SettingElement, SettingValue {
  /// Reads a number, whose range the declaration has.
  public init(word: String) throws {
    guard let value = Int(word) else { throw SettingFault(message: " is not a whole number") }
    self = value
  }
  /// Reads a number.
  public init?(savedJSON: JSONValue) {
    guard let value = savedJSON.number.flatMap({ Int(exactly: $0) }) else { return nil }
    self = value
  }
  /// The number.
  public var savedJSON: JSONValue { JSONValue(.number(Double(self))) }
}

extension SettingElement where Self: RawRepresentable<String> & CaseIterable {
  /// Reads a raw value.
  public init(word: String) throws {
    guard let value = Self(rawValue: word) else {
      let names = Self.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw SettingFault(message: " is not one of \(names)")
    }
    self = value
  }
  /// Reads a raw value.
  public init?(savedJSON: JSONValue) {
    guard let value = savedJSON.text.flatMap(Self.init(rawValue:)) else { return nil }
    self = value
  }
  /// The raw value.
  public var savedJSON: JSONValue { JSONValue(.string(rawValue)) }
}

extension SignedAxis: SettingElement {}
