package import MeshPipeline
import Photogrammetry

/// What a capture shows, as far as its cameras and depth maps tell: how much of it is on the mesh, and its object.
package struct CaptureSubject: Sendable {
  /// The share of the measured depths that lie on the mesh, within noise; nil without depths or faces.
  package let depthsOnSurface: Double?
  /// The share of the mesh at which depths were measured; nil likewise.
  package let surfaceMeasured: Double?
  /// Whether a mesh made from the depth maps may be better, so that ``FuseDepth`` with ``FuseDepth/Mode/better`` is worth
  /// its time.
  package let isImprovable: Bool
  /// The radius in metres of what ``CropToObject`` keeps; nil if the cameras go around no object.
  package let objectRadius: Double?

  /// Measures a scene.
  package init(_ scene: Scene) {
    let coverage = DepthCoverage(scene)
    depthsOnSurface = coverage?.depthsOnSurface
    surfaceMeasured = coverage?.surfaceMeasured
    isImprovable =
      coverage?.isImprovable == true || DepthOffset(scene)?.isContradiction == true
    let system = scene.coordinateSystem
    objectRadius = CircledVolume(scene.capture?.frames ?? [], up: system.up).map {
      $0.radius * system.metersPerUnit
    }
  }
}
