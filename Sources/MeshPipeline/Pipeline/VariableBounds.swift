import MeshpipeBase

/// The constraints on a variable's value, in addition to its type.
package struct VariableBounds: Sendable, Equatable {
  /// The smallest and largest number, in base units (metres, radians).
  package var range: ClosedRange<Double>?
  /// The allowed values, as written; nil for any.
  package var choices: [JSONValue]?

  package init(range: ClosedRange<Double>? = nil, choices: [JSONValue]? = nil) {
    self.range = range
    self.choices = choices
  }

  /// Whether values of a type can be ordered.
  ///
  /// A count can't be compared with a share, nor a length with a percentage.
  static func haveOrder(_ type: ParameterType) -> Bool {
    switch type {
    case .integer, .number, .length, .area, .angle, .scale, .bytes: true
    case .list(let element): haveOrder(element)
    default: false
    }
  }

  /// Rejects a value of the right type that is not allowed.
  func check(_ value: JSONValue, as type: ParameterType) throws(ParameterFault) {
    try range?.check(try type.magnitudes(of: value), as: type)
    guard let choices else { return }
    let (elements, element): ([JSONValue], ParameterType) =
      if case .list(let element) = type { (value.elements, element) } else { ([value], type) }
    for one in elements {
      let base = try element.value(of: one).base
      var isAllowed = false
      for choice in choices where try element.value(of: choice).base == base { isAllowed = true }
      if !isAllowed {
        let names = choices.map(\.plainText).joined(separator: ", ")
        throw ParameterFault("'\(one.plainText)' is not one of \(names)", at: one.position)
      }
    }
  }

  /// The bounds for a help page: `from 0 to 1`, `one of 1024, 2048`; empty if there are none.
  package func description(as type: ParameterType) -> String {
    var parts: [String] = []
    if let range { parts.append(range.description(as: type)) }
    if let choices {
      parts.append("one of " + choices.map(\.plainText).joined(separator: ", "))
    }
    return parts.joined(separator: ", ")
  }
}

extension JSONValue {
  /// A text without its quotes, any other value as JSON.
  var plainText: String { text ?? compactText }
}
