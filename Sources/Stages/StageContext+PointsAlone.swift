import MeshPipeline

extension StageContext {
  /// Warns where a stage that works on faces gets points alone, which stay as they are.
  ///
  /// - Throws: If the points are Gaussian splats, for which they may look to someone who asks for it.
  /// - Parameter work: What the stage does to faces, such as "smooth".
  func warnOfPointsAlone(_ scene: borrowing Scene, work: String) throws {
    try RefusedSplats.check(scene, work: work)
    guard scene.faceCount == 0, scene.pointCount > 0 else { return }
    warn(
      "there are no faces to \(work): the \(NumberText.grouped(scene.pointCount)) points are unchanged"
    )
  }

  /// Warns where a stage that works on points gets faces alone, which stay as they are.
  ///
  /// - Parameter work: What the stage does to points, such as "thin".
  func warnOfFacesAlone(_ scene: borrowing Scene, work: String) {
    guard scene.pointCount == 0, scene.faceCount > 0 else { return }
    warn(
      "there are no points to \(work): the \(NumberText.grouped(scene.faceCount)) faces are unchanged "
        + "('sample-points' makes points of them)"
    )
  }
}
