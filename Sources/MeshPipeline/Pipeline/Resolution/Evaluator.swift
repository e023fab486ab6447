import MeshpipeBase

/// Evaluates what a document writes, with the values of variables: texts, flags, conditions and options.
///
/// Mistakes go to its findings, and what is at fault is nil.
struct Evaluator {
  /// Where a variable stands inside a longer text.
  enum Embedding {
    /// Inserted unchanged, in paths and texts.
    case text
    /// As a word or number in a condition.
    case condition
  }

  let use: PipelineUse
  let values: VariableValues
  /// The level for which it evaluates; nil for what is done once.
  private(set) var level: String?
  var findings: Findings

  init(_ use: PipelineUse, _ values: VariableValues, after findings: Findings) {
    self.use = use
    self.values = values
    self.findings = findings
  }

  /// Evaluates something for a level.
  mutating func within<Value>(_ level: String?, _ evaluate: (inout Evaluator) -> Value) -> Value {
    let outer = self.level
    self.level = level
    defer { self.level = outer }
    return evaluate(&self)
  }

  mutating func report(
    _ message: String, at location: some Positioned, exitCode: ExitCode = .configuration
  ) {
    findings.report(message, at: location, in: level, exitCode: exitCode)
  }

  mutating func warn(_ message: String, at location: some Positioned) {
    findings.report(message, at: location, in: level, .warning)
  }

  // MARK: Texts

  /// The value with its variables replaced: `"${x}"` becomes the typed value, `"a-${x}"` a text.
  mutating func value(_ value: JSONValue, at path: JSONPath) -> JSONValue? {
    switch value.content {
    case .string(let text):
      guard text.contains("$") else { return value }
      let location = DocumentLocation(value.position, path)
      if let name = text.wholeVariableName {
        return lookUp(name, at: location)?.moved(to: value.position)
      }
      return self.text(text, at: location).map { JSONValue(.string($0), at: value.position) }
    case .array(let elements):
      let values = elements.enumerated().map { self.value($1, at: path[$0]) }
      let whole = values.compactMap { $0 }
      return whole.count == values.count ? JSONValue(.array(whole), at: value.position) : nil
    case .object(let members):
      var result: [JSONValue.Member] = []
      for member in members {
        guard let value = self.value(member.value, at: path[member.key]) else { continue }
        result.append(.init(member.key, value, keyPosition: member.keyPosition))
      }
      return result.count == members.count ? JSONValue(.object(result), at: value.position) : nil
    default: return value
    }
  }

  /// Evaluates options of which nothing is known, so that their variables count as used.
  mutating func skip(_ members: [JSONValue.Member], at path: JSONPath) {
    for member in members { _ = value(member.value, at: path[member.key]) }
  }

  mutating func text(_ written: WrittenText?) -> String? {
    written.flatMap { text($0.value, at: $0) }
  }

  /// A text with its variables replaced; `$${` gives `${`.
  mutating func text(
    _ text: String, as embedding: Embedding = .text, at location: some Positioned
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
        report("'${' has no closing '}'; write '$${' for the characters themselves", at: location)
        return nil
      }
      let name = String(rest.dropFirst(2)[..<end])
      rest = rest[rest.index(after: end)...]
      if let value = lookUp(name, at: location),
        let text = embed(value, named: name, as: embedding, at: location)
      {
        result += text
      } else {
        isComplete = false
      }
    }
    return isComplete ? result + rest : nil
  }

  private mutating func embed(
    _ value: JSONValue, named name: String, as embedding: Embedding,
    at location: some Positioned
  ) -> String? {
    let text: String
    switch value.content {
    case .string(let string): text = string
    case .number(let number): text = JSONValue.text(of: number)
    case .bool(let value): text = value ? "true" : "false"
    case .null, .array, .object:
      report(
        "variable '\(name)' is \(value.kindDescription) and can't be used inside a text",
        at: location)
      return nil
    }
    // A value must not introduce operators into a condition.
    if embedding == .condition, !text.isPlainName, !text.isQuantity {
      report(
        "variable '\(name)' is '\(text)', which is not a word or number of a condition",
        at: location)
      return nil
    }
    return text
  }

  private mutating func lookUp(_ name: String, at location: some Positioned) -> JSONValue? {
    findings.use(variable: name)
    if level == nil, values.varying.contains(name) {
      report(
        "'${\(name)}' may differ between levels, and this is done once for all of them",
        at: location)
      return nil
    }
    if let binding = values[name, in: level] { return binding.value }
    if values.broken.contains(name) { return nil }
    if let builtIn = BuiltInVariable(rawValue: name) {
      if let value = use.value(of: builtIn) { return JSONValue(.string(value)) }
      report("'${archive}' has no value: the input does not come from an archive", at: location)
      return nil
    }
    let names =
      use.document.variables.map(\.name) + BuiltInVariable.allCases.map(\.rawValue)
      + (use.document.levels.isEmpty ? [] : [PipelineDocument.levelVariable])
    report("undefined variable '\(name)'" + nameHint(name, among: names), at: location)
    return nil
  }

  // MARK: Flags and conditions

  /// Whether something is enabled, as it is without a flag and with one at fault.
  mutating func flag(_ written: WrittenValue?) -> Bool {
    guard let written, let value = value(written.value, at: written.path) else { return true }
    do throws(ParameterFault) {
      return try Bool(json: value)
    } catch {
      report(error.message, at: written)
      return true
    }
  }

  mutating func condition(
    _ written: WrittenText?, figures: [SceneMeasure] = []
  ) -> Condition? {
    guard let written, let text = text(written.value, as: .condition, at: written)
    else { return nil }
    do throws(ConditionFault) {
      return try Condition(parsing: text, measures: use.environment.measures + figures)
    } catch {
      var location = written.location
      // The position inside the string is certain only without substitution.
      if location.position.line > 0, text == written.value {
        location.position.column += 1 + error.offset
      }
      report(error.message, at: location)
      return nil
    }
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
}
