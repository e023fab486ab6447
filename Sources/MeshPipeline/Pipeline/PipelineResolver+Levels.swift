import MeshpipeBase

extension PipelineResolver {
  /// A level of this use.
  struct LevelPlan {
    var name: String
    /// The value of every variable in it.
    var bindings: [String: Binding]
  }

  /// The values of variables where the resolver is.
  var currentBindings: [String: Binding] {
    levels.first { $0.name == level }?.bindings ?? bindings
  }

  /// The variables whose values may differ between levels, whichever of them run.
  var levelVariables: Set<String> {
    guard !document.levels.isEmpty else { return [] }
    var names: Set<String> = [PipelineDocument.levelVariable]
    for level in document.levels { names.formUnion(level.values.map(\.key)) }
    for values in givenInLevels.values { names.formUnion(values.keys) }
    return names
  }

  // MARK: Values

  /// Chooses the levels of this use and gives each its values.
  ///
  /// A value of a level replaces the default; one given for all levels replaces both, and one given for this level
  /// everything.
  mutating func bindLevels() {
    levels = selectedLevels().map(plan)
    if levels.isEmpty { usedVariables.formUnion(levelVariables) }
  }

  private func plan(_ level: PipelineDocument.Level) -> LevelPlan {
    var plan = LevelPlan(name: level.name, bindings: bindings)
    for member in level.values where !givenVariables.contains(member.key) {
      guard let variable = document.variables.first(where: { $0.name == member.key }) else {
        continue
      }
      plan.bindings[member.key] = Binding(type: variable.type, value: member.value)
    }
    plan.bindings.merge(givenInLevels[level.name] ?? [:]) { _, given in given }
    plan.bindings[PipelineDocument.levelVariable] = Binding(
      type: .string, value: JSONValue(.string(level.name)))
    return plan
  }

  func hasValueInEveryLevel(_ variable: PipelineDocument.Variable) -> Bool {
    !document.levels.isEmpty
      && document.levels.allSatisfy { level in
        level.values.contains { $0.key == variable.name }
          || givenInLevels[level.name]?[variable.name] != nil
      }
  }

  private mutating func selectedLevels() -> [PipelineDocument.Level] {
    guard !request.levels.isEmpty else {
      let enabled = document.levels.filter { $0.enabled.map { isEnabled($0) } ?? true }
      if enabled.isEmpty, !document.levels.isEmpty {
        let names = document.levels.map(\.name).joined(separator: ", ")
        reportArgument("no level is enabled; choose one with --level: \(names)")
      }
      return enabled
    }
    for name in request.levels {
      _ = isLevel(name, at: source.add(argument: "--level \(name.shellQuoted)"))
    }
    return document.levels.filter { request.levels.contains($0.name) }
  }

  /// Whether a level has this name; otherwise that is reported.
  mutating func isLevel(_ name: String, at position: SourcePosition) -> Bool {
    let names = document.levels.map(\.name)
    if names.contains(name) { return true }
    report(
      names.isEmpty
        ? "the pipeline has no levels"
        : "unknown level '\(name)'" + nameHint(name, among: names),
      at: position, JSONPath())
    return false
  }

  // MARK: Stages

  /// Plans what runs once, and after it the rest for each level.
  mutating func planStages(_ settings: [Int: [Setting]]) {
    let isLevelled = levelledEntries(settings)
    planIndices = document.stages.map { _ in [:] }
    for name in [nil] + levels.map({ Optional($0.name) }) {
      for (index, entry) in document.stages.enumerated() where isLevelled[index] == (name != nil) {
        planIndices[index][name] = stages.count
        stages.append(
          StagePlan(
            entry: entry, entryIndex: index, id: entryIDs[index], level: name,
            name: entry.use?.value ?? ""))
      }
    }
  }

  /// Whether each entry depends on the level: by its own texts, or because it takes the result of one that does.
  private func levelledEntries(_ settings: [Int: [Setting]]) -> [Bool] {
    var isLevelled: [Bool] = []
    guard !document.levels.isEmpty else { return document.stages.map { _ in false } }
    for (index, entry) in document.stages.enumerated() {
      let settings = settings[index] ?? []
      var ids = entry.inputs?.map(\.value) ?? (index > 0 ? [entryIDs[index - 1]] : [])
      ids += sceneIDs(of: entry, settings)
      isLevelled.append(
        mentionsLevel(entry.texts + settings.map(\.text)) || settings.contains { $0.level != nil }
          || ids.contains { id in
            entryIndices[id].map { $0 < index && isLevelled[$0] } ?? false
          })
    }
    return isLevelled
  }

