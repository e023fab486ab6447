/// A type that a parameter or a variable can have.
public protocol ParameterValue: Sendable {
  static var parameterType: ParameterType { get }

  /// Creates the value from JSON, as written in a pipeline.
  init(json: JSONValue) throws(ParameterFault)

  /// The value as one would write it in a pipeline.
  var json: JSONValue { get }

  /// The numbers that a range applies to, in base units.
  var magnitudes: [Double] { get }
}

extension ParameterValue {
  public var magnitudes: [Double] { [] }
}

/// The types of parameters and variables, as documentation and schema name them.
public indirect enum ParameterType: Sendable, Equatable {
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
  case choice([String])
  /// Three numbers (or lengths).
  case vector
  case list(ParameterType)
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
    case .choice(let names): names.joined(separator: " | ")
    case .vector: "vector"
    case .list(let element): "[\(element.name)]"
    case .optional(let wrapped): wrapped.name
    }
  }

  /// What is written behind a bound of the type in a message.
  var unitSuffix: String {
    switch self {
    case .length: " m"
    case .area: " m2"
    case .angle: " rad"
    case .list(let element), .optional(let element): element.unitSuffix
    default: ""
    }
  }
}
