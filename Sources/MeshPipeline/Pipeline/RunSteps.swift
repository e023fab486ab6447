import MeshpipeBase

/// The time of a step.
struct StepMeasure {
  private let start = MonotonicClock.seconds

  /// Since the step began.
  func seconds() -> Double { MonotonicClock.seconds - start }
}

/// The steps of a run in order, with their relative durations.
struct RunSteps {
  private(set) var weights: [Double] = [1]
  /// The index of each stage's step.
  private(set) var stageSteps: [Int] = []

  init(of pipeline: ResolvedPipeline) {
    // An output is written as soon as its scene exists.
    func outputs(of origin: ResolvedPipeline.Origin) -> [Double] {
      pipeline.outputs.filter { $0.from == origin }.map { _ in 1 }
    }
    weights += outputs(of: .input)
    for index in pipeline.otherInputs.indices { weights += outputs(of: .otherInput(index)) }
    for (index, stage) in pipeline.stages.enumerated() {
      stageSteps.append(weights.count)
      weights.append(stage.isEnabled ? stage.definition.relativeCost : 0)
      weights += outputs(of: .stage(index))
    }
    weights.append(1)
  }
}
