public import MeshPipeline
import SurfaceKernels

/// Closes holes in the surface, up to a size.
public struct FillHoles: Stage {
  public static let otherNames = ["close-holes", "holes", "hole-filling"]
  public static let summary = "Closes holes in the surface, up to a size."
  public static let discussion = """
    Of all triangulations of a hole's own vertices, the stage chooses the one that bends least against the \
    surrounding surface, and among those the one with the least area. It then adds vertices until edges are \
    as long as those around, and bends the patch like a thin plate that continues the surface (Liepa 2003).

    A hole is a closed loop of boundary edges.

    - **Curvature** that the surface has all around the hole, as a ball has, or the side of a tube, is the \
    patch's as well.
    - **Planes**: where two or three planes meet in a hole, as a wall and the floor behind a cupboard, the \
    planes are continued up to the edge between them. Each part gets the class and material that most faces around \
    it on its plane have.
    - **`fill: flat`** stops after the first step: no vertex is added, and holes are closed flat.
    - **Attributes**: new faces get the class and material of most faces around the hole. Colours and \
    texture coordinates are continued from the border; across several charts of a texture, each face gets \
    the colour of one place on the border. New vertices have confidence 0.
    - **Not holes**: the outer border of a flat piece, whose fill would coincide with the piece. Holes that \
    can't be closed without an edge of three faces stay open.
    - **Doors and windows**: `keepOpen: [door, window]` leaves holes open that are beside such faces.
    - **Intersections**: where the patch would intersect the surface or another patch, the hole is closed flat, or \
    stays open if that intersects it, too. `allowIntersections: true` closes it all the same.
    - **Large holes** of more than 500 edges are first reduced by cutting off corners, and get at most \
    50,000 vertices.

    The report counts the holes and lists the 100 largest: their edges, size, middle (in the axes and units \
    of the scene) and what became of them.

    Run `weld` and `clean` first, so that seams between duplicated vertices are not mistaken for \
    holes and the winding is consistent, and `remove-fragments`, since a loose piece within a hole keeps it open.
    """
  public static let example = #"{ "use": "fill-holes", "with": { "maximumSize": "30cm" } }"#

  public struct Parameters: StageParameters {
    @Parameter(
      "Maximum bounding box edge of a hole; larger holes stay open.",
      in: 0...Double.infinity, scope: .free)
    public var maximumSize = RelativeLength.fraction(0.1)

    @Parameter("Maximum number of edges of a hole.", in: 3...Double.infinity)
    public var maximumEdges: Int? = nil

    @Parameter("Continuation of the surface in a hole.")
    public var fill: Fill = .smooth

    @Parameter("Close holes even where the patch intersects the surface.")
    public var allowIntersections = false

    @Parameter(
      "Classes at whose faces holes stay open, such as those of doors and windows: if a quarter of a hole's edges or more are theirs."
    )
    public var keepOpen: [ClassLabel] = []

    public init() {}
  }

  /// How the surface goes on in a hole.
  public enum Fill: String, CaseIterable, ParameterValue {
    /// As it is around the hole, with new vertices.
    case smooth
    /// Flat, without new vertices.
    case flat
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    (parameters.fill == .flat ? 20 : 50) * scene.faceCount
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.warnOfPointsAlone(scene, work: "fill holes between")
    let maximumSize = parameters.maximumSize.resolved(
      extent: Double(scene.bounds.extent), in: scene.coordinateSystem)
    var holes: [HoleFilling.Hole] = []
    warnOfUnknownClasses(scene, context)
    try scene.updateMeshes(in: context) { mesh in
      let names = mesh.classes?.names ?? []
      let options = HoleFilling.Options(
        maximumSize: maximumSize, maximumEdges: parameters.maximumEdges ?? .max,
        isSmooth: parameters.fill == .smooth, allowsIntersections: parameters.allowIntersections,
        openLabels: Set(names.indices.filter { keepsOpen(names[$0]) }.map { UInt16($0) }))
      holes += try HoleFilling.run(&mesh, options) { _ in try context.checkCancellation() }
    }
    report(holes, scene.coordinateSystem, to: context)
    return scene
  }

  private func keepsOpen(_ className: String) -> Bool {
    parameters.keepOpen.contains { $0.matches(className) }
  }

  private func warnOfUnknownClasses(_ scene: borrowing Scene, _ context: StageContext) {
    let known =
      scene.meshes.flatMap { $0.classes?.names ?? [] } + FaceClasses.arkitNames
      + FaceClasses.roomNames
    for label in parameters.keepOpen where !known.contains(where: label.matches) {
      let nearest = nearestName(to: label.name, in: known).map { " (did you mean '\($0)'?)" } ?? ""
      context.warn("'keepOpen' has the unknown class '\(label.name)'\(nearest)")
    }
  }

  /// The largest holes are listed, up to this many.
  private static let mostListed = 100

  private func report(
    _ holes: [HoleFilling.Hole], _ system: CoordinateSystem, to context: StageContext
  ) {
    let filled = holes.count { $0.outcome.isFilled }
    context.note("filledHoles", filled.json)
    context.note("openHoles", (holes.count - filled).json)
    context.note("summary", "holes: \(filled) filled, \(holes.count - filled) open".json)
    let listed = holes.enumerated().sorted {
      ($1.element.size, $0.offset) < ($0.element.size, $1.offset)
    }.prefix(Self.mostListed)
    let entries = listed.map { $0.element.json(in: system) }
    if !entries.isEmpty { context.note("holes", JSONValue(.array(entries))) }
  }
}

extension HoleFilling.Hole {
  fileprivate func json(in system: CoordinateSystem) -> JSONValue {
    JSONValue(
      .object([
        .init("edges", edgeCount.json),
        .init("millimeters", Length(units: size, in: system).millimeters(digits: 1)),
        .init(
          "center",
          JSONValue(
            .array(
              [center.x, center.y, center.z].map { $0.json(digits: 3) }))),
        .init(outcome.isFilled ? "filled" : "open", outcome.words.json),
      ]))
  }
}

extension HoleFilling.Outcome {
  fileprivate var words: String {
    switch self {
    case .flat: "flat"
    case .smooth: "smooth"
    case .planes: "along planes"
    case .tooLarge: "larger than 'maximumSize'"
    case .tooManyEdges: "more edges than 'maximumEdges'"
    case .keptOpen: "beside faces of 'keepOpen'"
    case .outline: "the outline of a flat piece"
    case .impossible: "an edge would have three faces"
    case .mixedWinding: "the faces around it are wound both ways; run 'clean' first"
    case .intersecting: "the patch would intersect the surface"
    }
  }
}
