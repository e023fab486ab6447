import MeshpipeBase

extension PipelineResolver {
  mutating func resolveStages() {
    nameStages()
    let settings = parseSettings()
    outputSettings = settings.ofOutputs
    planStages(settings.ofStages)
    for index in stages.indices {
      let plan = stages[index]
      level = plan.level
      resolveFlow(ofStage: index)
      resolveConditions(ofStage: index)
      resolveOptions(
        ofStage: index,
        settings: (settings.ofStages[plan.entryIndex] ?? []).filter {
          $0.level == nil || $0.level == level
        })
    }
    level = nil
    selectStages()
  }

  /// Gives each entry its id: the declared one, or its name, with a number if that is taken.
  private mutating func nameStages() {
    for (index, entry) in document.stages.enumerated() {
      guard let id = entry.id else { continue }
      if otherInputs.contains(where: { $0.id == id.value }) {
        report("the id '\(id.value)' is already taken by an input", at: id.position, id.path)
      }
      if let first = entryIndices[id.value] {
        let line = source.locate(document.stages[first].id?.position ?? .none).position.line
        let place = line > 0 ? "; the first is on line \(line)" : ""
        report("the id '\(id.value)' is already taken\(place)", at: id.position, id.path)
      } else {
        entryIndices[id.value] = index
      }
    }
    var nextNumbers: [String: Int] = [:]
    for (index, entry) in document.stages.enumerated() {
      var id = entry.id?.value ?? entry.use?.value ?? ""
      if entry.id == nil {
        let name = entry.use?.value ?? ""
        var number = nextNumbers[name] ?? 2
        while entryIndices[id] != nil || otherInputs.contains(where: { $0.id == id }) {
          id = "\(name)-\(number)"
          number += 1
        }
        nextNumbers[name] = number
        entryIndices[id] = index
      }
      entryIDs.append(id)
    }
  }

  // MARK: Flow

  private mutating func resolveFlow(ofStage index: Int) {
    let entry = stages[index].entry
    let entryIndex = stages[index].entryIndex
    let previous = entryIndex == 0 ? .input : origin(ofEntry: entryIndex - 1) ?? .input
    guard let inputs = entry.inputs else {
      stages[index].inputs = [previous]
      return
    }
    var seen: Set<String> = []
    for input in inputs {
      guard seen.insert(input.value).inserted else {
        report("'\(input.value)' is named twice", at: input.position, input.path)
        continue
      }
      if let origin = resolve(id: input, before: entryIndex) { stages[index].inputs.append(origin) }
    }
    if stages[index].inputs.isEmpty { stages[index].inputs = [previous] }
  }

  /// The scene after an entry of the document in the current level.
  func origin(ofEntry index: Int) -> ResolvedPipeline.Origin? {
    let indices = planIndices[index]
    return (indices[level] ?? indices[nil]).map { .stage($0) }
  }

  /// The origin for an id, for the entry at an index (or for an output, after all stages).
  mutating func resolve(
    id: PipelineDocument.Located<String>, before index: Int
  ) -> ResolvedPipeline.Origin? {
    if id.value == PipelineDocument.inputID { return .input }
    if let index = otherInputs.firstIndex(where: { $0.id == id.value }) {
      return .otherInput(index)
    }
    guard let target = entryIndices[id.value] else {
      let names =
        [PipelineDocument.inputID] + otherInputs.compactMap(\.id)
        + entryIDs[..<min(index, entryIDs.count)]
      report(
        "unknown id '\(id.value)'" + nameHint(id.value, among: names),
        at: id.position, id.path)
      return nil
    }
    guard target < index else {
      let problem =
        target == index
        ? "stage '\(id.value)' can't take its own result"
        : "'\(id.value)' comes later; a stage takes results of earlier stages only"
      report(problem, at: id.position, id.path)
      return nil
    }
    return origin(ofEntry: target)
  }

  private mutating func resolveConditions(ofStage index: Int) {
    let entry = stages[index].entry
    stages[index].when = entry.when.flatMap { condition($0) }
    stages[index].expect = entry.expect.flatMap { condition($0) }
    stages[index].scope = entry.scope.flatMap { scope($0) }
    stages[index].isEnabled =
      (entry.enabled.map { isEnabled($0) } ?? true) && stages[index].when?.isNeverTrue != true
    stages[index].note =
      entry.note.flatMap { substitute(text: $0.value, at: $0.position, $0.path) } ?? ""
  }

