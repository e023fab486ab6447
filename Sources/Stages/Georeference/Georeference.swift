public import MeshPipeline
import Photogrammetry

/// Puts a scan on a map, by control points or by the positions of its photographs.
public struct Georeference: Stage {
  public static let otherNames = ["geolocate", "georef", "control-points"]
  public static let summary =
    "Puts a scan on a map, by control points or by the positions of its photographs."
  public static let discussion = """
    Finds the motion that brings points of the scan to where they are on the map, by least squares, and turns and moves mesh, points, \
    poses, rooms and sections by it. Then x is east, y is north and z is up, in metres of the map.

    LAS, IFC and glTF files name the map, and those that hold numbers of any size (LAS, PLY, OBJ, XYZ) have its coordinates.

    - **`points`** are points of the scan with their place on the map: `"7 = [451234.12, 5764321.55, 87.3]"`. The left side is the \
    number of a printed marker (its middle), with several dictionaries `aruco-5x5-50/7`, or a point in coordinates of the scene, \
    `[0.5, 0, 1.2]`; the right side is east, north and height in units of the map. One of the markers must name its dictionary.
    - **Photographs** decide where there are no points: their EXIF data has positions of GPS, and directions of the compass. Phones are \
    right to about 5 m, and all photographs of a walk share most of the error. Heights are those above the sea that phones give.
    - **`system`** is the map: `EPSG:25832`, `utm` for the zone of UTM on WGS 84, or `local` for east, north and up about the scan. Zones of \
    UTM are built in; other codes need PROJ (`apt-get install libproj25`, `brew install proj`).

    Up stays up, as phones know it, so that two control points are enough and each further one is a check. `level: false` turns \
    freely, for models without a known up; that takes three points that are not on a line.

    **Control points that do not fit** the scan within `tolerance` end the run with exit code 65. The message has the distance of each, and \
    names the one without which the others agree. A scan whose scale is wrong does not fit either: `scale: true` takes the scale of the points, and \
    `scaleByPoints` in the report has it in any case. Grids are up to .04 % smaller than the ground, which is left in.

    **A turn that is not known** to 30° ends the run, too: in a room, positions that are wrong by 5 m tell nothing of it. `heading` gives it.

    The report has the map, the scan's own zero on it (`east`, `north`, `height`), the bearing of its forward axis with \
    uncertainty (95 %), and residuals. Run it last, or before `detect-rooms`, whose plans then have a north: what turns the scene afterwards takes it off \
    the map. See [true scale](../true-scale.md#place).
    """
  public static let example =
    #"{ "use": "georeference", "with": { "points": ["aruco-6x6-50/3 = [451230.4, 5764310.2, 87.3]", "7 = [451234.1, 5764321.5, 87.3]"], "system": "EPSG:25832" } }"#
  public static let dataFlow = StageDataFlow(uses: [.frames])
  public static let relativeCost = 5.0

  public struct Parameters: StageParameters {
    @Parameter("Points of the scan with east, north and height on the map.")
    public var points: [ControlPoint] = []

    @Parameter(
      "Map, by its code like \"EPSG:25832\", \"utm\", or \"local\"; by default UTM for photographs, and a map without a name for points."
    )
    public var system: MapChoice? = nil

    @Parameter(
      "Bearing of the scan's forward axis, clockwise from north, if it is known.",
      in: .degrees(-360...360))
    public var heading: Angle? = nil

    @Parameter("Keep what is up, instead of turning the scan freely onto the points.")
    public var level = true

    @Parameter("Take the scale of the control points, instead of that of the scan.")
    public var scale = false

    @Parameter("Maximum distance of a control point from its place; 0 for any.")
    public var tolerance = Length(meters: 0.1)

    public init() {}

    public func faults() -> [String] {
      var faults: [String] = []
      if points.isEmpty, !level { faults.append("'level: false' needs 'points'") }
      if points.isEmpty, scale { faults.append("'scale: true' needs 'points'") }
      if heading != nil, !level {
        faults.append("'heading' is for a scan that stays level; leave it out with 'level: false'")
      }
      return faults
    }

    var freedom: PlacementFit.Freedom {
      var freedom = PlacementFit.Freedom()
      (freedom.isLevel, freedom.hasScale) = (level, scale)
      // What is ahead is y, and comes to lie clockwise from north.
      freedom.turn = heading.map { -$0.radians }
      return freedom
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem { .blender }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.capture != nil || scene.faceCount > 0 || scene.pointCount > 0 else {
      scene.convert(to: .blender)
      try context.progress(1)
      return scene
    }
    let flat = scene.coordinateSystem.transform(to: .blender)
    let progress = { (share: Double) in try context.progress(0.9 * share) }
    let placement: any MapPlacement =
      parameters.points.isEmpty
      ? try PhotographPlacement(
        parameters, scene.capture?.frames ?? [], flat, in: context, progress: progress)
      : try ControlPlacement(parameters, scene, flat, in: context, progress: progress)
    Self.note(placement, to: context)
    Self.place(&scene, by: placement.fit, on: placement.system.reference)
    try context.progress(1)
    return scene
  }

  private static func note(_ placement: any MapPlacement, to context: StageContext) {
    let fit = placement.fit
    context.note("summary", placement.summary.json)
    placement.note(to: context)
    context.note("referenceSystem", placement.system.reference.words.json)
    let zero = fit.transform.translation
    context.note("east", zero.x.json(digits: 3))
    context.note("north", zero.y.json(digits: 3))
    context.note("height", zero.z.json(digits: 3))
    let forward = fit.transform.y
    let bearing = (90 - SIMD2(forward.x, forward.y).angle * 180 / .pi)
      .truncatingRemainder(dividingBy: 360)
    context.note("heading", (bearing < 0 ? bearing + 360 : bearing).json(digits: 3))
    context.note("headingUncertainty", (placement.turnUncertainty * 180 / .pi).json(digits: 3))
    if fit.scale != 1 { context.note("scaleFactor", fit.scale.json(digits: 6)) }
  }

  /// - Parameter fit: From positions of the scene as they are stored, in metres with z up, to the map in metres.
  private static func place(
    _ scene: inout Scene, by fit: PlacementFit, on reference: ReferenceSystem
  ) {
    var survey = scene.survey ?? Survey()
    scene.convert(to: .blender)
    scene.apply(fit.transform, relativeTo: .zero)
    scene.scaleDepths(by: fit.scale)
    (survey.referenceSystem, survey.lattice) = (reference, nil)
    scene.survey = survey
  }
}

/// Where a scan is on a map, and by what that is known.
protocol MapPlacement {
  /// From positions of the scene as they are stored, in metres with z up, to the map in metres.
  var fit: PlacementFit { get }
  var system: MapSystem { get }
  /// Half of the interval that holds the turn with 95 % probability, in radians.
  var turnUncertainty: Double { get }
  /// `on EPSG:25832 by 4 control points, off by 3 mm`.
  var summary: String { get }

  /// Adds the figures of its own to the report.
  func note(to context: StageContext)
}
