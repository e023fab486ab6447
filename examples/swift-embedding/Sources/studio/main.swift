import MeshpipeCommand
import MeshpipeKit

/// Moves the scene up.
struct Raise: Stage {
  static let summary = "Moves the scene up."
  static let discussion = "Cameras move with it."
  static let example = #"{ "use": "raise", "with": { "by": "5cm" } }"#

  struct Parameters: StageParameters {
    @Parameter("How far.", in: 0...10)
    var by = Length(meters: 0.01)
  }

  let parameters: Parameters
  init(_ parameters: Parameters) { self.parameters = parameters }

  func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let system = scene.coordinateSystem
    let distance = parameters.by.units(in: system)
    scene.apply(Transform(translation: system.up.vector * distance))
    try context.progress(1)
    return scene
  }
}

Command.main(stages: builtInStages + [Raise.self])