  mutating func condition(_ text: PipelineDocument.Located<String>) -> Condition? {
    guard
      let substituted = substitute(
        text: text.value, as: .condition, at: text.position, text.path)
    else { return nil }
    do throws(ConditionFault) {
      return try Condition(parsing: substituted, measures: environment.measures)
    } catch {
      var position = text.position
      // The position inside the string is certain only without substitution.
      if position.line > 0, substituted == text.value { position.column += 1 + error.offset }
      report(error.message, at: position, text.path)
      return nil
    }
  }

  /// The part of the scene that a stage works on.
  private mutating func scope(_ names: PipelineDocument.Located<JSONValue>) -> StageScope? {
    guard let value = substitute(names.value, at: names.path) else { return nil }
    let texts = value.text.map { [$0] } ?? value.elements.compactMap(\.text)
    guard !texts.isEmpty, value.text != nil || texts.count == value.elements.count else {
      report(
        "expected the name of a class or of a mesh, or an array of names", at: names.position,
        names.path)
      return nil
    }
    return StageScope(names: texts)
  }

  mutating func isEnabled(_ flag: PipelineDocument.Located<JSONValue>) -> Bool {
    guard let value = substitute(flag.value, at: flag.path) else { return true }
    do throws(ParameterFault) {
      return try Bool(json: value)
    } catch {
      report(error.message, at: flag.position, flag.path)
      return true
    }
  }

  /// Removes the stages excluded by `--from` and `--to`.
  private mutating func selectStages() {
    func index(_ id: String?, _ option: String) -> Int? {
      guard let id else { return nil }
      let position = source.add(argument: "\(option) \(id.shellQuoted)")
      if let index = entryIndices[id] { return index }
      report(
        "unknown stage '\(id)'" + nameHint(id, among: entryIDs),
        at: position, JSONPath())
      return nil
    }
    let first = index(request.firstStage, "--from") ?? 0
    let last = index(request.lastStage, "--to") ?? entryIDs.count - 1
    for index in stages.indices
    where stages[index].entryIndex < first || stages[index].entryIndex > last {
      stages[index].isEnabled = false
    }
  }

  // MARK: Options

  private mutating func resolveOptions(ofStage index: Int, settings: [Setting]) {
    let entry = stages[index].entry
    guard let use = entry.use else { return }
    let path = entry.path["with"]
    guard let definition = environment.stages[use.value] else {
      let names = environment.stages.names
      let hint =
        environment.stages.advice(use.value).map { "; \($0)" }
        ?? environment.stages.explanation(forAbsent: use.value).map { ": \($0)" }
        ?? environment.stages.nearestName(to: use.value).map { "; did you mean '\($0)'?" }
        ?? nameHint(use.value, among: names)
      report(
        "unknown stage '\(use.value)'" + hint, at: use.position, use.path, exitCode: .unavailable)
      // Its variables count as used anyway.
      for member in entry.options { _ = substitute(member.value, at: path[member.key]) }
      return
    }
    stages[index].definition = definition
    let texts = entry.textOptions.map {
      Setting(option: $0.name, text: $0.text, position: $0.position)
    }
    let declarations = definition.parameters
    for word in entry.bareWords {
      report(
        "expected name=value, found '\(word)'" + Self.hint(onBareWord: word, declarations),
        at: entry.position, path)
    }
    let owner = "stage '\(use.value)'"
    let members = override(entry.options, with: texts + settings, declarations, at: path)
    guard
      let resolved = resolve(
        options: members, of: owner, declared: declarations, at: path, owner: entry.position)
    else { return }
    stages[index].stage = make(definition, resolved, path, owner: use.position)
    stages[index].options = Self.complete(resolved, declarations)
    resolveSources(ofStage: index, declarations, given: resolved)
  }

