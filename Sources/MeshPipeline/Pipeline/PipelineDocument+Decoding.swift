import MeshpipeBase

extension PipelineDocument {
  /// The keys of each kind of object in a pipeline file, for the checker and the schema.
  enum Keys {
    static let document = [
      "$schema", "meshpipe", "name", "description", "note", "provenance", "variables", "levels",
      "inputs", "stages", "outputs",
    ]
    static let variable = [
      "type", "default", "minimum", "maximum", "choices", "environment", "formerly", "help",
    ]
    static let level = ["enabled", "note", "with"]
    static let stage = [
      "use", "id", "in", "when", "optional", "where", "expect", "onError", "enabled", "note",
      "with",
    ]
    static let include = ["include", "note"]
    static let input = [
      "path", "id", "name", "up", "unit", "classes", "aligned", "transform", "note",
    ]
    static let output = [
      "path", "from", "format", "up", "when", "optional", "loses", "levels", "maximumBytes",
      "enabled", "note", "with",
    ]
  }

  mutating func decode(_ value: JSONValue, _ reading: @escaping IncludeReader) {
    var inclusion = Inclusion(reading: reading, files: [source.file ?? ""])
    let root = JSONPath()
    guard let members = object(value, at: root, "the pipeline", keys: Keys.document) else { return }
    var hasVersion = false
    for member in members {
      let path = root[member.key]
      switch member.key {
      case "meshpipe":
        hasVersion = true
        decodeVersion(member.value, at: path)
      case "name": name = text(member.value, at: path)?.value
      case "provenance": provenance = choice(member.value, at: path)
      case "description": about = text(member.value, at: path)?.value ?? ""
      case "note": note = text(member.value, at: path)?.value ?? ""
      case "variables": decodeVariables(member.value, at: path)
      case "levels": decodeLevels(member.value, at: path)
      case "stages":
        decodeStages(member.value, at: path, &inclusion)
      case "inputs":
        for (index, entry) in array(member.value, at: path, "inputs").enumerated() {
          decodeInput(entry, at: path[index])
        }
      case "outputs":
        for (index, entry) in array(member.value, at: path, "outputs").enumerated() {
          decodeOutput(entry, at: path[index])
        }
      default: _ = text(member.value, at: path)
      }
    }
    declare(inclusion.variables)
    checkLevels()
    if !hasVersion {
      report(
        "the version of the format is missing; add \"meshpipe\": \(Self.formatVersion)",
        at: value.position, root)
    }
  }

  mutating func decodeVersion(_ value: JSONValue, at path: JSONPath) {
    if value.content == .number(Double(Self.formatVersion)) { return }
    if case .number(let number) = value.content {
      report(
        "version \(JSONValue.text(of: number)) of the pipeline format is not supported; "
          + "this meshpipe reads version \(Self.formatVersion)", at: value.position, path)
    } else {
      reportType("the number \(Self.formatVersion)", value, path)
    }
  }

  mutating func decodeStage(_ value: JSONValue, at path: JSONPath) {
    guard let members = object(value, at: path, "a stage", keys: Keys.stage) else { return }
    var entry = StageEntry(position: value.position, path: path)
    for member in members {
      let path = path[member.key]
      switch member.key {
      case "use": entry.use = text(member.value, at: path)
      case "id": entry.id = id(member.value, at: path)
      case "in": entry.inputs = ids(member.value, at: path)
      case "when": entry.when = text(member.value, at: path)
      case "optional": entry.isOptional = truth(member.value, at: path)
      case "where":
        entry.scope = Located(value: member.value, position: member.value.position, path: path)
      case "expect": entry.expect = text(member.value, at: path)
      case "onError": entry.onError = choice(member.value, at: path) ?? .fail
      case "enabled": entry.enabled = flag(member.value, at: path)
      case "note": entry.note = text(member.value, at: path)
      case "with": entry.options = object(member.value, at: path, "'with'", keys: nil) ?? []
      default: break
      }
    }
    if !members.contains(where: { $0.key == "use" }) {
      report("a stage needs 'use': the name of its kind", at: value.position, path)
    }
    stages.append(entry)
  }