  /// The ids in options that refer to scenes.
  private func sceneIDs(
    of entry: PipelineDocument.StageEntry, _ settings: [Setting]
  ) -> [String] {
    guard let use = entry.use, let definition = environment.stages[use.value] else { return [] }
    let names = definition.parameters.filter { $0.type == .scene }.map(\.name)
    let texts =
      entry.options.filter { names.contains($0.key) }.compactMap(\.value.text)
      + settings.filter { names.contains($0.option) }.map(\.text)
    return texts.map { text in
      text.variableNames.first.flatMap { bindings[$0]?.value.text } ?? text
    }
  }

  private func mentionsLevel(_ texts: [String]) -> Bool {
    let names = texts.flatMap(\.variableNames)
    return !names.isEmpty && !levelVariables.isDisjoint(with: names)
  }

  // MARK: Outputs

  /// The levels for which an output is written; nil for one that is written once.
  mutating func levels(of entry: PipelineDocument.OutputEntry) -> [String?] {
    if entry.levels?.value == .together { return [nil] }
    let source =
      entry.from.map { entryIndices[$0.value] } ?? (entryIDs.isEmpty ? nil : entryIDs.count - 1)
    let takesLevel = source.map { planIndices[$0][nil] == nil } ?? false
    guard takesLevel || mentionsLevel(entry.texts) else { return [nil] }
    let names = levels.map { Optional($0.name) }
    return haveOwnPaths(entry) ? names : Array(names.prefix(1))
  }

  /// The scenes of all levels for an output that holds them together.
  mutating func originsOfLevels(
    of entry: PipelineDocument.OutputEntry
  ) -> [ResolvedPipeline.Origin] {
    if document.levels.isEmpty, let place = entry.levels {
      report("the pipeline has no levels", at: place.position, place.path)
    }
    var origins: [ResolvedPipeline.Origin] = []
    for plan in levels {
      level = plan.name
      if let origin = origin(of: entry), !origins.contains(origin) { origins.append(origin) }
    }
    level = nil
    if levels.count > 1, origins.count == 1, let place = entry.levels {
      warn(
        "the scene is the same in all levels, so that the file has one", at: place.position,
        place.path)
    }
    return origins
  }

  /// Whether every level has its own path for an output; otherwise that is reported.
  private mutating func haveOwnPaths(_ entry: PipelineDocument.OutputEntry) -> Bool {
    guard let file = entry.file else { return true }
    // The levels of a file must differ even if only one of them runs now.
    var probe = self
    if !document.outputs.isEmpty { probe.levels = document.levels.map(plan) }
    var names: [String: String] = [:]
    for plan in probe.levels {
      probe.level = plan.name
      guard entry.enabled.map({ probe.isEnabled($0) }) ?? true,
        let path = probe.substitute(text: file.value, at: file.position, file.path)
      else { continue }
      if let other = names.updateValue(plan.name, forKey: path) {
        report(
          "the levels '\(other)' and '\(plan.name)' would write the same file; "
            + (document.outputs.isEmpty
              ? "choose one with --level, or add 'outputs' with '${level}' in their paths"
              : "add '${level}' to the path"),
          at: file.position, file.path)
        return false
      }
    }
    return true
  }

  // MARK: Diagnostics

  /// Reports each mistake once; those that not all levels have, with the names of the levels.
  mutating func mergeLevelDiagnostics() {
    var merged: [(diagnostic: Diagnostic, levels: [String])] = []
    for (level, diagnostic) in levelDiagnostics {
      if let index = merged.firstIndex(where: { $0.diagnostic == diagnostic }) {
        if !merged[index].levels.contains(level) { merged[index].levels.append(level) }
      } else {
        merged.append((diagnostic, [level]))
      }
    }
    for (diagnostic, names) in merged {
      var diagnostic = diagnostic
      if names.count < levels.count {
        let list = names.map { "'\($0)'" }.joined(separator: ", ")
        diagnostic.message += " (level\(names.count > 1 ? "s" : "") \(list))"
      }
      diagnostics.append(diagnostic)
    }
    levelDiagnostics = []
  }
}

extension PipelineDocument.StageEntry {
  /// All texts in which variables are replaced.
  fileprivate var texts: [String] {
    [when, expect, note].compactMap { $0?.value }
      + [scope, enabled].compactMap { $0?.value }.flatMap(\.texts)
      + options.flatMap(\.value.texts) + textOptions.map(\.text)
  }
}

extension PipelineDocument.OutputEntry {
  /// All texts in which variables are replaced.
  fileprivate var texts: [String] {
    [file, format, up, when, note].compactMap { $0?.value }
      + (enabled?.value.texts ?? []) + options.flatMap(\.value.texts)
  }
}