  /// The option that a word was meant as: the one of that name, or the first that takes it as its value, a required one
  /// before others.
  private static func hint(
    onBareWord word: String, _ declarations: [ParameterDeclaration]
  ) -> String {
    if let named = declarations.first(where: { $0.name.lowercased() == word.lowercased() }) {
      return named.type == .bool
        ? "; did you mean '\(named.name)=true'?" : "; give '\(named.name)' a value: \(named.name)=…"
    }
    let takers = declarations.filter { declaration in
      // A text takes anything.
      ![.string, .scene, .classLabel].contains(declaration.type)
        && (try? declaration.baseValue(of: declaration.type.value(fromText: word))) != nil
    }
    guard let taker = takers.first(where: \.isRequired) ?? takers.first else { return "" }
    return "; did you mean '\(taker.name)=\(word)'?"
  }

  /// The scenes that options of a stage refer to.
  private mutating func resolveSources(
    ofStage index: Int, _ declarations: [ParameterDeclaration], given members: [JSONValue.Member]
  ) {
    for declaration in declarations where declaration.type == .scene {
      let value =
        members.first { $0.key == declaration.name }?.value ?? declaration.defaultValue
      // Anything else than a text was reported as a fault of the option.
      guard let id = value.text else { continue }
      let place = PipelineDocument.Located(
        value: id, position: value.position,
        path: stages[index].entry.path["with"][declaration.name])
      if let origin = resolve(id: place, before: stages[index].entryIndex) {
        stages[index].sources[SceneReference(id)] = origin
      }
    }
  }

  private mutating func make(
    _ definition: StageDefinition, _ members: [JSONValue.Member], _ path: JSONPath,
    owner: SourcePosition
  ) -> any PreparedStage {
    var faults: [(name: String?, position: SourcePosition, message: String)] = []
    let stage = definition.prepared(with: members) { faults.append(($0, $1, $2)) }
    report(faults, of: "stage '\(definition.name)'", members, path, owner: owner)
    return stage
  }

  /// Reports decoding faults at the value, or at the options as a whole.
  mutating func report(
    _ faults: [(name: String?, position: SourcePosition, message: String)], of owner: String,
    _ members: [JSONValue.Member], _ path: JSONPath, owner ownerPosition: SourcePosition
  ) {
    for fault in faults {
      if let name = fault.name {
        report("'\(name)' of \(owner): \(fault.message)", at: fault.position, path[name])
      } else {
        let position = members.first?.keyPosition ?? ownerPosition
        report("\(owner): \(fault.message)", at: position, path)
      }
    }
  }

  /// The members with variables replaced, names and completeness checked.
  ///
  /// - Parameter elsewhere: The end of the message about an option that the owner lacks and others have.
  /// - Returns: Nil if a member is at fault, which is reported.
  mutating func resolve(
    options members: [JSONValue.Member], of owner: String, declared: [ParameterDeclaration],
    at path: JSONPath, owner ownerPosition: SourcePosition,
    elsewhere: (String) -> String? = { _ in nil }
  ) -> [JSONValue.Member]? {
    var result: [JSONValue.Member] = []
    var isComplete = true
    let names = declared.map(\.name)
    for member in members {
      let declaration = declared.first { $0.name == member.key }
      let value = substitute(member.value, at: path[member.key]).flatMap {
        content($0, of: declaration, asWritten: member.value, at: path[member.key])
      }
      if !names.contains(member.key) {
        isComplete = false
        let hint =
          elsewhere(member.key) ?? nameHint(member.key, among: names)
        let problem =
          names.isEmpty ? "\(owner) has no options" : "unknown option '\(member.key)' of \(owner)"
        report(problem + hint, at: member.keyPosition, path[member.key])
      } else if let value {
        result.append(.init(member.key, value, keyPosition: member.keyPosition))
      } else {
        isComplete = false
      }
    }
    for declaration in declared
    where declaration.isRequired && !members.contains(where: { $0.key == declaration.name }) {
      isComplete = false
      report(
        "\(owner) needs the option '\(declaration.name)': \(declaration.help)",
        at: ownerPosition, path)
    }
    return isComplete ? result : nil
  }

  /// All options in the order of their declaration, defaults included.
  static func complete(
    _ members: [JSONValue.Member], _ declarations: [ParameterDeclaration]
  ) -> [JSONValue.Member] {
    declarations.compactMap { declaration in
      let value = members.first { $0.key == declaration.name }?.value ?? declaration.defaultValue
      return value.content == .null ? nil : .init(declaration.name, value)
    }
  }
}