  private mutating func decodeInput(_ value: JSONValue, at path: JSONPath) {
    guard let members = object(value, at: path, "an input", keys: Keys.input) else { return }
    var entry = InputEntry(position: value.position, path: path)
    for member in members {
      let path = path[member.key]
      switch member.key {
      case "path": entry.file = text(member.value, at: path)
      case "id": entry.id = id(member.value, at: path)
      case "name": entry.name = text(member.value, at: path)
      case "up": entry.up = text(member.value, at: path)
      case "unit": entry.unit = text(member.value, at: path)
      case "classes": entry.classes = text(member.value, at: path)
      case "aligned":
        guard case .bool(let isAligned) = member.value.content else {
          report("'aligned' must be true or false", at: member.value.position, path)
          continue
        }
        entry.isAligned = isAligned
      case "transform": entry.transform = object(member.value, at: path, "'transform'", keys: nil)
      default: _ = text(member.value, at: path)
      }
    }
    if !members.contains(where: { $0.key == "path" }) {
      report("an input needs a 'path'", at: value.position, path)
    }
    inputs.append(entry)
  }

  private mutating func decodeOutput(_ value: JSONValue, at path: JSONPath) {
    guard let members = object(value, at: path, "an output", keys: Keys.output) else { return }
    var entry = OutputEntry(position: value.position, path: path)
    for member in members {
      let path = path[member.key]
      switch member.key {
      case "path": entry.file = text(member.value, at: path)
      case "from": entry.from = text(member.value, at: path)
      case "format": entry.format = text(member.value, at: path)
      case "up": entry.up = text(member.value, at: path)
      case "when": entry.when = text(member.value, at: path)
      case "optional": entry.isOptional = truth(member.value, at: path)
      case "loses": entry.loses = losses(member.value, at: path)
      case "levels":
        let levels: OutputLevels? = choice(member.value, at: path)
        entry.levels = levels.map {
          Located(value: $0, position: member.value.position, path: path)
        }
      case "maximumBytes":
        entry.maximumBytes = Located(
          value: member.value, position: member.value.position, path: path)
      case "enabled": entry.enabled = flag(member.value, at: path)
      case "note": entry.note = text(member.value, at: path)
      case "with": entry.options = object(member.value, at: path, "'with'", keys: nil) ?? []
      default: break
      }
    }
    if !members.contains(where: { $0.key == "path" }) {
      report("an output needs a 'path'", at: value.position, path)
    }
    outputs.append(entry)
  }

  /// What an output is expected to lose: everything its format can't hold, or some features.
  private mutating func losses(_ value: JSONValue, at path: JSONPath) -> Set<SceneFeature> {
    if case .string("expected") = value.content { return Set(SceneFeature.allCases) }
    guard case .array(let elements) = value.content else {
      report("'loses' must be \"expected\" or a list of features", at: value.position, path)
      return []
    }
    var features: Set<SceneFeature> = []
    for (index, element) in elements.enumerated() {
      guard let name = text(element, at: path[index]) else { continue }
      if let feature = SceneFeature(rawValue: name.value) {
        features.insert(feature)
      } else {
        let names = SceneFeature.allCases.map(\.rawValue)
        report(
          "unknown feature '\(name.value)'"
            + nameHint(name.value, among: names),
          at: name.position, name.path)
      }
    }
    return features
  }
}

// MARK: Values

