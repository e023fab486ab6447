import MeshpipeBase
package import MeshpipeScene

/// A stage got Gaussian splats, which it can't work on.
package struct RefusedSplats: StageFailure, Equatable {
  var count: Int
  var reason: String

  package var message: String {
    """
    this makes no sense for the \(NumberText.grouped(count)) Gaussian splats: \(reason); 'where' names what else to work \
    on, and an output of points, such as LAS or XYZ, has plain ones in their place
    """
  }

  /// Throws if a stage objects to the splats of its scene.
  static func check(
    _ stage: any PreparedStage, needs: Set<SceneFeature>, _ scene: borrowing Scene
  ) throws(RefusedSplats) {
    let count = scene.splatCount
    guard count > 0 else { return }
    if let reason = stage.objectionToSplats { throw RefusedSplats(count: count, reason: reason) }
    if needs.contains(.faces) { try check(scene, work: "work on") }
  }

  /// Throws if there are splats and no faces.
  ///
  /// - Parameter work: What the stage does to faces, such as "smooth".
  package static func check(_ scene: borrowing Scene, work: String) throws(RefusedSplats) {
    let count = scene.splatCount
    guard count > 0, scene.faceCount == 0 else { return }
    throw RefusedSplats(count: count, reason: "there are no faces to \(work)")
  }
}
