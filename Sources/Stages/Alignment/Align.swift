public import MeshPipeline
import SurfaceKernels

/// Moves the scene onto another one, of which it may be a part or with which it may overlap.
public struct Align: Stage {
  public static let otherNames = ["register", "registration", "icp", "align-meshes"]
  public static let summary =
    "Moves the scene to where it fits another one that it overlaps, from anywhere."
  public static let discussion = """
    The turn about the vertical and the translation are searched exhaustively: turns under which walls look the same \
    ways, and for each the translations under which most of both surfaces lie on each other. The best are refined by \
    iterative closest points, from points to planes, with robust weights (Chen and Medioni 1992; Zhou, Park and Koltun \
    2016), in all six degrees of freedom.

    - **Overlap** is found, not given.
    - **Upright.** Both scans must know which way is up, to about eight degrees, as phones do; see `convert-axes`.
    - **It would rather refuse than guess.** The stage fails where too little is common to both, where in the best place \
    one shows surfaces in the space that another shows to be free, where another place is nearly as good (a room that \
    looks alike from two sides), and where the surfaces slide along each other (a corridor without ends).
    - **`alignment`** in the report has the `turn` about the vertical and the `tilt` besides in degrees, the `shift` of \
    the middle in metres, the `overlap` as a share of the smaller scan, the `residual` (median distance in the overlap), \
    one standard deviation of turn and shift as the noise of the surfaces has it, and the `matrix`, row by row.

    To merge scans, `meshpipe run a.obj b.obj --join=aligned` does the same with any number of them; see \
    [Aligning scans](../aligning.md). Frames of a capture and Gaussian splats move along.
    """
  public static let example = #"""
    { "use": "align", "with": { "to": "reference" } }
    """#
  public static let relativeCost = 4.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Id of the scene onto which this one is moved: of an earlier stage or of a further input.")
    public var to = SceneReference("input")

    public init() {}
  }

  /// Why a scene is not moved.
  public enum Failure: StageFailure, Equatable {
    /// It fits nowhere, or in more than one place.
    case fitsNowhere(reason: String)

    public var message: String {
      switch self {
      case .fitsNowhere(let reason): "the scene can't be aligned: \(reason)"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 60 * scene.faceCount + 100_000_000 }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard let target = context.scene(of: parameters.to) else {
      try context.progress(1)
      return scene
    }
    var moved = scene
    moved.convert(to: target.coordinateSystem)
    let surfaces = [
      try RegisteredSurface(target, in: context), try RegisteredSurface(moved, in: context),
    ]
    try context.progress(0.3)
    let network = try SurfaceNetwork(surfaces) { () throws(Cancelled) in
      try context.checkCancellation()
    }
    guard let placement = network.placements[1] else {
      throw Failure.fitsNowhere(reason: (network.refusals[1] ?? .isApart).reason)
    }
    let report = PlacedScan(
      name: parameters.to.id, placement: placement, refusal: .fits,
      shift: SceneRegistration.shift(
        of: moved, surfaces[1], by: placement.transform, to: target),
      metersPerUnit: target.coordinateSystem.metersPerUnit, up: target.coordinateSystem.up.vector)
    context.note("alignment", report.json)
    moved.apply(placement.transform)
    moved.origin = target.origin
    try context.progress(1)
    return moved
  }
}
