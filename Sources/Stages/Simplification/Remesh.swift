public import MeshPipeline
import SurfaceKernels

/// Gives the surface faces with nearly equal edges and angles.
public struct Remesh: Stage {
  public static let otherNames = ["remeshing", "isotropic", "retopologize", "uniform", "resample"]
  public static let summary = "Gives the surface faces with nearly equal edges and angles."
  public static let discussion = """
    Long edges are split, short ones collapsed, edges flipped towards vertices with six neighbours, and \
    vertices moved along the surface, in turn (Botsch and Kobbelt 2004). With `maximumError`, edges are \
    shorter where the surface is more curved (Dunyach and others 2013).

    - **Length**: `edgeLength` or `faces`; without either, the number of faces stays about the same.
    - **Lines** stay in place: open borders, edges of at least `creaseAngle`, seams of texture \
    coordinates, and borders between classes and materials. Vertices slide along them, and corners stay; \
    bends that are shorter than an edge go. Sharp edges that are too few in a row for the new edges count as \
    noise: open groups shorter than three new edges, and ends of lines shorter than one. Closed lines, such \
    as rims, stay.
    - **Distance**: vertices lie on the surface. A step that would move the surface by more than 3% of an \
    edge is not taken, and no face turns over. In the end edges are flipped where that brings the surface \
    nearer and leaves no thin faces. The report names how far the middles of faces are from the old \
    surface.
    - **Attributes** are those of the old surface at the nearest point, texture coordinates on the same \
    side of a seam. Normals are computed again where the mesh has some; tangents go.
    - **Topology** stays: no hole opens or closes, and no edge gets a third face. Vertices that are \
    not manifold stay, and so do faces at edges that are not. Faces with a vertex twice, or with a coordinate that is not finite, \
    are left out.

    Run `weld` and `clean` first, so that faces share vertices, and `smooth` a noisy scan: faces over noise \
    are less even.
    """
  public static let example = #"{ "use": "remesh", "with": { "faces": "50%" } }"#
  public static let relativeCost = 9.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Length of the edges, as a length or as a share of the extent; overrides 'faces'.",
      in: 0...Double.infinity)
    public var edgeLength: RelativeLength? = nil

    @Parameter("Approximate number of faces, as a count or as a share of the mesh's faces.")
    public var faces = Amount.fraction(1)

    @Parameter(
      "Maximum distance between the surface and its edges, for which curved parts get shorter edges; the same length everywhere if absent.",
      in: 0...Double.infinity, scope: .detail, formerly: "curvatureError")
    public var maximumError: RelativeLength? = nil

    @Parameter(
      "Angle between two faces from which on their edge stays.", in: .degrees(1...180),
      formerly: "featureAngle")
    public var creaseAngle = Angle(degrees: 45)

    @Parameter(
      "Number of rounds of splitting, collapsing, flipping and moving: with fewer the surface stays nearer and faces are less even; one alone most often leaves more faces than asked for.",
      in: 1...20)
    public var iterations = 5

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    180 * max(scene.faceCount, expectedFaceCount(from: scene.faceCount))
  }

  public func expectedFaceCount(from faces: Int) -> Int {
    parameters.edgeLength == nil ? parameters.faces.resolved(of: faces) : faces
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.warnOfPointsAlone(scene, work: "remesh")
    let system = scene.coordinateSystem
    let extent = Double(scene.bounds.extent)
    let total = Double(max(1, scene.faceCount))
    var done = 0.0
    var results: [(result: Remeshing.Result, faces: Int)] = []
    try context.progress(0)
    for index in scene.meshes.indices {
      let faces = scene.meshes[index].faceCount
      let options = Remeshing.Options(
        size: parameters.edgeLength.map { .length($0.resolved(extent: extent, in: system)) }
          ?? .faces(parameters.faces.resolved(of: faces)),
        curvatureError: parameters.maximumError?.resolved(extent: extent, in: system),
        featureAngle: parameters.creaseAngle.radians, iterations: parameters.iterations)
      let result = try Remeshing.run(&scene.meshes[index], options) {
        try context.progress((done + $0 * Double(faces)) / total)
      }
      results.append((result, scene.meshes[index].faceCount))
      done += Double(faces)
    }
    report(results, system, to: context)
    try context.progress(1)
    return scene
  }

  /// Reports the edges of the mesh with the most faces, and distances of all.
  private func report(
    _ results: [(result: Remeshing.Result, faces: Int)], _ system: CoordinateSystem,
    to context: StageContext
  ) {
    guard let main = results.max(by: { $0.faces < $1.faces })?.result else { return }
    func millimeters(_ units: Double) -> JSONValue {
      Length(units: units, in: system).millimeters(digits: 3)
    }
    let faces = Double(max(1, results.reduce(0) { $0 + $1.faces }))
    let mean = results.reduce(0) { $0 + $1.result.meanDistance * Double($1.faces) } / faces
    context.note("edgeMillimeters", millimeters(main.edgeLength))
    context.note("meanDistanceMillimeters", millimeters(mean))
    context.note(
      "largestDistanceMillimeters", millimeters(results.map(\.result.largestDistance).max() ?? 0))
    let removed = results.reduce(0) { $0 + $1.result.removedFaces }
    guard removed > 0 else { return }
    context.note("removedFaces", removed.json)
    context.warn(
      "left out \(NumberText.grouped(removed)) faces with a vertex twice or a coordinate that is not "
        + "finite; run 'clean' before 'remesh'")
  }
}

extension Remeshing.TooManyFaces: StageFailure {
  /// The problem, and the options of the stage that are the way out.
  package var message: String {
    "'edgeLength', 'faces' or 'maximumError' would give \(Self.text(count)) faces, more than "
      + "\(Self.text(Double(most))); choose longer edges, or run 'crop' first"
  }

  private static func text(_ count: Double) -> String {
    count < 1e12 ? "\(NumberText.grouped(Int(count / 1e6))) million" : "endlessly many"
  }
}
