import MeshpipeBase
package import MeshpipeScene

/// A stage got Gaussian splats, which it can't work on.
package struct RefusedSplats: StageFailure, Equatable {
  var count: Int
  var reason: String
  /// Whether the scene has something else, on which the stage may work.
  var isMixed: Bool

  package var message: String {
    let others = isMixed ? "'where' names what else to work on, and " : ""
    return """
      this makes no sense for the \(NumberText.grouped(count)) Gaussian splats: \(reason); \(others)an output of points, \
      such as LAS or XYZ, makes plain ones of them
      """
  }

  /// - Returns: Nil if the scene has no splats.
  private init?(_ scene: borrowing Scene, _ reason: String) {
    count = scene.splatCount
    guard count > 0 else { return nil }
    self.reason = reason
    isMixed = scene.vertexCount + scene.pointCount > count
  }

  /// Throws if a stage objects to the splats of its scene.
  static func check(
    _ stage: any PreparedStage, needs: Set<SceneFeature>, _ scene: borrowing Scene
  ) throws(RefusedSplats) {
    if let reason = stage.objectionToSplats, let refused = RefusedSplats(scene, reason) {
      throw refused
    }
    if needs.contains(.faces) { try check(scene, work: "work on") }
  }

  /// Throws if there are splats and no faces.
  ///
  /// - Parameter work: What the stage does to faces, such as "smooth".
  package static func check(_ scene: borrowing Scene, work: String) throws(RefusedSplats) {
    guard scene.faceCount == 0,
      let refused = RefusedSplats(scene, "there are no faces to \(work)")
    else { return }
    throw refused
  }
}
