import MeshpipeBase
import MeshpipeScene

/// The check that stages have what they need and outputs what they hold: the last step of a resolution.
///
/// In: stages, outputs, and the input as far as they use it. Out: what is at fault, what is lost and what is done for
/// nothing, found before any input is opened.
struct DataFlow {
  /// For each output whether it is reported that programs will assume another up axis.
  let hasAxisWarning: [Bool]
  let findings: Findings

  init(
    _ use: PipelineUse, input: InputFiles, bindings: Bindings, inputs: OtherInputs,
    stages: StagePlans, outputs: OutputPlans
  ) {
    var evaluator = Evaluator(use, bindings.values, after: outputs.findings)
    evaluator.findings.add(input.diagnostics + inputs.diagnostics)
    let start = SceneFlow(
      of: input, joined: inputs.joined, otherMeshes: input.otherMeshes,
      for: use.request)
    var flows: [SceneFlow] = []
    func flow(at origin: SceneOrigin) -> SceneFlow {
      switch origin {
      case .input: start
      case .otherInput(let index): SceneFlow(of: inputs.named[index])
      case .stage(let index): index < flows.count ? flows[index] : start
      }
    }
    for plan in stages.plans {
      var before = SceneFlow(merging: plan.stage.inputs.map(flow)) ?? start
      if plan.stage.isEnabled {
        evaluator.within(plan.stage.level) { $0.checkNeeds(of: plan, input, &before) }
      }
      flows.append(before.after(plan.stage))
    }
    hasAxisWarning = outputs.plans.map { plan in
      guard let output = plan.output else { return false }
      let flow = flow(at: output.from)
      return evaluator.within(output.level) { evaluator in
        evaluator.checkContents(of: output, plan.target.location, flow)
        return evaluator.warnsOfAxes(of: output, plan.target.location, flow)
      }
    }
    evaluator.warnOfUnusedResults(stages, outputs)
    evaluator.warnOfUnusedInputs(inputs, stages, outputs)
    evaluator.warnOfUnusedVariables(bindings)
    findings = evaluator.findings
  }
}

extension Evaluator {
  // MARK: Needs

  fileprivate mutating func checkNeeds(
    of plan: StagePlan, _ input: InputFiles, _ before: inout SceneFlow
  ) {
    let stage = plan.stage
    var guarded = stage.when?.impliedFeatures ?? []
    // With a capture, `frames or depth` is for a stage that finds out which of them there are.
    if stage.when?.impliesCapture == true { guarded.formUnion(SceneFeature.ofCaptures) }
    for feature in stage.definition.dataFlow.needs.sorted()
    where !before.possible.contains(feature) && !guarded.contains(feature) {
      if feature == .faces, before.possible.contains(.points), before.removed[feature] == nil,
        let maker = use.environment.stages.remedy(for: .pointsAlone)
      {
        let wayOut = SceneFault.wayOut(ofPointsAloneBy: maker)
        report("stage '\(stage.ownID)' needs faces, but \(wayOut)", at: plan.location)
        // With a mesh, the stages and outputs after it are right.
        before.possible.insert(.faces)
        continue
      }
      let reason = reasonOfLack(of: feature, before, input)
      let source =
        feature == .room
        ? "name a file of RoomPlan with --room, "
        : feature == .photographs
          ? "name a folder of photographs as the input, "
          : SceneFeature.ofCaptures.contains(feature) ? "name a capture with --frames, " : ""
      let problem = "needs \(feature.rawValue), \(reason); \(source)"
      // The file is right, and another value of the variable leaves the stage out.
      if let given = argument(enabling: plan) {
        report(
          "stage '\(stage.ownID)', which runs with this value, \(problem)or omit the variable",
          at: DocumentLocation(given))
      } else {
        report(
          "stage '\(stage.ownID)' \(problem)guard it with \"when\": \"\(feature.rawValue)\", or remove it",
          at: plan.location)
      }
    }
  }

  private func reasonOfLack(
    of feature: SceneFeature, _ before: SceneFlow, _ input: InputFiles
  ) -> String {
    if let remover = before.removed[feature] { return "which stage '\(remover)' removes before it" }
    let path = use.request.input
    if let format = input.format, let path {
      return "which no stage before it makes and '\(path)' (\(format.name)) can't hold"
    }
    if input.lacksMesh, let path {
      return "which no stage before it makes, and '\(path)' has no mesh"
    }
    return "which no stage before it makes"
  }

  /// The argument that gave a variable on which it depends whether a stage runs; nil if none did.
  private func argument(enabling plan: StagePlan) -> SourcePosition? {
    let names =
      (plan.entry.when?.value.variableNames ?? [])
      + (plan.entry.enabled?.value.texts.flatMap(\.variableNames) ?? [])
    return names.lazy.compactMap { values[$0, in: level]?.argument }.first
  }

  // MARK: Outputs

  /// Reports an output that holds nothing, and what is lost in it.
  fileprivate mutating func checkContents(
    of output: ResolvedOutput, _ location: DocumentLocation,
    _ flow: SceneFlow
  ) {
    let format = output.format
    let beside = format.featuresBesideModels
    let problem =
      beside.isEmpty
      ? problem(withGeometryOf: output, flow) : problem(with: output, holding: beside, flow)
    if let problem { return report(problem, at: location) }
    guard beside.isEmpty else { return }
    for (feature, maker) in flow.made.sorted(by: { $0.key < $1.key })
    where !format.keeps.contains(feature) && feature != .surfaceMaps
      && !SceneFeature.ofMeasurements.contains(feature) && !output.loses.contains(feature)
    {
      warn(
        "\(format.name) does not keep \(feature.rawValue), which stage '\(maker)' makes; "
          + "choose another format or write the scene before it", at: location)
    }
  }

