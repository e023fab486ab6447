/// The steps of a run in the order in which they come, and how long each takes beside the others.
struct RunSteps {
  private(set) var weights: [Double] = [1]
  /// The number of each stage's step.
  private(set) var stageSteps: [Int] = []

  init(of pipeline: ResolvedPipeline) {
    // An output is written as soon as its scene is there.
    func outputs(of origin: ResolvedPipeline.Origin) -> [Double] {
      pipeline.outputs.filter { $0.from == origin }.map { _ in 1 }
    }
    weights += outputs(of: .input)
    for (index, stage) in pipeline.stages.enumerated() {
      stageSteps.append(weights.count)
      weights.append(stage.isEnabled ? stage.definition.relativeCost : 0)
      weights += outputs(of: .stage(index))
    }
    weights.append(1)
  }
}
