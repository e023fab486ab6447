import MeshpipeBase
import MeshpipeScene

/// The stages as they run: the fourth step of a resolution.
///
/// In: the entries of the document with values of variables, and the settings of the request. Out: a stage with its
/// options and scenes for each entry, in each level on which it depends.
struct StagePlans {
  /// In the order in which they run.
  let plans: [StagePlan]
  let order: StageOrder
  /// The settings of outputs.
  let outputSettings: [OptionSetting]
  let findings: Findings

  init(_ use: PipelineUse, _ bindings: Bindings, _ inputs: OtherInputs) {
    let ids = EntryIDs(use, inputs)
    let settings = OptionSettings(use, ids)
    let order = StageOrder(use, bindings: bindings, ids: ids, settings: settings)
    var evaluator = Evaluator(use, bindings.values, after: settings.findings)
    let plans = order.steps.map { step in
      evaluator.within(step.level) { StagePlan(step, in: order, settings, &$0) }
    }
    let selection = Self.selection(of: use.request, ids, &evaluator.findings)
    self.plans = plans.map { selection.contains($0.entryIndex) ? $0 : $0.disabled }
    self.order = order
    outputSettings = settings.ofOutputs
    findings = evaluator.findings
  }

  /// The entries from `--from` to `--to`.
  private static func selection(
    of request: PipelineRequest, _ ids: EntryIDs, _ findings: inout Findings
  ) -> Range<Int> {
    func index(_ id: String?, _ option: String) -> Int? {
      guard let id else { return nil }
      let location = findings.location(ofArgument: "\(option) \(id.shellQuoted)")
      if let index = ids.indices[id] { return index }
      findings.report("unknown stage '\(id)'" + nameHint(id, among: ids.ofStages), at: location)
      return nil
    }
    let first = index(request.firstStage, "--from") ?? 0
    let last = index(request.lastStage, "--to") ?? ids.ofStages.count - 1
    _ = index(request.rerunFrom, "--rerun-from")
    return first..<max(first, last + 1)
  }

  /// The scenes that stages take, and to which their options refer.
  var origins: [SceneOrigin] {
    plans.flatMap { $0.stage.inputs + $0.stage.sources.values }
  }
}

/// A stage as it runs in a level or once, with what the document says of it.
struct StagePlan {
  let entry: StageEntry
  /// The index of the entry in the document.
  let entryIndex: Int
  /// Whether there is a stage of that name.
  let isKnown: Bool
  /// With stand-ins for what is at fault.
  private(set) var stage: ResolvedStage

  /// Where the name of the stage stands.
  var location: DocumentLocation { entry.use?.location ?? entry.location }

  /// The same plan, with the stage passing its scene on.
  var disabled: StagePlan {
    var plan = self
    plan.stage.isEnabled = false
    return plan
  }

  init(
    _ step: StageOrder.Step, in order: StageOrder, _ settings: OptionSettings,
    _ evaluator: inout Evaluator
  ) {
    let use = evaluator.use
    entry = use.document.stages[step.entry]
    entryIndex = step.entry
    let id = order.ids.ofStages[step.entry]
    let inputs = order.inputs(of: entry, at: step.entry, &evaluator)
    let when = evaluator.condition(entry.when)
    let scope = evaluator.scope(entry.scope)
    let isEnabled = evaluator.flag(entry.enabled) && when?.isNeverTrue != true
    let note = evaluator.text(entry.note) ?? ""
    let name = entry.use?.value ?? ""
    let definition = entry.use.flatMap { use.environment.stages[$0.value] }
    isKnown = definition != nil
    let expect = evaluator.condition(entry.expect, figures: definition?.figures ?? [])
    stage = ResolvedStage(
      id: step.level.map { "\($0).\(id)" } ?? id, level: step.level, name: name,
      definition: definition ?? .unknown, stage: UnpreparedStage(), options: [], inputs: inputs,
      sources: [:], when: when, scope: scope, expect: expect, onError: entry.onError,
      isOptional: entry.isOptional, isEnabled: isEnabled, note: note)
    if let written = entry.use, definition == nil {
      evaluator.reportUnknown(written)
      evaluator.skip(entry.options, at: entry.path["with"])
    } else if definition != nil {
      prepare(with: settings.ofStage(entryIndex, in: step.level), order, &evaluator)
    }
  }

