import MeshpipeBase

extension PipelineResolver {
  /// Gives each variable its value: from `--var`, otherwise from a file, from the environment, or
  /// its default.
  mutating func bindVariables() {
    for variable in document.variables {
      if let value = variable.defaultValue {
        if refuse(default: value, of: variable) { continue }
        bindings[variable.name] = Binding(type: variable.type, value: value)
      }
      if let name = variable.environmentName, let text = request.environment(name) {
        let position = source.add(argument: "\(name)=\(text.shellQuoted)")
        bind(variable, to: variable.type.value(fromText: text, at: position), at: position)
      }
    }
    for file in request.variableFiles {
      for given in file.values { bind(given, of: file.path) }
    }
    for text in request.variables { bind(argument: text) }
    for variable in document.variables
    where bindings[variable.name] == nil && !brokenVariables.contains(variable.name)
      && !hasValueInEveryLevel(variable)
    {
      report(
        "variable '\(variable.name)' has no default and no value; give it with "
          + "--var \(variable.name)=…", at: variable.position, variable.path, exitCode: .usage)
      brokenVariables.insert(variable.name)
    }
  }

  /// Reports a default that refers to other variables, which are not substituted there.
  private mutating func refuse(
    default value: JSONValue, of variable: PipelineDocument.Variable
  ) -> Bool {
    guard let text = value.texts.first(where: { $0.contains("${") }) else { return false }
    brokenVariables.insert(variable.name)
    for name in text.split(separator: "${").compactMap({ $0.split(separator: "}").first }) {
      usedVariables.insert(String(name))
    }
    report(
      "the default of '\(variable.name)' is '\(text)', but a default can't refer to other variables; "
        + "write \(text) instead of '${\(variable.name)}'", at: value.position,
      variable.path["default"])
    return true
  }

  private mutating func bind(argument text: String) {
    let position = source.add(argument: "--var \(text.shellQuoted)")
    guard let (name, valueText) = text.splitAtEquals() else {
      return report("expected name=value", at: position, JSONPath())
    }
    guard let (variable, level) = target(name, at: position) else { return }
    bind(
      variable, in: level, to: variable.type.value(fromText: valueText, at: position), at: position)
  }

  private mutating func bind(_ given: JSONValue.Member, of file: String) {
    let position = source.add(argument: "--var-file \(file.shellQuoted)")
    guard let (variable, level) = target(given.key, at: position) else { return }
    bind(
      variable, in: level, to: given.value.moved(to: position), at: position, "'\(given.key)': ")
  }

  /// The variable that a value is for, and the level if it is for one: `preview.faces`.
  private mutating func target(
    _ name: String, at position: SourcePosition
  ) -> (variable: PipelineDocument.Variable, level: String?)? {
    guard let dot = name.firstIndex(of: "."), !document.levels.isEmpty else {
      return variable(named: name, at: position).map { ($0, nil) }
    }
    let level = String(name[..<dot])
    guard isLevel(level, at: position) else { return nil }
    return variable(named: String(name[name.index(after: dot)...]), at: position).map {
      ($0, level)
    }
  }

  private mutating func variable(
    named name: String, at position: SourcePosition
  ) -> PipelineDocument.Variable? {
    if let variable = document.variables.first(where: { $0.name == name }) { return variable }
    let names = document.variables.map(\.name)
    let problem =
      names.isEmpty
      ? "the pipeline has no variables"
      : "unknown variable '\(name)'" + nameHint(name, among: names)
    report(problem, at: position, JSONPath())
    return nil
  }

  private mutating func bind(
    _ variable: PipelineDocument.Variable, in level: String? = nil, to value: JSONValue,
    at position: SourcePosition, _ prefix: String = ""
  ) {
    do throws(ParameterFault) {
      try variable.type.check(value)
      try variable.bounds.check(value, as: variable.type)
      let binding = Binding(type: variable.type, value: value)
      givenPositions[variable.name] = position
      if let level {
        givenInLevels[level, default: [:]][variable.name] = binding
      } else {
        bindings[variable.name] = binding
        givenVariables.insert(variable.name)
        brokenVariables.remove(variable.name)
      }
    } catch {
      brokenVariables.insert(variable.name)
      report(prefix + error.message, at: position, JSONPath())
    }
  }

  mutating func reportUnusedVariables() {
    // Without a level nothing was looked at that depends on one.
    guard document.levels.isEmpty || !levels.isEmpty else { return }
    for variable in document.variables where !usedVariables.contains(variable.name) {
      warn(
        "variable '\(variable.name)' is never used", at: variable.position, variable.path)
    }
  }
}

// MARK: Substitution

extension PipelineResolver {
  /// The context of a variable inside a longer text.
  enum Embedding {
    /// Inserted unchanged, in paths and texts.
    case text
    /// As a word or number in a condition.
    case condition
  }

