import MeshpipeScene

/// The scenes of a run that stages and outputs still need.
struct NeededScenes {
  private var scenes: [ResolvedPipeline.Origin: Scene] = [:]
  /// The number of stages and outputs that still need each scene.
  private var uses: [ResolvedPipeline.Origin: Int] = [:]

  init(of pipeline: ResolvedPipeline) {
    for stage in pipeline.stages {
      for origin in stage.inputs + stage.sources.values { uses[origin, default: 0] += 1 }
    }
    for output in pipeline.outputs {
      for origin in output.origins { uses[origin, default: 0] += 1 }
    }
  }

  mutating func store(_ scene: consuming Scene, from origin: ResolvedPipeline.Origin) {
    // A scene that is no longer needed is freed here.
    if uses[origin, default: 0] > 0 { scenes[origin] = scene }
  }

  /// The scene from an origin; its last user gets the only reference, so that changing it copies
  /// nothing.
  mutating func take(_ origin: ResolvedPipeline.Origin) -> Scene {
    uses[origin, default: 0] -= 1
    let scene = uses[origin, default: 0] > 0 ? scenes[origin] : scenes.removeValue(forKey: origin)
    guard let scene else { preconditionFailure("a scene was used before it was made") }
    return scene
  }

  /// Counts a user of a scene that takes nothing of it.
  mutating func release(_ origin: ResolvedPipeline.Origin) {
    uses[origin, default: 0] -= 1
    if uses[origin, default: 0] <= 0 { scenes[origin] = nil }
  }

  /// The scenes of a stage's inputs, merged.
  mutating func takeInputs(of stage: ResolvedPipeline.ResolvedStage) -> Scene {
    var scene = take(stage.inputs[0])
    for origin in stage.inputs.dropFirst() { scene.append(take(origin)) }
    return scene
  }
}
