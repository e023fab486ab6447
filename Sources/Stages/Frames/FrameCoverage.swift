package import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// The share of a scene's surface that the capture's frames see well: a ``ReportCoverage`` with
/// default options and fewer points.
package struct FrameCoverage: Sendable, Equatable {
  /// The share of the area that at least one frame sees.
  package let seen: Double
  /// The share of the area that at least three frames see.
  package let seenThrice: Double

  /// Samples the surface evenly by area, always at the same points.
  ///
  /// - Complexity: A ray for each frame and sample in its image; the depth maps are read.
  /// - Returns: Nil if there is no area, or no frame.
  package init?(_ scene: Scene, samples count: Int = 20_000) throws {
    guard scene.faceCount > 0, let frames = scene.capture?.frames, !frames.isEmpty else {
      return nil
    }
    let surface = try ObservedSurface(scene)
    let samples = SurfaceSamples(of: surface, count: count)
    guard samples.count > 0 else { return nil }
    var coverage = PointCoverage(positions: samples.positions, normals: samples.normals)
    try coverage.add(
      frames, of: surface, maximumAngle: ReportCoverage.Parameters().maximumAngle.radians)
    func share(_ least: UInt16) -> Double {
      Double(coverage.views.count { $0 >= least }) / Double(samples.count)
    }
    (seen, seenThrice) = (share(1), share(3))
  }
}
