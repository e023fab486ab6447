public import MeshPipeline
import SurfaceKernels

/// Moves the scene so that a chosen point of its bounding box is at the origin.
public struct Center: Stage {
  public static let summary =
    "Moves the scene so that a chosen point of its bounding box is at the origin."
  public static let discussion = """
    The translation is applied to meshes, points and camera poses together. Use `bottom` to \
    place an object on the ground plane.

    What was in a national grid is near zero afterwards, in all formats.
    """
  public static let example = #"{ "use": "center", "with": { "at": "bottom" } }"#

  public struct Parameters: StageParameters {
    @Parameter("Point of the bounding box that is moved to the origin.")
    public var at = Anchor.center

    public init() {}
  }

  /// A point of the bounding box.
  public enum Anchor: String, CaseIterable, ParameterValue {
    /// The centre of the box.
    case center
    /// The centre of its bottom, along the scene's up axis.
    case bottom
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let box = scene.bounds
    if !box.isEmpty {
      var target = SIMD3<Double>(box.center)
      if parameters.at == .bottom {
        let up = scene.coordinateSystem.up
        let halfHeight = Double(box.size[up.index]) / 2
        target -= up.vector * halfHeight
      }
      scene.apply(Transform(translation: -target))
      scene.origin = .zero
      scene.survey?.leaveGrid()
    }
    try context.progress(1)
    return scene
  }
}
