public import MeshPipeline
import SurfaceKernels

/// Gives a scan classes: floor, walls and ceiling, tables and seats by their planes.
public struct ClassifyPlanes: Stage {
  public static let otherNames = ["classify", "label", "segment", "detect-planes", "find-floor"]
  public static let summary =
    "Gives a scan classes: floor, walls and ceiling, tables and seats by their planes."
  public static let discussion = """
    For scans of rooms without ARKit's classes, so that `filter-classification` and the pipelines that \
    need classes work on them.

    Planes are found as `flatten` finds them. The lowest large one that looks up is the floor, with all \
    within 20 cm of it; what looks up 25 to 55 cm above it is a seat, and up to 1.15 m a table (`seats`, \
    `tables`). What looks down above 1.8 m is a ceiling. Upright planes at least 60 cm high that reach \
    1.8 m, or three quarters of a lower scan, are walls. Everything else is `none`: legs and backs, what is \
    round, and planes smaller than `minimumArea`. Tall furniture with a plane front counts as wall; doors \
    and windows can't be told from walls.

    The scan must be upright (`convert-axes`), and its faces must look to where people are: run `weld` \
    first, and `clean orientation=false` if windings are mixed. The report has the height of the floor \
    along the up axis and the area of each class.
    """
  public static let example = #"""
    { "use": "classify-planes", "when": "not classification" }
    """#
  public static let dataFlow = StageDataFlow(needs: [.faces], makes: [.classification])
  public static let relativeCost = 3.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Maximum distance of a vertex from its plane.", in: 1e-6...Double.infinity, scope: .detail)
    public var maximumDistance = Length(meters: 0.04)

    @Parameter("Minimum area of a plane.", in: 0...Double.infinity)
    public var minimumArea = Area(squareMeters: 0.1)

    @Parameter("Lowest and highest height of seats above the floor.")
    public var seats = [Length(meters: 0.25), Length(meters: 0.55)]

    @Parameter("Lowest and highest height of tables above the floor.")
    public var tables = [Length(meters: 0.55), Length(meters: 1.15)]

    @Parameter("Replace the classes of a scan that has some.")
    public var replace = false

    public init() {}

    public func faults() -> [String] {
      [("seats", seats), ("tables", tables)].compactMap { name, range in
        range.count == 2 && range[0].meters <= range[1].meters
          ? nil : "'\(name)' needs two lengths, the lower one first"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    if scene.features.contains(.classification), !parameters.replace {
      context.warn("the scan has classes, which stay; 'replace=true' replaces them")
      try context.progress(1)
      return scene
    }
    let options = PlaneClassification.Options(
      maximumDistance: parameters.maximumDistance.meters,
      leastArea: parameters.minimumArea.squareMeters,
      seats: parameters.seats[0].meters...parameters.seats[1].meters,
      tables: parameters.tables[0].meters...parameters.tables[1].meters)
    let found = try PlaneClassification(scene, options) { try context.progress(0.95 * $0) }
    for index in scene.meshes.indices {
      scene.meshes[index].classes = FaceClasses(labels: found.labels[index])
    }
    report(found, of: scene, to: context)
    try context.progress(1)
    return scene
  }

  private func report(_ found: PlaneClassification, of scene: Scene, to context: StageContext) {
    context.note("planes", found.planeCount.json)
    if let height = found.floorHeight { context.note("floorHeight", height.json(digits: 3)) }
    var areas: [UInt16: Double] = [:]
    for (mesh, labels) in zip(scene.meshes, found.labels) {
      for face in labels.indices where mesh.isFinite(face) {
        areas[labels[face], default: 0] += mesh.area(ofFace: face)
      }
    }
    let unit = scene.coordinateSystem.metersPerUnit
    let members = areas.sorted { $0.key < $1.key }.map { label, area in
      JSONValue.Member(
        FaceClasses.arkitNames[Int(label)], (area * unit * unit).json(digits: 2))
    }
    context.note("squareMeters", JSONValue(.object(members)))
    if found.floorHeight == nil, scene.faceCount > 0 {
      context.warn("no floor was found; check the up axis, and which way the faces look")
    }
  }
}
