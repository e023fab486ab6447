import MeshpipeBase

/// The values of a document's variables in one use, and the levels that run: the second step of a resolution.
///
/// In: the document with its defaults, and the request with `--var`, files of values, the environment and `--level`.
/// Out: a value for each variable, in each level; those without one are reported.
struct Bindings {
  let values: VariableValues
  /// The names of the levels that run, in the order of the file; empty if everything runs once.
  let levels: [String]
  let findings: Findings

  init(_ use: PipelineUse, _ input: InputFiles) {
    var binder = VariableBinder(use, Findings(use.document, input.diagnostics))
    binder.bindDeclared()
    for file in use.request.variableFiles {
      binder.beginSource()
      for given in file.values { binder.bind(given, of: file.path) }
    }
    binder.beginSource()
    for text in use.request.variables { binder.bind(argument: text) }
    values = binder.finish()
    var evaluator = Evaluator(use, values, after: binder.findings)
    levels = Self.levels(of: use, &evaluator)
    findings = evaluator.findings
  }

  private static func levels(of use: PipelineUse, _ evaluator: inout Evaluator) -> [String] {
    let (document, request) = (use.document, use.request)
    guard !request.levels.isEmpty else {
      let enabled = document.levels.filter { evaluator.flag($0.enabled) }.map(\.name)
      if enabled.isEmpty, !document.levels.isEmpty {
        let names = document.levels.map(\.name).joined(separator: ", ")
        evaluator.findings.add(.usage("no level is enabled; choose one with --level: \(names)"))
      }
      return enabled
    }
    for name in request.levels {
      let location = evaluator.findings.location(ofArgument: "--level \(name.shellQuoted)")
      if let problem = use.problem(withLevel: name) { evaluator.report(problem, at: location) }
    }
    return document.levels.map(\.name).filter { request.levels.contains($0) }
  }
}

/// The variables while they get their values.
private struct VariableBinder {
  private let use: PipelineUse
  private var common: [String: VariableValues.Binding] = [:]
  private var given: [String: [String: VariableValues.Binding]] = [:]
  private var broken: Set<String> = []
  /// The names under which variables were given in the present source, by level and variable.
  private var writtenNames: [String: String] = [:]
  private(set) var findings: Findings

  init(_ use: PipelineUse, _ findings: Findings) {
    self.use = use
    self.findings = findings
  }

  /// Binds defaults, and what the environment says instead.
  mutating func bindDeclared() {
    for variable in use.document.variables {
      if let value = variable.defaultValue {
        if refuse(default: value, of: variable) { continue }
        common[variable.name] = .init(value: value, origin: .declaration)
      }
      if let name = variable.environmentName, let text = use.request.environment(name) {
        let location = findings.location(ofArgument: "\(name)=\(text.shellQuoted)")
        bind(variable, to: variable.type.value(fromText: text, at: location.position), at: location)
      }
    }
  }

  /// Reports a default that refers to other variables, which are not substituted there.
  private mutating func refuse(
    default value: JSONValue, of variable: PipelineDocument.Variable
  ) -> Bool {
    guard let text = value.texts.first(where: { $0.contains("${") }) else { return false }
    broken.insert(variable.name)
    for name in text.split(separator: "${").compactMap({ $0.split(separator: "}").first }) {
      findings.use(variable: String(name))
    }
    findings.report(
      "the default of '\(variable.name)' is '\(text)', but a default can't refer to other variables; "
        + "write \(text) instead of '${\(variable.name)}'",
      at: DocumentLocation(value.position, variable.path["default"]))
    return true
  }

  /// Begins with the values of another file, or those of arguments, which may replace earlier ones.
  mutating func beginSource() { writtenNames = [:] }

  mutating func bind(argument text: String) {
    let location = findings.location(ofArgument: "--var \(text.shellQuoted)")
    guard let (name, valueText) = text.splitAtEquals() else {
      return findings.report("expected name=value", at: location)
    }
    guard let (variable, level) = target(name, at: location) else { return }
    let value = variable.type.value(fromText: valueText, at: location.position)
    bind(variable, in: level, to: value, at: location)
  }

  mutating func bind(_ given: JSONValue.Member, of file: String) {
    let location = findings.location(ofArgument: "--var-file \(file.shellQuoted)")
    guard let (variable, level) = target(given.key, at: location) else { return }
    let value = given.value.moved(to: location.position)
    bind(variable, in: level, to: value, at: location, "'\(given.key)': ")
  }

  /// The variable that a value is for, and the level if it is for one: `preview.faces`.
  private mutating func target(
    _ name: String, at location: DocumentLocation
  ) -> (variable: PipelineDocument.Variable, level: String?)? {
    var (name, level) = (name, String?.none)
    if let dot = name.firstIndex(of: "."), !use.document.levels.isEmpty {
      (name, level) = (String(name[name.index(after: dot)...]), String(name[..<dot]))
    }
    if let problem = level.flatMap(use.problem(withLevel:)) {
      findings.report(problem, at: location)
      return nil
    }
    let variables = use.document.variables
    let former = variables.first { $0.formerNames.contains(name) }
    if let variable = variables.first(where: { $0.name == name }) ?? former {
      return accept(name, of: variable, in: level, at: location) ? (variable, level) : nil
    }
    let problem =
      variables.isEmpty
      ? "the pipeline has no variables"
      : "unknown variable '\(name)'" + nameHint(name, among: variables.map(\.name))
    findings.report(problem, at: location)
    return nil
  }

