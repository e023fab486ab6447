import MeshpipeScene

/// A fault of a scene that affects its output, and that a stage may correct.
///
/// Messages about outputs name that stage, whether built in or from a plugin.
public enum SceneFault: Sendable, Hashable {
  /// Coordinates are not finite.
  case brokenNumbers
  /// The axis that should point up does not.
  case upAxis(SignedAxis)
  /// A capture has depth maps, but no mesh.
  case noMesh
  /// A capture is photographs without poses.
  case noPoses
  /// There are points, but no faces.
  case pointsAlone

  /// What to do about points without faces.
  static func wayOut(ofPointsAloneBy maker: String) -> String {
    "the scan has points only; '\(maker)' makes a mesh of them"
  }
}
