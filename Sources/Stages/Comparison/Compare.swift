public import MeshPipeline
import SurfaceKernels

/// Measures how far the scene is from another one, in distance, direction, colour and class.
public struct Compare: Stage {
  public static let otherNames = ["distance", "hausdorff", "cloud-to-mesh", "deviation", "diff"]
  public static let summary =
    "Measures how far the scene is from another one: distances both ways, normals, colours, classes."
  public static let discussion = """
    Points spread evenly over the faces of each scene, and its vertices, are measured to the nearest place on the \
    other, exactly; a scene without faces is measured at its points, and to its nearest point. \
    Nothing changes but colours, if `show` says so.

    - **`distance`** has `mean`, `rms`, `median`, `p95` (95 % are not greater) and `max`, each the greater of both \
    directions, so that `distance.max` is the Hausdorff distance. `forward` has them from this scene to the other, \
    `backward` from the other to this one: a part of a scan is near the whole, and the whole far from the part.
    - **`signedMean`** is positive in front of the other surface, on the side that its faces show. Beside open \
    borders no side is clear, so these points do not count.
    - **`views`**, where both have colours: both are rendered from four sides; `similarity` is the structural one of \
    brightness (1 if equal), and `psnr` the signal-to-noise ratio in decibels (100 if equal).
    - **`normals`** are angles in degrees, **`colors`** differences by CIEDE2000 (1 is just visible), and \
    **`classes.agreement`** is the share of the area with the same class; each at the nearest place.

    The other scene is that of `to`, converted to the axes, the unit and the origin of this one. \
    Lengths are in metres, places in the coordinates of the file.

    Conditions know the figures: `"expect": "distance.max < 2mm and classes.agreement > 0.99"`. \
    `meshpipe compare` shows two files.

    The distance of points is that of the nearest one, which for sparse clouds is about their spacing. With \
    `method=m3c2` two clouds are also compared along their normals (M3C2, Lague, Brodu and Leroux 2013): `changes` has \
    the share of the points whose difference is `significant`, greater than the 95 % level of `detection` that follows \
    from the scatter and the number of points, the `mean` of these differences, positive where the other cloud is on \
    the outer side (that of the normals of the points; without them away from the middle of the cloud, or up), the \
    `max` of their sizes, and the share of `unmatched` points, with nothing of the other cloud within `reach`.

    With `align` the other scene is moved onto this one first, by iterative closest points, which parts that only one \
    of them has do not hinder; `alignment` has the `shift` of its middle, the `angle`, and the `matrix`, row by row. \
    Of an object that looks alike from several sides another one may be found.
    """
  public static let example = #"""
    { "use": "compare", "with": { "to": "input" }, "expect": "distance.max < 5mm" }
    """#
  public static let relativeCost = 3.0
  public static let figures =
    ["distance", "forward", "backward"].flatMap { group in
      DistanceStatistics.figures.map { SceneMeasure(figure: "\(group).\($0.name)", .length) }
    } + [
      SceneMeasure(figure: "forward.signedMean", .length),
      SceneMeasure(figure: "backward.signedMean", .length),
    ]
    + ["normals", "colors"].flatMap { group in
      DistanceStatistics.figures.map { SceneMeasure(figure: "\(group).\($0.name)", .count) }
    } + [
      SceneMeasure(figure: "classes.agreement", .share),
      SceneMeasure(figure: "views.similarity", .share), SceneMeasure(figure: "views.psnr", .count),
      SceneMeasure(figure: "alignment.shift", .length),
      SceneMeasure(figure: "alignment.angle", .count),
      SceneMeasure(figure: "changes.significant", .share),
      SceneMeasure(figure: "changes.unmatched", .share),
      SceneMeasure(figure: "changes.mean", .length), SceneMeasure(figure: "changes.max", .length),
    ]

  public struct Parameters: StageParameters {
    @Parameter(
      "Id of the other scene: of an earlier stage or of a further input, or `input` for the scene as read."
    )
    public var to = SceneReference("input")

    @Parameter("Number of points on the faces of each scene.", in: 100...10_000_000)
    public var samples = 200_000

    @Parameter("Seed of the positions of these points.", in: 0...1e15)
    public var seed = 1

    @Parameter("Move the other scene onto this one first, as a rigid body.")
    public var align = false

    @Parameter(
      "Method for point clouds: the nearest points only, or also the distance along normals.")
    public var method = Method.nearest

    @Parameter(
      "Diameter of the balls whose points give the normals of `m3c2`; 0 for 30 times the distance of neighbouring points.",
      in: 0...Double.infinity)
    public var normalScale = Length(meters: 0)

    @Parameter(
      "Diameter of the cylinders whose points `m3c2` compares; 0 for 15 times the distance of neighbouring points.",
      in: 0...Double.infinity)
    public var diameter = Length(meters: 0)

    @Parameter(
      "Largest distance along normals that `m3c2` measures; 0 for the greatest distance of the clouds, at most 50 diameters.",
      in: 0...Double.infinity)
    public var reach = Length(meters: 0)

    @Parameter(
      "Error of the alignment of the clouds, by which `m3c2` raises the level of detection.",
      in: 0...Double.infinity)
    public var registrationError = Length(meters: 0)

    @Parameter("Meaning of the colours of vertices.")
    public var show = Display.none

    @Parameter(
      "Distance at which the colours of `show` end; 0 for that of 95 % of the surface.",
      in: 0...Double.infinity)
    public var range = Length(meters: 0)

    public init() {}
  }

  /// How point clouds are compared.
  public enum Method: String, CaseIterable, ParameterValue {
    /// By the distance to the nearest point only.
    case nearest
    /// Also along normals, with the level below which a difference is noise.
    case m3c2
  }

  /// What colours show.
  public enum Display: String, CaseIterable, ParameterValue {
    /// They stay as they are.
    case none
    /// The distance of each vertex: blue behind the other surface, red in front of it, or from pale to red where no
    /// side is clear.
    case distance
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    400 * scene.faceCount + 60 * parameters.samples
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    var compared = scene
    let other = context.scene(of: parameters.to) ?? compared
    let comparison: SceneComparison
    do {
      comparison = try SceneComparison(
        compared, other, parameters, names: ("the scene", "'\(parameters.to.id)'"), in: context)
    } catch let failure as SceneComparison.Failure {
      guard case .empty = failure else { throw failure }
      context.warn(failure.message)
      try context.progress(1)
      return compared
    }
    for figure in comparison.figures { context.note(figure.key, figure.value) }
    guard parameters.show == .distance else { return compared }
    compared.warnOfTextures(under: Self.name, in: context)
    let legend = comparison.paint(
      &compared, range: parameters.range.meters > 0 ? parameters.range : nil)
    context.note("vertexColors", legend)
    return compared
  }
}