  /// Gives the stage its options, and the scenes to which they refer.
  private mutating func prepare(
    with settings: [OptionSetting], _ order: StageOrder, _ evaluator: inout Evaluator
  ) {
    let definition = stage.definition
    var owner = OptionOwner(
      name: "stage '\(stage.name)'", declarations: definition.parameters,
      position: entry.position, path: entry.path["with"],
      elsewhere: { option in definition.formerOptions[option].map { "; it \($0)" } })
    for word in entry.bareWords {
      evaluator.report(
        "expected name=value, found '\(word)'" + owner.hint(onBareWord: word), at: owner)
    }
    let texts = entry.textOptions.map {
      OptionSetting(option: $0.name, text: $0.text, position: $0.position)
    }
    let written = evaluator.override(
      evaluator.renamed(entry.options, of: &owner),
      with: evaluator.renamed(texts, of: &owner) + evaluator.renamed(settings, of: &owner),
      of: owner)
    guard let options = evaluator.options(written, of: owner) else { return }
    owner.position = location.position
    stage.stage = evaluator.prepare(options, of: owner) {
      definition.prepared(with: $0, report: $1)
    }
    for declaration in owner.declarations {
      let value = options.first { $0.key == declaration.name }?.value ?? declaration.defaultValue
      if value.content != .null { stage.options.append(.init(declaration.name, value)) }
      // Anything else than a text was reported as a fault of the option.
      guard declaration.type == .scene, let id = value.text else { continue }
      let written = PipelineDocument.Located(
        value: id, position: value.position, path: owner.path[declaration.name])
      if let origin = order.origin(of: written, before: entryIndex, &evaluator) {
        stage.sources[SceneReference(id)] = origin
      }
    }
  }
}

extension Evaluator {
  /// The part of the scene that a stage works on.
  fileprivate mutating func scope(_ written: WrittenValue?) -> StageScope? {
    guard let written, let value = value(written.value, at: written.path) else { return nil }
    let texts = value.text.map { [$0] } ?? value.elements.compactMap(\.text)
    guard !texts.isEmpty, value.text != nil || texts.count == value.elements.count else {
      report(
        "expected the name of a class or of a mesh, or an array of names", at: written)
      return nil
    }
    return StageScope(names: texts)
  }

  fileprivate mutating func reportUnknown(_ name: WrittenText) {
    let stages = use.environment.stages
    let hint =
      stages.advice(name.value).map { "; \($0)" }
      ?? stages.explanation(forAbsent: name.value).map { ": \($0)" }
      ?? stages.nearestName(to: name.value).map { "; did you mean '\($0)'?" }
      ?? nameHint(name.value, among: stages.names)
    report("unknown stage '\(name.value)'" + hint, at: name, exitCode: .unavailable)
  }
}

extension OptionOwner {
  /// The option that a word was meant as: the one of that name, or the first that takes it as its value, a required
  /// one before others.
  fileprivate func hint(onBareWord word: String) -> String {
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
}

extension StageDefinition {
  /// Stands in for a stage that there is not.
  fileprivate static let unknown = StageDefinition(
    name: "", summary: "", discussion: "", example: "", parameters: [], dataFlow: StageDataFlow(),
    origin: nil
  ) { _, _ in UnpreparedStage() }
}

/// Stands in for a stage at fault, so that the rest of the pipeline can be checked; a pipeline with it never runs.
private struct UnpreparedStage: PreparedStage {
  /// Any, so that no output is reported to lack one.
  var surfaceMaps: Set<SurfaceMap.Kind> { Set(SurfaceMap.Kind.allCases) }

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    preconditionFailure("a pipeline with errors is not run")
  }
}
