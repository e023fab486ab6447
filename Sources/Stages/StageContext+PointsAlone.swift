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
}
