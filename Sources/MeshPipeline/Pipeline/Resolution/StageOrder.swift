import MeshpipeBase

/// The ids of a document: of the entries of its stages, and of further inputs.
struct EntryIDs {
  /// The id of each entry of the document's stages: the declared one, or its name, with a number if that is taken.
  let ofStages: [String]
  /// The index of each entry by its id.
  let indices: [String: Int]
  /// The ids of further inputs.
  let ofInputs: [String]
  let findings: Findings

  init(_ use: PipelineUse, _ inputs: OtherInputs) {
    let entries = use.document.stages
    var findings = inputs.findings
    ofInputs = inputs.named.compactMap(\.id)
    var indices: [String: Int] = [:]
    for (index, entry) in entries.enumerated() {
      guard let id = entry.id else { continue }
      if ofInputs.contains(id.value) {
        findings.report("the id '\(id.value)' is already taken by an input", at: id)
      }
      if let first = indices[id.value] {
        let line = findings.source.locate(entries[first].id?.position ?? .none).position.line
        let hint = line > 0 ? "; the first is on line \(line)" : ""
        findings.report("the id '\(id.value)' is already taken\(hint)", at: id)
      } else {
        indices[id.value] = index
      }
    }
    var nextNumbers: [String: Int] = [:]
    var ids: [String] = []
    for (index, entry) in entries.enumerated() {
      let name = entry.use?.value ?? ""
      var id = entry.id?.value ?? name
      if entry.id == nil {
        var number = nextNumbers[name] ?? 2
        while indices[id] != nil || ofInputs.contains(id) {
          id = "\(name)-\(number)"
          number += 1
        }
        nextNumbers[name] = number
        indices[id] = index
      }
      ids.append(id)
    }
    ofStages = ids
    self.indices = indices
    self.findings = findings
  }
}

/// The stages in the order in which they run, and the scenes that ids stand for.
///
/// What does not depend on the level runs first and once, then the rest for each level.
struct StageOrder {
  /// An entry of the document's stages, as it runs in a level or once.
  struct Step {
    var entry: Int
    var level: String?
  }

  let steps: [Step]
  let ids: EntryIDs
  /// The levels that run.
  let runningLevels: [String]
  /// The index in ``steps`` of each entry in each level; nil as a level for what runs once.
  private let indices: [[String?: Int]]

  init(_ use: PipelineUse, bindings: Bindings, ids: EntryIDs, settings: OptionSettings) {
    let isLevelled = Self.levelledEntries(
      of: use, values: bindings.values, ids: ids, settings: settings)
    var steps: [Step] = []
    var indices = use.document.stages.map { _ in [String?: Int]() }
    for level in [nil] + bindings.levels.map({ Optional($0) }) {
      for entry in indices.indices where isLevelled[entry] == (level != nil) {
        indices[entry][level] = steps.count
        steps.append(Step(entry: entry, level: level))
      }
    }
    self.ids = ids
    runningLevels = bindings.levels
    self.steps = steps
    self.indices = indices
  }

  /// Whether each entry depends on the level: by its own texts, or because it takes the result of one that does.
  private static func levelledEntries(
    of use: PipelineUse, values: VariableValues, ids: EntryIDs, settings: OptionSettings
  ) -> [Bool] {
    var isLevelled: [Bool] = []
    for (index, entry) in use.document.stages.enumerated() {
      let settings = settings.ofStages[index] ?? []
      let taken =
        (entry.inputs?.map(\.value) ?? (index > 0 ? [ids.ofStages[index - 1]] : []))
        + sceneIDs(of: entry, settings, use, values)
      isLevelled.append(
        values.vary(in: entry.texts + settings.map(\.text))
          || settings.contains { $0.level != nil }
          || taken.contains { ids.indices[$0].map { $0 < index && isLevelled[$0] } ?? false })
    }
    return isLevelled
  }

  /// The ids in options that refer to scenes.
  private static func sceneIDs(
    of entry: StageEntry, _ settings: [OptionSetting], _ use: PipelineUse,
    _ values: VariableValues
  ) -> [String] {
    let parameters = entry.use.flatMap { use.environment.stages[$0.value]?.parameters } ?? []
    let names = parameters.filter { $0.type == .scene }.flatMap(\.allNames)
    let texts =
      entry.options.filter { names.contains($0.key) }.compactMap(\.value.text)
      + settings.filter { names.contains($0.option) }.map(\.text)
    return texts.map { text in
      text.variableNames.first.flatMap { values.common[$0]?.value.text } ?? text
    }
  }

  // MARK: Scenes

  /// Whether an entry runs for each level.
  func isLevelled(_ entry: Int) -> Bool { indices[entry][nil] == nil }

  /// The scene after an entry in a level; nil if it does not run.
  private func origin(after entry: Int, in level: String?) -> SceneOrigin? {
    (indices[entry][level] ?? indices[entry][nil]).map { .stage($0) }
  }

  /// The scene before an entry that does not name one, or after the last entry.
  func origin(before entry: Int, in level: String?) -> SceneOrigin? {
    entry == 0 ? .input : origin(after: entry - 1, in: level)
  }

  /// The scene for an id, for the entry at an index, or for an output after all of them.
  func origin(of id: WrittenText, before index: Int, _ evaluator: inout Evaluator) -> SceneOrigin? {
    if id.value == PipelineDocument.inputID { return .input }
    if let input = ids.ofInputs.firstIndex(of: id.value) { return .otherInput(input) }
    guard let target = ids.indices[id.value] else {
      let names = [PipelineDocument.inputID] + ids.ofInputs + ids.ofStages.prefix(index)
      evaluator.report(
        "unknown id '\(id.value)'" + nameHint(id.value, among: names), at: id)
      return nil
    }
    guard target < index else {
      evaluator.report(
        target == index
          ? "stage '\(id.value)' can't take its own result"
          : "'\(id.value)' comes later; a stage takes results of earlier stages only",
        at: id)
      return nil
    }
    return origin(after: target, in: evaluator.level)
  }

  /// The scenes that an entry takes.
  func inputs(of entry: StageEntry, at index: Int, _ evaluator: inout Evaluator) -> [SceneOrigin] {
    var origins: [SceneOrigin] = []
    var seen: Set<String> = []
    for id in entry.inputs ?? [] {
      if !seen.insert(id.value).inserted {
        evaluator.report("'\(id.value)' is named twice", at: id)
      } else if let origin = origin(of: id, before: index, &evaluator) {
        origins.append(origin)
      }
    }
    return origins.isEmpty ? [origin(before: index, in: evaluator.level) ?? .input] : origins
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
