public import MeshPipeline
import SurfaceKernels

/// Makes walls, floors and other nearly plane parts plane, with sharp edges where they meet.
public struct Flatten: Stage {
  public static let otherNames = ["planarize", "planar", "plane", "straighten", "walls"]
  public static let summary =
    "Makes walls, floors and other nearly plane parts plane, with sharp edges where they meet."
  public static let discussion = """
    Regions of faces that look the same way and lie near one plane are found, each from where the surface \
    is flattest (Rabbani and others 2006). Their vertices move onto the plane, and those between two or \
    three planes onto the edge or the corner where these meet.

    - **Bounds**: no vertex moves farther than `maximumShift`; what is farther from a plane is not part of \
    it.
    - **Round parts** stay: a region whose normals turn steadily is not a plane, nor are the facets of a round \
    wall.
    - **One plane**: regions within 2 degrees and `maximumShift` of each other, such as a wall on both sides \
    of a door, get one plane.
    - **`align`** also turns planes by up to 5 degrees: level, upright, and parallel or perpendicular to most \
    of the walls. A plane whose ends would move farther than `maximumShift` keeps its direction, which the \
    report counts as `unalignedPlanes`.
    - **`removeBumps`** removes what stands on planes and is on none itself, up to an area: the stubs of legs that a \
    scan calls floor. `fill-holes` closes the holes that it leaves.

    Attributes stay at their vertices, corners and faces; normals are computed again where the mesh has \
    some. Use `where` to flatten some classes only: `"where": { "class": ["wall", "floor", "ceiling"] }`.

    The report counts the planes, and names the part of the area on them and how far vertices moved. Run \
    `weld` first when faces do not share vertices; `decimate` after it needs few faces for the planes.
    """
  public static let example =
    #"{ "use": "flatten", "with": { "maximumShift": "3cm", "align": true } }"#
  public static let relativeCost = 3.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Maximum distance that a vertex moves, as a length or as a share of the extent.",
      in: 0...Double.infinity, scope: .detail)
    public var maximumShift = RelativeLength.fraction(0.004)

    @Parameter(
      "Minimum size of a plane: the root of its area, as a length or as a share of the extent.",
      in: 0...Double.infinity)
    public var minimumSize = RelativeLength.fraction(0.05)

    @Parameter("Make planes level, upright, parallel and perpendicular that nearly are.")
    public var align = false

    @Parameter(
      "Maximum area of parts to remove that stand on a plane and are on none, such as stubs of legs where furniture was.",
      in: 0...Double.infinity)
    public var removeBumps = Area(squareMeters: 0)

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 40 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.warnOfPointsAlone(scene, work: "flatten")
    let system = scene.coordinateSystem
    let extent = Double(scene.bounds.extent)
    let size = parameters.minimumSize.resolved(extent: extent, in: system)
    let options = SurfaceFlattening.Options(
      maximumShift: parameters.maximumShift.resolved(extent: extent, in: system),
      leastArea: size * size, up: parameters.align ? system.up.vector : nil,
      bumpArea: parameters.removeBumps.units(in: system))
    var results: [(result: SurfaceFlattening.Result, faces: Int)] = []
    try scene.updateMeshes(in: context) { mesh in
      let faces = mesh.faceCount
      let result = try SurfaceFlattening.run(&mesh, options) { _ in try context.checkCancellation()
      }
      results.append((result, faces))
    }
    report(results, system, to: context)
    return scene
  }

  /// Shares and means are those of all meshes, by their faces.
  private func report(
    _ results: [(result: SurfaceFlattening.Result, faces: Int)], _ system: CoordinateSystem,
    to context: StageContext
  ) {
    let faces = Double(max(1, results.reduce(0) { $0 + $1.faces }))
    func mean(_ value: (SurfaceFlattening.Result) -> Double) -> Double {
      results.reduce(0) { $0 + value($1.result) * Double($1.faces) } / faces
    }
    func millimeters(_ units: Double) -> JSONValue {
      Length(units: units, in: system).millimeters(digits: 2)
    }
    context.note("planes", results.reduce(0) { $0 + $1.result.planeCount }.json)
    if parameters.align {
      context.note("unalignedPlanes", results.reduce(0) { $0 + $1.result.unalignedPlanes }.json)
    }
    if parameters.removeBumps.squareMeters > 0 {
      context.note("removedFaces", results.reduce(0) { $0 + $1.result.removedFaces }.json)
    }
    context.note("flatPercent", (100 * mean(\.flatShare)).json(digits: 1))
    context.note("meanShiftMillimeters", millimeters(mean(\.meanShift)))
    context.note(
      "greatestShiftMillimeters", millimeters(results.map(\.result.greatestShift).max() ?? 0))
  }
}
