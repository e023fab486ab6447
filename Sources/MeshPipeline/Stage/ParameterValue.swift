import MeshpipeBase

/// A type for parameters and variables.
public protocol ParameterValue: Sendable {
  /// The type in documentation and schema.
  static var parameterType: ParameterType { get }

  /// Creates the value from JSON, as written in a pipeline.
  init(json: JSONValue) throws(ParameterFault)

  /// Creates the value of a parameter with bounds, from which a message may take its example.
  init(json: JSONValue, in range: ClosedRange<Double>?) throws(ParameterFault)

  /// The value as written in a pipeline.
  var json: JSONValue { get }

  /// The numbers that a range applies to, in base units.
  var magnitudes: [Double] { get }
}

extension ParameterValue {
  /// No numbers: ranges do not apply.
  public var magnitudes: [Double] { [] }

  /// Ignores the bounds.
  public init(json: JSONValue, in range: ClosedRange<Double>?) throws(ParameterFault) {
    try self.init(json: json)
  }
}

/// The types of parameters and variables, by their names in documentation and schema.
public indirect enum ParameterType: Sendable, Equatable {
  /// The plain JSON types; an integer is a number without a fraction.
  case bool, integer, number, string
  /// Metres, or a number with a unit: `"5mm"`, `"2cm"`, `0.02`.
  case length
  /// Square metres, or a number with a unit: `"0.05m2"`, `"500cm2"`.
  case area
  /// Degrees with a unit: `"30deg"`, `"0.5rad"`.
  case angle
  /// A count or a percentage: `50000`, `"20%"`.
  case amount
  /// A length or a percentage of the scene's extent: `"5mm"`, `"1%"`.
  case relativeLength
  /// The name of a class: `"floor"`.
  case classLabel
  /// The id of an earlier stage, whose scene the stage gets in addition to its own: `"full"`.
  case scene
  /// One of some words.
  case choice([String])
  /// One of some words, or the path of a JSON file, whose object the stage gets in the place of the path.
  case choiceOrFile([String])
  /// A factor, or the ratio of a model to the original: `0.04`, `"1:25"`.
  case scale
  /// A number of bytes: `"10MB"`, `"512KiB"`, `4096`.
  case bytes
  /// Three numbers (or lengths).
  case vector
  /// Any number of values of a type.
  case list(ParameterType)
  /// A value of a type, or null.
  case optional(ParameterType)

  /// The name in pipelines and documentation: `length`, `[class]`, `sharp | grow`.
  public var name: String {
    switch self {
    case .bool: "bool"
    case .integer: "integer"
    case .number: "number"
    case .string: "string"
    case .length: "length"
    case .area: "area"
    case .angle: "angle"
    case .amount: "amount"
    case .relativeLength: "length or %"
    case .classLabel: "class"
    case .scene: "id"
    case .choice(let names): names.joined(separator: " | ")
    case .choiceOrFile(let names): (names + ["FILE"]).joined(separator: " | ")
    case .scale: "scale"
    case .bytes: "bytes"
    case .vector: "vector"
    case .list(let element): "[\(element.name)]"
    case .optional(let wrapped): wrapped.name
    }
  }

  /// A bound of a number of the type, given in its base unit, formatted for a message.
  func boundText(_ value: Double) -> String {
    switch self {
    case .length: JSONValue.text(of: value) + " m"
    case .area: JSONValue.text(of: value) + " m2"
    case .angle: Angle(radians: value).text
    case .bytes: JSONValue.text(of: value) + " bytes"
    case .list(let element), .optional(let element): element.boundText(value)
    default: JSONValue.text(of: value)
    }
  }
}