  /// Whether a variable may be given under a name: warns of a former one, and reports two for one variable.
  private mutating func accept(
    _ name: String, of variable: PipelineDocument.Variable, in level: String?,
    at location: DocumentLocation
  ) -> Bool {
    let other = writtenNames.updateValue(name, forKey: "\(level ?? "").\(variable.name)")
    let former = name == variable.name ? other : name
    guard let former, former != variable.name else { return true }
    let change = "the variable '\(former)' is now called '\(variable.name)'"
    if let other, other != name {
      findings.report("\(change) and is given under both names; remove '\(former)'", at: location)
      return false
    }
    if name != variable.name { findings.report(change, at: location, .warning) }
    return true
  }

  private mutating func bind(
    _ variable: PipelineDocument.Variable, in level: String? = nil, to value: JSONValue,
    at location: DocumentLocation, _ prefix: String = ""
  ) {
    do throws(ParameterFault) {
      try variable.type.check(value)
      try variable.bounds.check(value, as: variable.type)
    } catch {
      broken.insert(variable.name)
      return findings.report(prefix + error.message, at: location)
    }
    let binding = VariableValues.Binding(value: value, origin: .argument(location.position))
    if let level {
      given[level, default: [:]][variable.name] = binding
    } else {
      common[variable.name] = binding
      broken.remove(variable.name)
    }
  }

  /// The values of all variables; reports those that have none.
  mutating func finish() -> VariableValues {
    for variable in use.document.variables
    where common[variable.name] == nil && !broken.contains(variable.name)
      && !hasValueInEveryLevel(variable.name)
    {
      findings.report(
        "variable '\(variable.name)' has no default and no value; give it with "
          + "--var \(variable.name)=…", at: variable, exitCode: .usage)
      broken.insert(variable.name)
    }
    return VariableValues(of: use.document, common: common, given: given, broken: broken)
  }

  private func hasValueInEveryLevel(_ name: String) -> Bool {
    let levels = use.document.levels
    return !levels.isEmpty
      && levels.allSatisfy { level in
        level.values.contains { $0.key == name } || given[level.name]?[name] != nil
      }
  }
}

/// The values of a document's variables in one use.
struct VariableValues {
  /// What gave a variable its value.
  enum Origin {
    /// The default of its declaration.
    case declaration
    /// The document, for one level.
    case level
    /// An argument, a file of values or the environment.
    case argument(SourcePosition)
  }

  struct Binding {
    var value: JSONValue
    var origin: Origin

    /// The position of the argument that gave it; nil if none did.
    var argument: SourcePosition? {
      if case .argument(let position) = origin { position } else { nil }
    }
  }

  /// The values for what runs once.
  let common: [String: Binding]
  /// The values of all variables in each level of the document, by its name.
  let ofLevels: [String: [String: Binding]]
  /// Variables without a value because of a mistake that was already reported.
  let broken: Set<String>
  /// The variables whose values may differ between levels, whichever of them run.
  let varying: Set<String>

  /// - Parameters:
  ///   - common: The defaults, and what is given for all levels.
  ///   - given: What is given for one level, by its name.
  init(
    of document: PipelineDocument, common: [String: Binding],
    given: [String: [String: Binding]], broken: Set<String>
  ) {
    self.common = common
    self.broken = broken
    ofLevels = Dictionary(
      document.levels.map { ($0.name, Self.values(in: $0, common, given[$0.name] ?? [:])) },
      uniquingKeysWith: { first, _ in first })
    varying =
      document.levels.isEmpty
      ? []
      : Set(document.levels.flatMap { $0.values.map(\.key) } + given.values.flatMap(\.keys))
        .union([PipelineDocument.levelVariable])
  }

  /// A value of a level replaces the default; one given for all levels replaces both, and one given for this level
  /// everything.
  private static func values(
    in level: PipelineDocument.Level, _ common: [String: Binding], _ given: [String: Binding]
  ) -> [String: Binding] {
    var values = common
    for member in level.values where common[member.key]?.argument == nil {
      values[member.key] = Binding(value: member.value, origin: .level)
    }
    values.merge(given) { _, given in given }
    values[PipelineDocument.levelVariable] = Binding(
      value: JSONValue(.string(level.name)), origin: .level)
    return values
  }

  /// The value of a variable in a level, or in what runs once.
  subscript(name: String, in level: String?) -> Binding? {
    (level.flatMap { ofLevels[$0] } ?? common)[name]
  }

  /// Whether texts depend on the level.
  func vary(in texts: [String]) -> Bool {
    !varying.isDisjoint(with: texts.flatMap(\.variableNames))
  }
}
