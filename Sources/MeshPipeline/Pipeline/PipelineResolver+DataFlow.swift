import MeshpipeBase
import MeshpipeScene

extension PipelineResolver {
  /// What is known about the scene at a point of the pipeline before the run.
  private struct Flow {
    /// The features that the scene may have.
    var possible: Set<SceneFeature>
    /// The features made by stages, with the stage's id, as long as they still exist.
    var made: [SceneFeature: String] = [:]
    /// The features certainly removed by a stage, with its id.
    var removed: [SceneFeature: String] = [:]
    /// The maps beside the model; all if that is not known.
    var maps: Set<SurfaceMap.Kind> = []
    /// The coordinate systems that the scene can have; empty if the input may have any.
    var systems: [CoordinateSystem] = []
  }

  mutating func checkDataFlow() {
    let input = inputFlow()
    var flows: [Flow] = []
    for index in stages.indices {
      let plan = stages[index]
      level = plan.level
      var before = joined(plan.inputs.map { flow(at: $0, input, flows) }, otherwise: input)
      if plan.isEnabled { checkNeeds(ofStage: plan, &before) }
      flows.append(plan.isEnabled ? effect(of: plan, on: before) : before)
    }
    for index in outputs.indices {
      let output = outputs[index]
      level = output.level
      guard let from = output.from, let format = output.format else { continue }
      let flow = flow(at: from, input, flows)
      checkLosses(of: output, in: format, flow)
      outputs[index].hasAxisWarning = checkAxes(of: output, in: format, flow)
    }
    level = nil
    warnOfUnusedResults()
    warnOfUnusedInputs()
  }

  private func flow(
    at origin: ResolvedPipeline.Origin, _ input: Flow, _ flows: [Flow]
  ) -> Flow {
    switch origin {
    case .input: input
    case .otherInput(let index):
      Flow(possible: otherInputs[index].format.canBring.union([.classification]))
    case .stage(let index): index < flows.count ? flows[index] : input
    }
  }

  private func inputFlow() -> Flow {
    var possible: Set<SceneFeature>
    var systems = Self.undeclaredSystems
    if let inputFormat {
      possible = inputFormat.canBring
      switch inputFormat.axes {
      case .fixed(let fixed): systems = [fixed]
      case .declared: systems = []
      case .undeclared, nil:
        if let declared = declaredSystem(by: inputFormat) { systems = [declared] }
      }
    } else if lacksMesh {
      (possible, systems) = ([], [])
    } else {
      possible = Set(SceneFeature.allCases)
    }
    // As when it is read, what the user says comes first.
    if !lacksMesh, let up = request.inputReading.up {
      systems = [CoordinateSystem.arkit.with(up: up)]
    }
    for mesh in otherMeshes { possible.formUnion(mesh.format.canBring) }
    for joined in joinedInputs { possible.formUnion(joined.format.canBring) }
    if !joinedInputs.isEmpty { possible.insert(.classification) }
    // Frames that were specified but not found are reported as such, once.
    if frames != nil || request.frames.isNamed { possible.formUnion(SceneFeature.ofCaptures) }
    if room != nil || request.room.isNamed { possible.insert(.room) }
    return Flow(possible: possible, systems: systems)
  }

  /// The coordinate systems of a file that specifies nothing: a phone's, unless the numbers of a grid or of floors turn out
  /// to be Z up.
  private static let undeclaredSystems = [
    CoordinateSystem.arkit, CoordinateSystem.arkit.with(up: .z),
  ]

  /// The coordinate system specified by the input.
  private func declaredSystem(by format: FormatReader) -> CoordinateSystem? {
    // Reading from a pipe here would consume its bytes.
    guard let inputPath, (try? FileSystem.status(of: inputPath))?.isRegularFile == true else {
      return nil
    }
    return format.coordinateSystem(of: inputPath)
  }

  /// What is known about several scenes merged into one.
  private func joined(_ flows: [Flow], otherwise: Flow) -> Flow {
    guard var result = flows.first else { return otherwise }
    for flow in flows.dropFirst() {
      result.possible.formUnion(flow.possible)
      result.maps.formUnion(flow.maps)
      result.made.merge(flow.made) { first, _ in first }
    }
    result.removed = result.removed.filter { feature, _ in
      flows.allSatisfy { $0.removed[feature] != nil }
    }
    return result
  }

