public import MeshPipeline

/// Measures how the frames of a capture fit the mesh and one another, leaves out the strangers among them,
/// and refuses a capture that fits in no way that was tried.
///
/// Three things are measured. The depth maps are compared with what rays from the cameras meet: on a real
/// corridor the right one of the eight conventions put 85 % of the depths within 5 cm of the mesh, the
/// next 40 %. The pictures are compared, pair by pair, by what they show at the same places of the mesh.
/// And there is the question whether the cameras see the mesh at all.
public enum PoseFitting: CaptureFitting {
  public static func fit(
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
