import MeshpipeBase

extension PipelineDocument {
  /// Makes a runnable pipeline of the document, or finds every reason why that is impossible.
  ///
  /// No input is opened. A pipeline without outputs gets the request's one.
  public func resolve(
    in environment: PipelineEnvironment, for request: PipelineRequest = PipelineRequest()
  ) -> PipelineResolution {
    let use = PipelineUse(of: self, in: environment, for: request)
    let found = InputFiles(use)
    let bindings = Bindings(use, found)
    let further = OtherInputs(use, bindings)
    let stages = StagePlans(use, bindings, further)
    let outputs = OutputPlans(use, input: found, bindings: bindings, stages: stages)
    let companions = CompanionUse(stages, outputs)
    let input = InputFiles(found, of: use, usedBy: stages, outputs, companions)
    let others = OtherInputs(further, of: use, input: input, companions)
    let flow = DataFlow(
      use, input: input, bindings: bindings, inputs: others, stages: stages, outputs: outputs)
    let diagnostics = flow.findings.diagnostics(of: bindings.levels)
    let isFaulty = diagnostics.contains { $0.severity == .error }
    return PipelineResolution(
      pipeline: isFaulty
        ? nil
        : ResolvedPipeline(
          use, input: input, bindings: bindings, others: others, stages: stages, outputs: outputs,
          flow: flow),
      diagnostics: diagnostics, usesFrames: companions.frames, usesRoom: companions.room)
  }
}

/// The result of resolving a document in an environment: a runnable pipeline, or the reasons why
/// not.
public struct PipelineResolution: Sendable {
  /// Nil if there are errors.
  public var pipeline: ResolvedPipeline?
  /// All errors and warnings, in the order of the file, those of arguments last.
  public var diagnostics: [Diagnostic]
  /// Whether a part of the pipeline needs frames, so that those of the input are read.
  public var usesFrames: Bool
  /// Whether a part of the pipeline needs the room, likewise.
  package var usesRoom: Bool

  init(
    pipeline: ResolvedPipeline?, diagnostics: [Diagnostic], usesFrames: Bool, usesRoom: Bool
  ) {
    self.pipeline = pipeline
    self.diagnostics = diagnostics
    self.usesFrames = usesFrames
    self.usesRoom = usesRoom
  }

  /// The diagnostics of severity `error`, which prevent a run.
  public var errors: [Diagnostic] { diagnostics.filter { $0.severity == .error } }
  /// The diagnostics of severity `warning`.
  public var warnings: [Diagnostic] { diagnostics.filter { $0.severity == .warning } }

  /// The pipeline.
  ///
  /// - Throws: If there are errors.
  public func get() throws(InvalidPipeline) -> ResolvedPipeline {
    guard let pipeline else { throw InvalidPipeline(diagnostics) }
    return pipeline
  }
}

extension ResolvedPipeline {
  /// The pipeline of a use without errors.
  fileprivate init(
    _ use: PipelineUse, input: InputFiles, bindings: Bindings, others: OtherInputs,
    stages: StagePlans, outputs: OutputPlans, flow: DataFlow
  ) {
    let values = bindings.values
    func variables(in level: String?, where isMeant: (String) -> Bool) -> [ResolvedVariable] {
      use.document.variables.map(\.name).filter(isMeant).compactMap { name in
        values[name, in: level].map { ResolvedVariable(name: name, value: $0.value) }
      }
    }
    self.init(
      file: use.document.source.file, name: use.document.name,
      provenance: use.document.provenance, about: use.document.about, input: input.path,
      inputName: input.name(in: use), inputFormat: input.format,
      inputReading: use.request.inputReading, joined: others.joined, otherInputs: others.named,
      frames: input.frames, otherMeshes: input.otherMeshes,
      room: input.room, optionFiles: flow.findings.optionFiles.map(\.path),
      variables: variables(in: nil) { _ in true },
      levels: bindings.levels.map { level in
        ResolvedLevel(name: level, variables: variables(in: level, where: values.varying.contains))
      },
      remedy: { [stages = use.environment.stages] in stages.remedy(for: $0) },
      stages: stages.plans.map(\.stage),
      outputs: zip(outputs.plans, flow.hasAxisWarning).compactMap { plan, hasAxisWarning in
        var output = plan.output
        output?.hasAxisWarning = hasAxisWarning
        return output
      })
  }
}
