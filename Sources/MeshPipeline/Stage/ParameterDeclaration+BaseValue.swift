import MeshpipeBase

extension ParameterDeclaration {
  /// The value of an option for a stage outside of Swift: plain JSON in base units.
  ///
  /// Lengths are in metres, areas in square metres, angles in radians. An amount has the members
  /// `count` and `fraction`, a length that may be a share has `meters` and `fraction`, one of which
  /// is null. A vector is three numbers; an absent value is null.
  /// - Parameter json: The value as written in a pipeline.
  /// - Throws: The fault of a value of another type or out of range.
  package func baseValue(of json: JSONValue) throws(ParameterFault) -> JSONValue {
    let value = try type.value(of: json)
    try range?.check(value.magnitudes, as: type)
    return value.base
  }
}

extension ParameterType {
  /// The numbers in a value that a range applies to, in base units; empty for non-numbers.
  package func magnitudes(of json: JSONValue) throws(ParameterFault) -> [Double] {
    try value(of: json).magnitudes
  }

  /// A value with numbers that a range applies to.
  struct Value {
    var base: JSONValue
    var magnitudes: [Double] = []

    init(_ value: some ParameterValue, _ base: JSONValue? = nil) {
      self.base = base ?? value.json
      magnitudes = value.magnitudes
    }

    init(_ base: JSONValue, _ magnitudes: [Double] = []) {
      self.base = base
      self.magnitudes = magnitudes
    }
  }

  /// Decodes a value of any type.
  ///
  /// - Throws: The fault, with its path if it is inside the value.
  func value(of json: JSONValue) throws(ParameterFault) -> Value {
    switch self {
    case .bool: return Value(try Bool(json: json))
    case .integer: return Value(try Int(json: json))
    case .number: return Value(try Double(json: json))
    case .string: return Value(try String(json: json))
    case .classLabel: return Value(try ClassLabel(json: json))
    case .scene: return Value(try SceneReference(json: json))
    case .length:
      let length = try Length(json: json)
      return Value(length, JSONValue(.number(length.meters)))
    case .area:
      let area = try Area(json: json)
      return Value(area, JSONValue(.number(area.squareMeters)))
    case .angle:
      let angle = try Angle(json: json)
      return Value(angle, JSONValue(.number(angle.radians)))
    case .amount: return Self.value(try Amount(json: json))
    case .relativeLength: return Self.value(try RelativeLength(json: json))
    case .scale:
      let scale = try Scale(json: json)
      return Value(scale, JSONValue(.number(scale.factor)))
    case .bytes:
      let count = try ByteCount(json: json)
      return Value(count, count.bytes.json)
    case .vector:
      let vector = try LengthVector(json: json)
      return Value(vector, JSONValue(.array(vector.magnitudes.map { JSONValue(.number($0)) })))
    case .choice(let names):
      try Self.checkChoice(json, among: names)
      return Value(json.withoutPositions)
    case .choiceOrFile(let names):
      if case .object = json.content { return Value(json.withoutPositions) }
      try Self.checkChoice(json, among: names, orFile: true)
      return Value(json.withoutPositions)
    case .optional(let wrapped):
      return json.content == .null ? Value(JSONValue(.null)) : try wrapped.value(of: json)
    case .list(let element): return try Self.list(of: element, json)
    }
  }

  private static func value(_ amount: Amount) -> Value {
    switch amount {
    case .count(let count): Value(amount, ["count": count.json, "fraction": JSONValue(.null)])
    case .fraction(let share): Value(amount, ["count": JSONValue(.null), "fraction": share.json])
    }
  }

  private static func value(_ length: RelativeLength) -> Value {
    switch length {
    case .length(let meters):
      Value(length, ["meters": meters.meters.json, "fraction": JSONValue(.null)])
    case .fraction(let share): Value(length, ["meters": JSONValue(.null), "fraction": share.json])
    }
  }

  private static func list(
    of element: ParameterType, _ json: JSONValue
  ) throws(ParameterFault) -> Value {
    guard case .array(let elements) = json.content else { throw .expected("an array", json) }
    var values: [Value] = []
    for json in elements {
      do throws(ParameterFault) { values.append(try element.value(of: json)) } catch {
        throw ParameterFault(error.message, at: error.position ?? json.position)
      }
    }
    return Value(JSONValue(.array(values.map(\.base))), values.flatMap(\.magnitudes))
  }
}
