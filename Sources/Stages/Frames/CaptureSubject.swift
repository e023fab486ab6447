package import MeshPipeline
import Photogrammetry

/// What a capture shows, as far as its cameras and depth maps tell: how much of it is on the mesh, and its object.
package struct CaptureSubject: Sendable {
  /// The share of the measured depths that lie on the mesh, within noise; nil without depths or faces.
  package let depthsOnSurface: Double?
  /// The share of the mesh at which depths were measured; nil likewise.
  package let surfaceMeasured: Double?
  /// Whether pipelines try a mesh made from the depth maps, as their conditions say: instead of the mesh that the app
  /// stored, if it may be better, and of any that floats before its depth maps.
  package let isImprovable: Bool
  /// The radius in metres of what ``CropToObject`` keeps; nil if the cameras go around no object.
  package let objectRadius: Double?

  /// In metres: that of the pipelines' conditions.
  private static let largestOffset = 0.02

  /// Measures a scene.
  package init(_ scene: Scene) {
    let coverage = DepthCoverage(scene)
    depthsOnSurface = coverage?.depthsOnSurface
    surfaceMeasured = coverage?.surfaceMeasured
    isImprovable =
      scene.capture?.origin?.hasOwnMesh == true && coverage?.isImprovable == true
      || abs(DepthOffset(scene)?.median ?? 0) > Self.largestOffset
    let system = scene.coordinateSystem
    objectRadius = CircledVolume(scene.capture?.frames ?? [], up: system.up).map {
      $0.radius * system.metersPerUnit
    }
  }
}
