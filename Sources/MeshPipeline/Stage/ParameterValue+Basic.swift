import MeshpipeBase
import MeshpipeScene

extension Bool: ParameterValue {
  /// ``ParameterType/bool``.
  public static var parameterType: ParameterType { .bool }
  /// `true` or `false`.
  public var json: JSONValue { JSONValue(.bool(self)) }
  /// Accepts `true` and `false`.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .bool(let value) = json.content else { throw .expected("true or false", json) }
    self = value
  }
}

extension Int: ParameterValue {
  /// ``ParameterType/integer``.
  public static var parameterType: ParameterType { .integer }
  /// The number.
  public var json: JSONValue { JSONValue(.number(Double(self))) }
  /// The number itself.
  public var magnitudes: [Double] { [Double(self)] }
  /// Accepts a number without a fraction.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .number(let number) = json.content, let value = Int(exactly: number) else {
      throw .expected("a whole number", json)
    }
    self = value
  }
}

extension Double: ParameterValue {
  /// ``ParameterType/number``.
  public static var parameterType: ParameterType { .number }
  /// The number.
  public var json: JSONValue { JSONValue(.number(self)) }
  /// The number itself.
  public var magnitudes: [Double] { [self] }
  /// Accepts any number.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .number(let value) = json.content else { throw .expected("a number", json) }
    self = value
  }
}

extension String: ParameterValue {
  /// ``ParameterType/string``.
  public static var parameterType: ParameterType { .string }
  /// The text.
  public var json: JSONValue { JSONValue(.string(self)) }
  /// Accepts any text.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .string(let value) = json.content else { throw .expected("a string", json) }
    self = value
  }
}

extension Array: ParameterValue where Element: ParameterValue {
  /// A list of the type of the elements.
  public static var parameterType: ParameterType { .list(Element.parameterType) }
  /// The elements as a JSON array.
  public var json: JSONValue { JSONValue(.array(map(\.json))) }
  /// The numbers of all elements.
  public var magnitudes: [Double] { flatMap(\.magnitudes) }
  /// Accepts an array; a fault has the position of the element.
  public init(json: JSONValue) throws(ParameterFault) {
    guard case .array(let elements) = json.content else { throw .expected("an array", json) }
    self = []
    for element in elements {
      do throws(ParameterFault) {
        append(try Element(json: element))
      } catch {
        throw ParameterFault(error.message, at: error.position ?? element.position)
      }
    }
  }
}

extension Optional: ParameterValue where Wrapped: ParameterValue {
  /// The type of the value, or null.
  public static var parameterType: ParameterType { .optional(Wrapped.parameterType) }
  /// The value, or null.
  public var json: JSONValue { self?.json ?? JSONValue(.null) }
  /// The numbers of the value; none for null.
  public var magnitudes: [Double] { self?.magnitudes ?? [] }
  /// Accepts null, and what the value accepts.
  public init(json: JSONValue) throws(ParameterFault) { try self.init(json: json, in: nil) }
  /// Accepts null, and what the value accepts within the bounds.
  public init(json: JSONValue, in range: ClosedRange<Double>?) throws(ParameterFault) {
    if case .null = json.content { self = nil } else { self = try Wrapped(json: json, in: range) }
  }
}

/// Choices: any string enumeration with cases becomes a parameter type by conforming to this
/// protocol.
extension ParameterValue where Self: RawRepresentable<String> & CaseIterable {
  /// A choice of the raw values.
  public static var parameterType: ParameterType { .choice(allCases.map(\.rawValue)) }
  /// The raw value.
  public var json: JSONValue { JSONValue(.string(rawValue)) }
  /// Accepts a raw value; for another word, the fault proposes the nearest one.
  public init(json: JSONValue) throws(ParameterFault) { self = try Self(choice: json) }

  /// The same, for types that explain some words themselves.
  public init(choice json: JSONValue) throws(ParameterFault) {
    let names = Self.allCases.map(\.rawValue)
    let expectation = "one of " + names.map { "'\($0)'" }.joined(separator: ", ")
    guard case .string(let name) = json.content else { throw .expected(expectation, json) }
    guard let value = Self(rawValue: name) else {
      let hint = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
      throw ParameterFault("'\(name)' is not \(expectation)\(hint)")
    }
    self = value
  }
}

extension ParameterFault {
  /// The fault of a value of the wrong type.
  public static func expected(_ what: String, _ json: JSONValue) -> ParameterFault {
    switch json.content {
    case .string(let text): ParameterFault("expected \(what), found the string '\(text)'")
    case .number(let number):
      ParameterFault("expected \(what), found \(JSONValue.text(of: number))")
    default: ParameterFault("expected \(what), found \(json.kindDescription)")
    }
  }
}

extension SignedAxis: ParameterValue {}

extension CoordinateSystem.Handedness: ParameterValue {}
