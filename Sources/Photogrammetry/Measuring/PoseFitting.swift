package import MeshPipeline

/// Measures how the frames of a capture fit the mesh and one another, removes outliers, and rejects
/// a capture that does not fit in any tested way.
///
/// Three things are measured: the distance of depth maps from the mesh along rays of the cameras
/// (on a real corridor the right one of the eight conventions put 85 % of the depths within 5 cm of
/// the mesh, the next one 40 %); the agreement of image pairs at the same places of the mesh; and
/// whether the cameras see the mesh at all.
package enum PoseFitting: CaptureFitting {
  package static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, keepsMisfits: Bool,
    in context: CaptureReadingContext
  ) throws {
    guard let probe = try MeshProbe(scan.capture, scene, context), !probe.views.isEmpty else {
      return
    }
    var check = try FitCheck(
      scan: scan, scene: scene, path: path, keepsMisfits: keepsMisfits, probe: probe,
      context: context)
    try check.run()
    scan = check.scan
  }
}
