import MeshpipeBase
import Synchronization

/// A parameter of a stage: its help, default and range in one line.
///
///     @Parameter("Fraction of faces to keep.", in: 0...1)
///     public var ratio = 0.5
@propertyWrapper
public struct Parameter<Value: ParameterValue>: Sendable {
  /// Shared by the copies of one wrapper, so that reflection can assign to it while decoding.
  final class Storage: Sendable {
    let value: Mutex<Value>
    init(_ value: Value) { self.value = Mutex(value) }
  }

  private var storage: Storage
  private let help: String
  private let range: ClosedRange<Double>?
  private let scope: LengthScope
  private let formerNames: [String]
  private let isRequired: Bool

  /// Declares a parameter with a default.
  ///
  /// - Parameters:
  ///   - wrappedValue: The default.
  ///   - help: One sentence for the documentation.
  ///   - range: The allowed numbers, in the base unit (metres, radians, fractions).
  ///   - scope: How a length relates to the size of the scan; by default it is a part of it.
  ///   - formerNames: Names that it had, which pipelines may still give, with a warning.
  public init(
    wrappedValue: Value, _ help: String, in range: ClosedRange<Double>? = nil,
    scope: LengthScope? = nil, formerly formerNames: String...
  ) {
    storage = Storage(wrappedValue)
    self.help = help
    self.range = range
    self.scope = scope ?? Value.parameterType.usualScope
    self.formerNames = formerNames
    isRequired = false
  }

  /// Declares a required parameter.
  ///
  /// - Parameters:
  ///   - placeholder: The value before decoding; never seen by a stage.
  ///   - formerNames: Names that it had, which pipelines may still give, with a warning.
  public init(
    required help: String, placeholder: Value, in range: ClosedRange<Double>? = nil,
    formerly formerNames: String...
  ) {
    storage = Storage(placeholder)
    self.help = help
    self.range = range
    scope = Value.parameterType.usualScope
    self.formerNames = formerNames
    isRequired = true
  }

  /// The value of the option, or its default.
  public var wrappedValue: Value {
    get { storage.value.withLock { $0 } }
    set { storage = Storage(newValue) }
  }
}

/// A parameter of any type, as found by reflection.
protocol AnyParameter: Sendable {
  func declaration(named name: String) -> ParameterDeclaration
  func assign(_ json: JSONValue) throws(ParameterFault)
}

extension Parameter: AnyParameter {
  func declaration(named name: String) -> ParameterDeclaration {
    ParameterDeclaration(
      name: name, help: help, type: Value.parameterType,
      defaultValue: isRequired ? JSONValue(.null) : wrappedValue.json, isRequired: isRequired,
      range: range, scope: scope, formerNames: formerNames)
  }

  func assign(_ json: JSONValue) throws(ParameterFault) {
    let value = try Value(json: json, in: range)
    try range?.check(value.magnitudes, as: Value.parameterType)
    storage.value.withLock { $0 = value }
  }
}

extension ClosedRange<Double> {
  /// Rejects out-of-range numbers.
  func check(_ magnitudes: [Double], as type: ParameterType) throws(ParameterFault) {
    if magnitudes.allSatisfy(contains) { return }
    throw ParameterFault("must be \(description(as: type))")
  }

  /// The range for a message: "from 0 to 1", "at least 0", "at most 10".
  package func description(as type: ParameterType) -> String {
    func text(_ value: Double) -> String { type.boundText(value) }
    if upperBound == .infinity || upperBound == .greatestFiniteMagnitude {
      return "at least \(text(lowerBound))"
    }
    if lowerBound == -.infinity || lowerBound == -.greatestFiniteMagnitude {
      return "at most \(text(upperBound))"
    }
    return "from \(text(lowerBound)) to \(text(upperBound))"
  }
}