  private func effect(of plan: StagePlan, on before: Flow) -> Flow {
    var flow = before
    let isCertain = plan.when == nil && plan.entry.onError == .fail
    for feature in plan.dataFlow.makes {
      flow.possible.insert(feature)
      flow.made[feature] = plan.id
      flow.removed[feature] = nil
    }
    if isCertain {
      for feature in plan.dataFlow.removes {
        if flow.possible.remove(feature) != nil { flow.removed[feature] = plan.id }
        flow.made[feature] = nil
      }
      if plan.dataFlow.removes.contains(.surfaceMaps) { flow.maps = [] }
    }
    if plan.dataFlow.makes.contains(.surfaceMaps) {
      flow.maps.formUnion(plan.stage?.surfaceMaps ?? Set(SurfaceMap.Kind.allCases))
    }
    if let stage = plan.stage {
      let turned = flow.systems.map { stage.outputCoordinateSystem(for: $0) }
      flow.systems = turned + (isCertain ? [] : flow.systems.filter { !turned.contains($0) })
    }
    return flow
  }

  // MARK: Needs

  private mutating func checkNeeds(ofStage plan: StagePlan, _ before: inout Flow) {
    var guarded = plan.when?.impliedFeatures ?? []
    // With a capture, `frames or depth` is for a stage that finds out which of them there are.
    if plan.when?.impliesCapture == true { guarded.formUnion(SceneFeature.ofCaptures) }
    for feature in plan.dataFlow.needs.sorted()
    where !before.possible.contains(feature) && !guarded.contains(feature) {
      let name = feature.rawValue
      let position = plan.entry.use?.position ?? plan.entry.position
      let path = plan.entry.use?.path ?? plan.entry.path
      if feature == .faces, before.possible.contains(.points), before.removed[feature] == nil,
        let maker = environment.stages.remedy(for: .pointsAlone)
      {
        let wayOut = SceneFault.wayOut(ofPointsAloneBy: maker)
        report("stage '\(plan.id)' needs faces, but \(wayOut)", at: position, path)
        // With a mesh, the stages and outputs after it are right.
        before.possible.insert(.faces)
        continue
      }
      let reason: String
      if let remover = before.removed[feature] {
        reason = "which stage '\(remover)' removes before it"
      } else if let inputFormat, let input = request.input {
        reason = "which no stage before it makes and '\(input)' (\(inputFormat.name)) can't hold"
      } else if lacksMesh, let input = request.input {
        reason = "which no stage before it makes, and '\(input)' has no mesh"
      } else {
        reason = "which no stage before it makes"
      }
      let source =
        feature == .room
        ? "name a file of RoomPlan with --room, "
        : SceneFeature.ofCaptures.contains(feature) ? "name a capture with --frames, " : ""
      // The file is right, and another value of the variable leaves the stage out.
      if let given = givenVariable(enabling: plan) {
        report(
          "stage '\(plan.id)', which runs with this value, needs \(name), \(reason); \(source)or omit the variable",
          at: given, JSONPath())
        continue
      }
      report(
        "stage '\(plan.id)' needs \(name), \(reason); \(source)guard it with "
          + "\"when\": \"\(name)\", or remove it", at: position, path)
    }
  }

  /// The argument that gave a variable on which it depends whether a stage runs; nil if none did.
  private func givenVariable(enabling plan: StagePlan) -> SourcePosition? {
    let names =
      (plan.entry.when?.value.variableNames ?? [])
      + (plan.entry.enabled?.value.texts.flatMap(\.variableNames) ?? [])
    return names.lazy.compactMap { givenPositions[$0] }.first
  }

  // MARK: Outputs

