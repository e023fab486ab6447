import MeshpipeBase

extension PipelineDocument {
  mutating func decodeVariables(_ value: JSONValue, at path: JSONPath) {
    guard let members = object(value, at: path, "'variables'", keys: nil) else { return }
    for member in members {
      let path = path[member.key]
      if BuiltInVariable(rawValue: member.key) != nil {
        report(
          "'\(member.key)' is a built-in variable; choose another name", at: member.keyPosition,
          path)
        continue
      }
      if !member.key.isPlainName || member.key.contains("$") {
        report(
          "'\(member.key)' is not a valid variable name; use letters, digits, '-' and '_'",
          at: member.keyPosition, path)
      }
      decodeVariable(member, at: path)
    }
  }

  private mutating func decodeVariable(_ member: JSONValue.Member, at path: JSONPath) {
    let owner = "variable '\(member.key)'"
    guard let fields = object(member.value, at: path, owner, keys: Keys.variable) else { return }
    var type: ParameterType?
    var defaultValue: JSONValue?
    var help = ""
    var environmentName: String?
    var formerNames: [String] = []
    if let field = fields.first(where: { $0.key == "type" }) {
      if let name = text(field.value, at: path["type"]) {
        type = ParameterType(name: name.value)
        if type == nil { reportUnknownType(name) }
      }
    } else {
      report("\(owner) has no type", at: member.value.position, path)
    }
    for field in fields {
      switch field.key {
      case "default": defaultValue = field.value
      case "help": help = text(field.value, at: path["help"])?.value ?? ""
      case "environment":
        environmentName = text(field.value, at: path["environment"])?.value
      case "formerly": formerNames = self.formerNames(field.value, at: path["formerly"])
      default: break
      }
    }
    let bounds = type.map { self.bounds(in: fields, of: owner, $0, at: path) } ?? VariableBounds()
    if let type, let value = defaultValue {
      do throws(ParameterFault) {
        try type.check(value)
        try bounds.check(value, as: type)
      } catch {
        report(
          "default of \(owner): \(error.message)", at: error.position ?? value.position,
          path["default"])
      }
    }
    variables.append(
      Variable(
        // Nothing more can be checked for an unknown type; a text is accepted wherever it is
        // unused.
        name: member.key, type: type ?? .string, defaultValue: type == nil ? "" : defaultValue,
        help: help, bounds: bounds, environmentName: environmentName, formerNames: formerNames,
        position: member.keyPosition, path: path))
  }

  private mutating func formerNames(_ value: JSONValue, at path: JSONPath) -> [String] {
    guard case .array(let elements) = value.content else {
      report(
        ParameterFault.expected("an array of names", value).message, at: value.position, path)
      return []
    }
    return elements.enumerated().compactMap { text($1, at: path[$0])?.value }
  }

  private mutating func reportUnknownType(_ name: Located<String>) {
    let hint = nearestName(to: name.value, in: ParameterType.plainNames).map {
      "; did you mean '\($0)'?"
    }
    report(
      "unknown type '\(name.value)'"
        + (hint ?? "; use \(ParameterType.plainNames.joined(separator: ", ")), "
          + "a list like [class] or a choice like 'low | high'"),
      at: name.position, name.path)
  }

  // MARK: Bounds

  private mutating func bounds(
    in fields: [JSONValue.Member], of owner: String, _ type: ParameterType, at path: JSONPath
  ) -> VariableBounds {
    var bounds = VariableBounds()
    let minimum = bound("minimum", in: fields, of: owner, type, at: path)
    let maximum = bound("maximum", in: fields, of: owner, type, at: path)
    if minimum != nil || maximum != nil {
      let (low, high) = (minimum ?? -.infinity, maximum ?? .infinity)
      if low <= high {
        bounds.range = low...high
      } else if let field = fields.first(where: { $0.key == "maximum" }) {
        report("\(owner): the maximum is less than the minimum", at: field.value.position, path)
      }
    }
    guard let field = fields.first(where: { $0.key == "choices" }) else { return bounds }
    guard case .array(let choices) = field.value.content, !choices.isEmpty else {
      report(
        "choices of \(owner): expected an array of values", at: field.value.position,
        path["choices"])
      return bounds
    }
    var element = type
    if case .list(let inner) = type { element = inner }
    let faults = choices.map { fault(of: $0, as: element, "choices of \(owner)", path["choices"]) }
    if !faults.contains(true) { bounds.choices = choices }
    return bounds
  }

  /// The number of a bound; nil if there is none, or if it is invalid.
  private mutating func bound(
    _ key: String, in fields: [JSONValue.Member], of owner: String, _ type: ParameterType,
    at path: JSONPath
  ) -> Double? {
    guard let field = fields.first(where: { $0.key == key }) else { return nil }
    guard VariableBounds.haveOrder(type) else {
      report(
        "\(owner): a value of type '\(type.name)' has no \(key)", at: field.keyPosition, path[key])
      return nil
    }
    var element = type
    if case .list(let inner) = type { element = inner }
    if fault(of: field.value, as: element, "\(key) of \(owner)", path[key]) { return nil }
    return (try? element.magnitudes(of: field.value))?.first
  }

  /// Reports the problem with a value.
  private mutating func fault(
    of value: JSONValue, as type: ParameterType, _ what: String, _ path: JSONPath
  ) -> Bool {
    do throws(ParameterFault) {
      try type.check(value)
      return false
    } catch {
      report("\(what): \(error.message)", at: error.position ?? value.position, path)
      return true
    }
  }
}