  private func problem(
    with output: ResolvedOutput, holding features: [SceneFeature], _ flow: SceneFlow
  ) -> String? {
    if let kind = SurfaceMap.Kind(ofFile: output.path), !flow.maps.contains(kind),
      let maker = flow.made[.surfaceMaps]
    {
      return "stage '\(maker)' makes no \(kind.rawValue) map; add \"\(kind.rawValue)\" to its maps"
    }
    if !flow.possible.isDisjoint(with: features) { return nil }
    if features.contains(.frames) {
      return
        "\(output.format.name) holds the frames of a capture, but there are none; name a capture with --frames, "
        + "or guard the output with \"when\": \"frames\""
    }
    let stages = use.environment.stages
    let makers = stages.names.filter {
      stages[$0]?.dataFlow.makes.isDisjoint(with: features) == false
    }
    let wayOut =
      makers.isEmpty
      ? "" : "; put \(makers.map { "'\($0)'" }.joined(separator: " or ")) before it"
    let words = features.map(\.words).joined(separator: " or ")
    return
      "\(output.format.name) holds the \(words) that a stage makes, but none before it makes some\(wayOut)"
  }

  private func problem(withGeometryOf output: ResolvedOutput, _ flow: SceneFlow) -> String? {
    let contents = flow.possible.intersection(SceneFeature.geometry)
    // What its condition asks for is not there, so that it is never written.
    let isNeverWritten = output.when?.impliedFeatures.isSubset(of: flow.possible) == false
    guard !contents.isEmpty, contents.isDisjoint(with: output.format.keeps), !isNeverWritten
    else { return nil }
    let names = contents.sorted().map(\.rawValue).joined(separator: " or ")
    return "\(output.format.name) can't hold \(names), and there is nothing else to write"
  }

  /// Warns if programs will assume another up axis than the scene certainly has; what only its numbers can tell is
  /// looked at when it is written.
  fileprivate mutating func warnsOfAxes(
    of output: ResolvedOutput, _ location: DocumentLocation,
    _ flow: SceneFlow
  ) -> Bool {
    guard case .undeclared(let usual) = output.format.axes else { return false }
    let ups = flow.systems.map { output.up ?? $0.up }
    guard let up = ups.first, ups.allSatisfy({ $0 == up }), up != usual.up else { return false }
    // An output given as an argument has no keys.
    let wayOut =
      location.position.isArgument
      ? use.environment.stages.remedy(for: .upAxis(usual.up)).map { "turn the scene with '\($0)'" }
      : "add \"up\": \"\(usual.up.rawValue)\" to this output"
    warn(
      AxisConvention.warning(of: up, in: output.format.name, assumed: usual.up, turning: wayOut),
      at: location)
    return true
  }

  // MARK: Wasted work

  /// Reading an input for nothing is wasted work.
  fileprivate mutating func warnOfUnusedInputs(
    _ inputs: OtherInputs, _ stages: StagePlans, _ outputs: OutputPlans
  ) {
    let used = stages.origins + outputs.origins
    for (index, input) in inputs.named.enumerated() where !used.contains(.otherInput(index)) {
      let id = use.document.inputs.first { $0.id?.value == input.id }?.id
      warn(
        "nothing uses the input '\(input.id ?? "")'", at: id?.location ?? DocumentLocation(.none))
    }
  }

  fileprivate mutating func warnOfUnusedVariables(_ bindings: Bindings) {
    // Without a level nothing was looked at that depends on one.
    guard use.document.levels.isEmpty || !bindings.levels.isEmpty else { return }
    for variable in use.document.variables where !findings.usedVariables.contains(variable.name) {
      warn("variable '\(variable.name)' is never used", at: variable)
    }
  }

  /// An unused branch is wasted work, unless it is there for its `expect`.
  fileprivate mutating func warnOfUnusedResults(_ stages: StagePlans, _ outputs: OutputPlans) {
    guard !outputs.plans.isEmpty, outputs.plans.allSatisfy({ !$0.target.origins.isEmpty })
    else { return }
    // A disabled output still uses its branch.
    var used = Set(
      use.document.outputs.compactMap { $0.from.flatMap { stages.order.ids.indices[$0.value] } })
    for origin in stages.origins + outputs.origins {
      if case .stage(let index) = origin { used.insert(stages.plans[index].entryIndex) }
    }
    for plan in stages.plans
    where used.insert(plan.entryIndex).inserted && plan.stage.expect == nil && plan.stage.isEnabled
    {
      warn(
        "nothing uses the result of stage '\(plan.stage.ownID)'",
        at: plan.entry.id?.location ?? plan.location)
    }
  }
}

extension SceneFeature {
  /// What a model shows.
  static let geometry: Set<SceneFeature> = [.faces, .points]
}

extension FormatWriter {
  /// What the format holds if it holds no model; empty if it holds one.
  fileprivate var featuresBesideModels: [SceneFeature] {
    guard keeps.isDisjoint(with: SceneFeature.geometry) else { return [] }
    let beside = SceneFeature.besideModels.intersection(keeps)
    return beside.contains(.frames) ? [.frames] : beside.sorted()
  }
}
