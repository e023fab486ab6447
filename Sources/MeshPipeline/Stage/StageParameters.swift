import MeshpipeBase

/// The parameters of a stage: a flat struct of ``Parameter`` properties with defaults.
///
/// The declaration is the single source: checker, schema, documentation and command read names,
/// types, defaults, help and ranges from it by reflection.
public protocol StageParameters: Sendable {
  /// Creates the parameters with their defaults.
  init()

  /// Faults in the combination of several parameters; empty if there are none.
  func faults() -> [String]

  /// The names of options that were given up, each with what holds now: `is fixed at 1.5 now`.
  static var formerOptions: [String: String] { get }
}

extension StageParameters {
  /// No faults.
  public func faults() -> [String] { [] }

  /// None.
  public static var formerOptions: [String: String] { [:] }

  /// The declared parameters, in order.
  public static var declarations: [ParameterDeclaration] {
    Mirror(reflecting: Self()).children.compactMap { child in
      guard let label = child.label, let parameter = child.value as? any AnyParameter else {
        return nil
      }
      return parameter.declaration(named: String(label.drop { $0 == "_" }))
    }
  }

  /// Creates parameters from the members of a stage's `with` object.
  ///
  /// - Parameters:
  ///   - json: The object; variables are already substituted.
  ///   - report: Called with each fault: the parameter's name (nil for the whole), the path of the
  ///     fault and a message.
  /// - Returns: The parameters; invalid ones have their default.
  package static func decode(
    _ json: [JSONValue.Member],
    report: (_ name: String?, _ position: SourcePosition, _ message: String) -> Void
  ) -> Self {
    let result = Self()
    var byName: [String: any AnyParameter] = [:]
    for child in Mirror(reflecting: result).children {
      guard let label = child.label, let parameter = child.value as? any AnyParameter else {
        continue
      }
      byName[String(label.drop { $0 == "_" })] = parameter
    }
    var failed = false
    for member in json {
      guard let parameter = byName[member.key] else { continue }  // the checker names unknown keys
      do throws(ParameterFault) {
        try parameter.assign(member.value)
      } catch {
        failed = true
        report(member.key, error.position ?? member.value.position, error.message)
      }
    }
    if !failed {
      for fault in result.faults() { report(nil, .none, fault) }
    }
    return result
  }
}

/// The parameters of a stage that has none.
public struct NoParameters: StageParameters {
  /// Creates the empty set of parameters.
  public init() {}
}

/// Why a value is invalid for a parameter.
public struct ParameterFault: Error, Equatable, Sendable {
  /// The problem, without the parameter's name.
  public var message: String
  /// The position, if it is inside the value.
  public var position: SourcePosition?

  /// Creates a fault.
  ///
  /// - Parameter position: Where it is in the file, if it is inside the value.
  public init(_ message: String, at position: SourcePosition? = nil) {
    self.message = message
    self.position = position
  }
}

/// The declaration of a parameter, for documentation, checking and the schema.
public struct ParameterDeclaration: Sendable {
  /// The name in pipelines.
  public var name: String
  /// A sentence or more for users.
  public var help: String
  /// The type of its values.
  public var type: ParameterType
  /// The default as written in a pipeline; null if the parameter may be absent.
  public var defaultValue: JSONValue
  /// Whether a pipeline must give it.
  public var isRequired: Bool
  /// The smallest and largest allowed number, for a number with bounds.
  public var range: ClosedRange<Double>?
  /// How a length relates to the size of the scan.
  public var scope: LengthScope
  /// Names that it had: pipelines may still give them, with a warning, and pages don't show them.
  public var formerNames: [String]

  package init(
    name: String, help: String, type: ParameterType, defaultValue: JSONValue, isRequired: Bool,
    range: ClosedRange<Double>? = nil, scope: LengthScope = .free, formerNames: [String] = []
  ) {
    self.name = name
    self.help = help
    self.type = type
    self.defaultValue = defaultValue
    self.isRequired = isRequired
    self.range = range
    self.scope = scope
    self.formerNames = formerNames
  }

  /// The present name and the former ones.
  package var allNames: [String] { [name] + formerNames }
}

extension [ParameterDeclaration] {
  /// The parameter that has a name now, or had it.
  package subscript(name name: String) -> ParameterDeclaration? {
    first { $0.name == name } ?? first { $0.formerNames.contains(name) }
  }
}
