import MeshPipeline

extension StageContext {
  /// Warns where a stage that works on faces gets points alone, which stay as they are.
  ///
  /// - Parameter work: What the stage does to faces, such as "smooth".
  func warnOfPointsAlone(_ scene: borrowing Scene, work: String) {
    guard scene.faceCount == 0, scene.pointCount > 0 else { return }
    warn(
      "there are no faces to \(work): the \(NumberText.grouped(scene.pointCount)) points are unchanged"
    )
  }
}