  private mutating func checkLosses(
    of output: OutputPlan, in format: FormatWriter, _ flow: Flow
  ) {
    let position = output.entry.file?.position ?? output.entry.position
    let path = output.entry.file?.path ?? output.entry.path
    let geometry: Set<SceneFeature> = [.faces, .points]
    let beside = SceneFeature.besideModels.intersection(format.keeps)
    if format.keeps.isDisjoint(with: geometry),
      let feature = beside.contains(.frames) ? .frames : beside.sorted().first
    {
      if let kind = output.path.flatMap({ SurfaceMap.Kind(ofFile: $0) }), !flow.maps.contains(kind),
        let maker = flow.made[.surfaceMaps]
      {
        return report(
          "stage '\(maker)' makes no \(kind.rawValue) map; add \"\(kind.rawValue)\" to its maps",
          at: position, path)
      }
      guard !flow.possible.contains(feature) else { return }
      let remedy =
        feature == .frames
        ? "the frames of a capture, but there are none; name a capture with --frames, or guard the output with "
          + "\"when\": \"frames\""
        : "the \(feature.words) that a stage makes, but none before it makes some"
      return report("\(format.name) holds \(remedy)", at: position, path)
    }
    let contents = flow.possible.intersection(geometry)
    // What its condition asks for is not there, so that it is never written.
    let isNeverWritten = output.when?.impliedFeatures.isSubset(of: flow.possible) == false
    if !contents.isEmpty, contents.isDisjoint(with: format.keeps), !isNeverWritten {
      let names = contents.sorted().map(\.rawValue).joined(separator: " or ")
      return report(
        "\(format.name) can't hold \(names), and there is nothing else to write", at: position, path
      )
    }
    for (feature, maker) in flow.made.sorted(by: { $0.key < $1.key })
    where !format.keeps.contains(feature) && feature != .surfaceMaps
      && !SceneFeature.ofMeasurements.contains(feature) && !output.entry.loses.contains(feature)
    {
      warn(
        "\(format.name) does not keep \(feature.rawValue), which stage '\(maker)' makes; "
          + "choose another format or write the scene before it", at: position, path)
    }
  }

  /// Warns if programs will assume another up axis than the scene certainly has; what only its numbers can tell is looked at
  /// when it is written.
  private mutating func checkAxes(
    of output: OutputPlan, in format: FormatWriter, _ flow: Flow
  ) -> Bool {
    guard case .undeclared(let usual) = format.axes else { return false }
    let ups = flow.systems.map { output.up ?? $0.up }
    guard let up = ups.first, ups.allSatisfy({ $0 == up }), up != usual.up else { return false }
    let position = output.entry.file?.position ?? output.entry.position
    let path = output.entry.file?.path ?? output.entry.path
    // An output given as an argument has no keys.
    let wayOut =
      position.line < 0
      ? environment.stages.remedy(for: .upAxis(usual.up)).map { "turn the scene with '\($0)'" }
      : "add \"up\": \"\(usual.up.rawValue)\" to this output"
    warn(
      AxisConvention.warning(of: up, in: format.name, assumed: usual.up, turning: wayOut),
      at: position, path)
    return true
  }

  /// Reading an input for nothing is wasted work.
  private mutating func warnOfUnusedInputs() {
    let used = stages.flatMap { $0.inputs + $0.sources.values } + outputs.flatMap(\.origins)
    for (index, input) in otherInputs.enumerated() where !used.contains(.otherInput(index)) {
      let id = document.inputs.first { $0.id?.value == input.id }?.id
      let message = "nothing uses the input '\(input.id ?? "")'"
      warn(message, at: id?.position ?? .none, id?.path ?? JSONPath())
    }
  }

  /// An unused branch is wasted work, unless it is there for its `expect`.
  private mutating func warnOfUnusedResults() {
    guard !outputs.isEmpty, outputs.allSatisfy({ $0.from != nil }) else { return }
    // A disabled output still uses its branch.
    var used = Set(document.outputs.compactMap { $0.from.flatMap { entryIndices[$0.value] } })
    for origin in stages.flatMap({ $0.inputs + $0.sources.values }) + outputs.flatMap(\.origins) {
      if case .stage(let index) = origin { used.insert(stages[index].entryIndex) }
    }
    for plan in stages
    where used.insert(plan.entryIndex).inserted && plan.expect == nil && plan.isEnabled {
      let place = plan.entry.id ?? plan.entry.use
      warn(
        "nothing uses the result of stage '\(plan.id)'",
        at: place?.position ?? plan.entry.position, place?.path ?? plan.entry.path)
    }
  }
}
