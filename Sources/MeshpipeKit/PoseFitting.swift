package import MeshPipeline
import Photogrammetry

/// Measures how the frames of a capture fit the mesh and one another, corrects what is off, removes outliers, and
/// rejects a capture that does not fit in any tested way.
package enum PoseFitting: CaptureFitting {
  package static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, misfits: Misfits,
    in context: CaptureReadingContext
  ) throws {
    guard
      var check = try FitCheck(
        scan, against: scene, path: path, misfits: misfits, in: context)
    else { return }
    // What was found before a capture is rejected helps to see why.
    defer { check.findings.report(to: context) }
    try check.run()
    scan = check.scan
  }

  package static func depthShare(on scene: Scene) -> Double? {
    DepthCoverage(scene)?.depthsOnSurface
  }
}

extension FitFindings {
  /// Adds the findings to the report of the run.
  fileprivate func report(to context: CaptureReadingContext) {
    func note(_ key: String, _ value: Double?) {
      guard let value, value.isFinite else { return }
      context.report(key, value.json(digits: 3))
    }
    if let world { context.report("framesWorld", world.json) }
    if let worldReason { context.report("framesWorldReason", worldReason.json) }
    note("framesDepthOnMesh", depthOnMesh)
    note("framesDepthOffset", depthOffset)
    note("framesMeshOffset", meshOffset)
    note("framesOffMesh", framesOffMesh.map(Double.init))
    note("framesGreatestShift", greatestShift)
    note("framesSeeingMesh", seeingMesh)
    note("framesPictureCorrelation", imageCorrelation)
    note("framesFocalScale", focalScale)
    note("framesRadialDistortion", radialDistortion)
    note("framesPositionScale", positionScale)
    if !leftOut.isEmpty { context.report("framesLeftOut", leftOut.json) }
  }
}

extension CaptureReadingContext: MeasuringContext {}
