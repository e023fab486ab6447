import MeshpipeBase

extension PipelineDocument {
  /// Makes a runnable pipeline of the document, or finds every reason why that is impossible.
  ///
  /// No input is opened. A pipeline without outputs gets the request's one.
  public func resolve(
    in environment: PipelineEnvironment, for request: PipelineRequest = PipelineRequest()
  ) -> PipelineResolution {
    let use = PipelineUse(of: self, in: environment, for: request)
    let files = InputFiles(use)
    let bindings = Bindings(use, files)
    let inputs = OtherInputs(use, bindings)
    let stages = StagePlans(use, bindings, inputs)
    let outputs = OutputPlans(use, files, bindings, stages)
    let companions = CompanionUse(stages, outputs)
    let input = InputFiles(files, of: use, usedBy: stages, outputs, companions)
    let flow = DataFlow(use, input, bindings, inputs, stages, outputs)
    let diagnostics = flow.findings.diagnostics(of: bindings.levels)
    let isFaulty = diagnostics.contains { $0.severity == .error }
    return PipelineResolution(
      pipeline: isFaulty
        ? nil : ResolvedPipeline(use, input, bindings, inputs, stages, outputs, flow),
      diagnostics: diagnostics, usesFrames: companions.frames, usesRoom: companions.room)
  }
}

extension ResolvedPipeline {
  /// The pipeline of a use without errors.
  fileprivate init(
    _ use: PipelineUse, _ input: InputFiles, _ bindings: Bindings, _ inputs: OtherInputs,
    _ stages: StagePlans, _ outputs: OutputPlans, _ flow: DataFlow
  ) {
    let values = bindings.values
    func variables(in level: String?, where isMeant: (String) -> Bool) -> [ResolvedVariable] {
      use.document.variables.map(\.name).filter(isMeant).compactMap { name in
        values[name, in: level].map { ResolvedVariable(name: name, value: $0.value) }
      }
    }
    self.init(
      file: use.document.source.file, about: use.document.about, input: input.path,
      inputName: input.name(in: use), inputFormat: input.format,
      inputReading: use.request.inputReading, joined: inputs.joined, otherInputs: inputs.named,
      frames: input.frames, otherMeshes: input.otherMeshes(in: use, except: outputs),
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
