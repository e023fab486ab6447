import MeshpipeBase
import MeshpipeScene

/// The work of a stage on its scene: whether it runs, on which part of the scene, and what happens if it fails.
struct StageExecution {
  let stage: ResolvedPipeline.ResolvedStage
  let context: StageContext

  /// Runs the stage, unless its condition is false.
  ///
  /// - Returns: The scene after it, which is the same if it was skipped.
  func run(on scene: consuming Scene) throws -> (Scene, RunReport.Outcome) {
    try context.checkCancellation()
    if let reason = stage.reasonToSkip { return (scene, .skipped(reason)) }
    if let when = stage.when, let shortfall = when.shortfallIfFalse(in: scene) {
      return (scene, .skipped(shortfall))
    }
    try stage.checkLengths(on: scene)
    // Only a scene that may be needed again is kept, since the stage's changes then copy it.
    guard stage.onError == .skip else { return try work(on: consume scene) }
    let before = copy scene
    do {
      return try work(on: consume scene)
    } catch let error as Cancelled {
      throw error
    } catch {
      let message = Self.message(of: error)
      context.warn("failed and was skipped: \(message)")
      return (before, .failed(message))
    }
  }

  /// Runs the stage on the whole scene, or on its part given by `where`.
  private func work(on scene: consuming Scene) throws -> (Scene, RunReport.Outcome) {
    func result(on scene: consuming Scene) throws -> Scene {
      try RefusedSplats.check(stage.stage, needs: stage.definition.dataFlow.needs, scene)
      return try stage.stage.run(consume scene, in: context)
    }
    guard let scope = stage.scope else { return (try result(on: consume scene), .done) }
    let (part, rest) = scope.split(consume scene)
    guard let part else {
      let names = scope.names.map { "'\($0)'" }.joined(separator: " or ")
      return (rest, .skipped("there is no class or mesh named \(names)"))
    }
    return (scope.join(try result(on: part), rest), .done)
  }

  /// An error in words; one that is not for users is a fault of the program.
  static func message(of error: any Error) -> String {
    (error as? any UserError)?.message ?? "internal error: \(error)"
  }
}

extension ResolvedPipeline.ResolvedStage {
  /// Throws an ``UnmetExpectation`` if the result is not as the pipeline expects it.
  func checkExpectation(
    of report: RunReport.StageReport, on scene: Scene, in pipeline: ResolvedPipeline
  ) throws {
    guard report.outcome == .done, let expect,
      let explanation = expect.explanationIfFalse(for: scene, notes: report.notes)
    else { return }
    let isPointsAlone = scene.faceCount == 0 && scene.pointCount > 0
    let remedy = isPointsAlone ? pipeline.remedy(.pointsAlone) : nil
    throw UnmetExpectation(
      stage: id, condition: expect.text, explanation: explanation,
      wayOut: remedy.map(SceneFault.wayOut(ofPointsAloneBy:)))
  }
}