extension PipelineDocument {
  /// The members of an object with known keys; each key once.
  mutating func object(
    _ value: JSONValue, at path: JSONPath, _ owner: String, keys: [String]?
  ) -> [JSONValue.Member]? {
    guard case .object(let members) = value.content else {
      report("\(owner) must be an object, found \(value.kindDescription)", at: value.position, path)
      return nil
    }
    var seen: Set<String> = []
    // Duplicate keys are reported by the reader; the first one counts.
    let unique = members.filter { seen.insert($0.key).inserted }
    guard let keys else { return unique }
    return unique.filter { member in
      if keys.contains(member.key) { return true }
      report(
        "unknown key '\(member.key)' of \(owner)" + hint(for: member.key, among: keys),
        at: member.keyPosition, path[member.key])
      return false
    }
  }

  /// The way out of an unknown key: the nearest one, or where a stage's option belongs.
  private func hint(for key: String, among keys: [String]) -> String {
    if let near = nearestName(to: key, in: keys) { return "; did you mean '\(near)'?" }
    let known = keys.joined(separator: ", ")
    return keys == Keys.stage
      ? "; options of the stage go under 'with'; known keys: \(known)"
      : "; known keys: \(known)"
  }

  mutating func array(_ value: JSONValue, at path: JSONPath, _ what: String) -> [JSONValue] {
    if case .array(let elements) = value.content { return elements }
    report("'\(what)' must be an array, found \(value.kindDescription)", at: value.position, path)
    return []
  }

  mutating func text(_ value: JSONValue, at path: JSONPath) -> Located<String>? {
    guard case .string(let text) = value.content else {
      reportType("a string", value, path)
      return nil
    }
    return Located(value: text, position: value.position, path: path)
  }

  /// A literal truth value; false if it is something else.
  private mutating func truth(_ value: JSONValue, at path: JSONPath) -> Bool {
    if case .bool(let truth) = value.content { return truth }
    reportType("true or false", value, path)
    return false
  }

  /// A truth value, or a text whose variable becomes one.
  mutating func flag(_ value: JSONValue, at path: JSONPath) -> Located<JSONValue>? {
    switch value.content {
    case .bool: break
    case .string(let text) where text.contains("${"): break
    default:
      reportType("true or false", value, path)
      return nil
    }
    return Located(value: value, position: value.position, path: path)
  }

  private mutating func choice<Value: RawRepresentable<String> & CaseIterable>(
    _ value: JSONValue, at path: JSONPath
  ) -> Value? {
    let names = Value.allCases.map(\.rawValue)
    do throws(ParameterFault) {
      try ParameterType.choice(names).check(value)
    } catch {
      report(error.message, at: value.position, path)
    }
    guard case .string(let name) = value.content else { return nil }
    return Value(rawValue: name)
  }

  private mutating func id(_ value: JSONValue, at path: JSONPath) -> Located<String>? {
    guard let id = text(value, at: path) else { return nil }
    if id.value == PipelineDocument.inputID {
      report(
        "the id 'input' is reserved for the decoded input; choose another", at: id.position, path)
      return nil
    }
    guard id.value.isPlainName else {
      report("'\(id.value)' is not an id; use letters, digits, '-' and '_'", at: id.position, path)
      return nil
    }
    return id
  }

  private mutating func ids(_ value: JSONValue, at path: JSONPath) -> [Located<String>]? {
    guard case .array(let elements) = value.content else {
      guard case .string = value.content else {
        reportType("an id or an array of ids", value, path)
        return nil
      }
      return text(value, at: path).map { [$0] }
    }
    if elements.isEmpty {
      report("'in' is empty", at: value.position, path)
      return nil
    }
    return elements.enumerated().compactMap { text($1, at: path[$0]) }
  }

  /// The id of the decoded input for `in` and `from`.
  package static var inputID: String { "input" }

  private mutating func reportType(_ expected: String, _ value: JSONValue, _ path: JSONPath) {
    report(ParameterFault.expected(expected, value).message, at: value.position, path)
  }

  mutating func report(
    _ message: String, at position: SourcePosition, _ path: JSONPath
  ) {
    let place = source.locate(position)
    diagnostics.append(
      Diagnostic(file: place.file, position: place.position, path: path, message: message))
  }
}
