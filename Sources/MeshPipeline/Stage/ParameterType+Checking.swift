import MeshpipeBase

extension ParameterType {
  /// The simple types, as `variables` in a pipeline write them.
  static let plainNames = [
    "bool", "integer", "number", "string", "length", "area", "angle", "amount", "length or %",
    "class", "scale", "bytes", "vector",
  ]

  /// Creates the type declared by a variable: `length`, `[class]`, `low | high`.
  package init?(name: String) {
    let name = name.trimmingSpaces()
    if name.hasPrefix("["), name.hasSuffix("]") {
      guard let element = ParameterType(name: String(name.dropFirst().dropLast())) else {
        return nil
      }
      self = .list(element)
      return
    }
    switch name {
    case "bool": self = .bool
    case "integer": self = .integer
    case "number": self = .number
    case "string": self = .string
    case "length": self = .length
    case "area": self = .area
    case "angle": self = .angle
    case "amount": self = .amount
    case "length or %": self = .relativeLength
    case "class": self = .classLabel
    case "scale": self = .scale
    case "bytes": self = .bytes
    case "vector": self = .vector
    default:
      let choices = name.split(separator: "|").map { String($0).trimmingSpaces() }
      guard name.contains("|"), choices.count > 1, choices.allSatisfy(\.isPlainName) else {
        return nil
      }
      self = .choice(choices)
    }
  }

  /// Checks that a value is of this type.
  ///
  /// - Throws: The fault, with its path if it is inside the value.
  package func check(_ value: JSONValue) throws(ParameterFault) { _ = try self.value(of: value) }

  static func checkChoice(
    _ value: JSONValue, among names: [String], orFile: Bool = false
  ) throws(ParameterFault) {
    let expectation =
      "one of " + names.map { "'\($0)'" }.joined(separator: ", ")
      + (orFile ? " or the path of a JSON file" : "")
    guard case .string(let name) = value.content else { throw .expected(expectation, value) }
    if names.contains(name) { return }
    let hint = nearestName(to: name, in: names).map { "; did you mean '\($0)'?" } ?? ""
    throw ParameterFault("'\(name)' is not \(expectation)\(hint)")
  }

  /// The value of a command line argument, as it would be written in a pipeline.
  ///
  /// Lists and vectors are separated by commas, with or without brackets: `floor,wall`. Text that
  /// can't be of the type stays a string, for ``check(_:)`` to report.
  package func value(fromText text: String, at position: SourcePosition = .none) -> JSONValue {
    let plain = text.trimmingSpaces()
    let string = JSONValue(.string(text), at: position)
    switch self {
    case .bool:
      switch plain {
      case "true": return JSONValue(.bool(true), at: position)
      case "false": return JSONValue(.bool(false), at: position)
      default: return string
      }
    case .integer, .number, .length, .area, .angle, .amount, .relativeLength, .scale,
      .bytes:
      guard let (number, unit) = splitUnit(plain), unit.isEmpty else { return string }
      return JSONValue(.number(number), at: position)
    case .string, .classLabel, .scene, .choice, .choiceOrFile: return string
    case .optional(let wrapped):
      return plain == "null"
        ? JSONValue(.null, at: position) : wrapped.value(fromText: text, at: position)
    case .vector: return Self.list(of: .length, fromText: plain, at: position)
    case .list(let element): return Self.list(of: element, fromText: plain, at: position)
    }
  }

  private static func list(
    of element: ParameterType, fromText text: String, at position: SourcePosition
  ) -> JSONValue {
    var items = text[...]
    if items.hasPrefix("["), items.hasSuffix("]") { items = items.dropFirst().dropLast() }
    if String(items).trimmingSpaces().isEmpty { return JSONValue(.array([]), at: position) }
    // In a list of vectors, the commas between brackets separate numbers, the others vectors.
    var depth = 0
    let parts = items.split(omittingEmptySubsequences: false) { character in
      if character == "[" { depth += 1 }
      if character == "]" { depth -= 1 }
      return character == "," && depth <= 0
    }
    let values = parts.map { part in
      element.value(fromText: String(part).trimmingSpaces(), at: position)
    }
    return JSONValue(.array(values), at: position)
  }
}