  /// The value with its variables replaced: `"${x}"` becomes the typed value, `"a-${x}"` a text.
  ///
  /// - Returns: Nil if there was a fault, which is reported.
  mutating func substitute(_ value: JSONValue, at path: JSONPath) -> JSONValue? {
    switch value.content {
    case .string(let text):
      guard text.contains("$") else { return value }
      if let name = text.wholeVariableName {
        return lookUp(name, at: value.position, path)?.moved(to: value.position)
      }
      return substitute(text: text, at: value.position, path).map {
        JSONValue(.string($0), at: value.position)
      }
    case .array(let elements):
      let values = elements.enumerated().map { substitute($1, at: path[$0]) }
      let whole = values.compactMap { $0 }
      return whole.count == values.count ? JSONValue(.array(whole), at: value.position) : nil
    case .object(let members):
      var result: [JSONValue.Member] = []
      for member in members {
        guard let value = substitute(member.value, at: path[member.key]) else { continue }
        result.append(.init(member.key, value, keyPosition: member.keyPosition))
      }
      return result.count == members.count ? JSONValue(.object(result), at: value.position) : nil
    default: return value
    }
  }

  /// A text with its variables replaced; `$${` gives `${`.
  mutating func substitute(
    text: String, as embedding: Embedding = .text, at position: SourcePosition, _ path: JSONPath
  ) -> String? {
    var result = ""
    var rest = text[...]
    var isComplete = true
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      if rest.hasPrefix("$${") {
        result += "${"
        rest = rest.dropFirst(3)
        continue
      }
      guard rest.hasPrefix("${") else {
        result += "$"
        rest = rest.dropFirst()
        continue
      }
      guard let end = rest.firstIndex(of: "}") else {
        report(
          "'${' has no closing '}'; write '$${' for the characters themselves", at: position, path)
        return nil
      }
      let name = String(rest[rest.index(rest.startIndex, offsetBy: 2)..<end])
      rest = rest[rest.index(after: end)...]
      if let value = lookUp(name, at: position, path),
        let text = embed(value, named: name, as: embedding, at: position, path)
      {
        result += text
      } else {
        isComplete = false
      }
    }
    return isComplete ? result + rest : nil
  }

  private mutating func embed(
    _ value: JSONValue, named name: String, as embedding: Embedding, at position: SourcePosition,
    _ path: JSONPath
  ) -> String? {
    let text: String
    switch value.content {
    case .string(let string): text = string
    case .number(let number): text = JSONValue.text(of: number)
    case .bool(let value): text = value ? "true" : "false"
    case .null, .array, .object:
      report(
        "variable '\(name)' is \(value.kindDescription) and can't be used inside a text",
        at: position, path)
      return nil
    }
    // A value must not introduce operators into a condition.
    if embedding == .condition, !text.isPlainName, !text.isQuantity {
      report(
        "variable '\(name)' is '\(text)', which is not a word or number of a condition",
        at: position,
        path)
      return nil
    }
    return text
  }

  private mutating func lookUp(
    _ name: String, at position: SourcePosition, _ path: JSONPath
  ) -> JSONValue? {
    usedVariables.insert(name)
    if level == nil, levelVariables.contains(name) {
      report(
        "'${\(name)}' may differ between levels, and this is done once for all of them",
        at: position,
        path)
      return nil
    }
    if let binding = currentBindings[name] { return binding.value }
    if brokenVariables.contains(name) { return nil }
    if let builtIn = BuiltInVariable(rawValue: name) {
      guard let input = request.input else { return JSONValue(.string("${\(name)}")) }
      if let value = builtIn.value(
        forInput: input, isFolder: isInputFolder, archive: request.archive)
      {
        return JSONValue(.string(value))
      }
      report(
        "'${archive}' has no value: the input does not come from an archive", at: position, path)
      return nil
    }
    let names =
      document.variables.map(\.name) + BuiltInVariable.allCases.map(\.rawValue)
      + (document.levels.isEmpty ? [] : [PipelineDocument.levelVariable])
    report(
      "undefined variable '\(name)'" + nameHint(name, among: names),
      at: position, path)
    return nil
  }
}

extension JSONValue {
  /// All texts in the value.
  var texts: [String] {
    switch content {
    case .string(let text): [text]
    case .array(let elements): elements.flatMap(\.texts)
    case .object(let members): members.flatMap(\.value.texts)
    default: []
    }
  }
}

extension String {
  /// The names of the variables in the text.
  var variableNames: [String] {
    replacing("$${", with: "").split(separator: "${", omittingEmptySubsequences: false).dropFirst()
      .compactMap { part in part.firstIndex(of: "}").map { String(part[..<$0]) } }
  }

  /// Whether the text is one number, with or without a unit.
  fileprivate var isQuantity: Bool {
    guard let (_, unit) = splitUnit(self) else { return false }
    return !unit.contains { $0.isWhitespace || "()<>=!&|".contains($0) }
  }

  /// The name in a text that consists of a single variable.
  var wholeVariableName: String? {
    guard hasPrefix("${"), hasSuffix("}"), firstIndex(of: "}") == index(before: endIndex) else {
      return nil
    }
    return String(dropFirst(2).dropLast())
  }

  /// The texts before and after the first `=`; nil if there is none or nothing before it.
  package func splitAtEquals() -> (name: String, value: String)? {
    guard let equals = firstIndex(of: "="), equals != startIndex else { return nil }
    return (String(self[..<equals]).trimmingSpaces(), String(self[index(after: equals)...]))
  }

  /// The text as typed in a shell: in quotes if it has spaces or special characters.
  package var shellQuoted: String {
    let isPlain = !isEmpty && allSatisfy { $0.isLetter || $0.isNumber || "-_=.,/%+:@".contains($0) }
    if isPlain { return self }
    return "'" + split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#)
      + "'"
  }
}
