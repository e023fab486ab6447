public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Reduces the number of faces while the shape, its borders and its classes stay.
public struct Decimate: Stage {
  public static let otherNames = ["simplify", "reduce", "decimation", "qslim"]
  public static let summary =
    "Reduces the number of faces while the shape, its borders and its classes stay."
  public static let discussion = """
    Removes the edges that matter least, in the order of the error that this makes. The meshes of a \
    scene are thinned together, so that the result is as even as if they were one, and nothing tears \
    between them. All cores take part, and the result does not depend on how many there are.

    `quality` says what the time is spent on. With `balanced` and `best` the ends of a removed edge \
    go where the surface changes least (Lindstrom and Turk 1998); normals, colours, confidence and \
    texture coordinates are those that the original surface has there. With `fast` one end goes onto \
    the other one (Garland and Heckbert 1997), so that what is left is a part of the original \
    vertices, with exactly the attributes that they had. Faces keep their materials and classes.

    A closed mesh stays closed, no edge gets a third face, no hole opens or closes, and no face is \
    turned over. This limits how far a mesh can go: when the target can't be reached, the stage says \
    so and why. `maxError` ends it earlier; it bounds the root of the mean squared distance between \
    a vertex and the planes of the original surface that it stands for, so that single points may \
    be off by some times as much.

    Before a texture is baked, `texelError` bounds the same error by what the texture can show: in pixels \
    of the capture's frames, by the size that a pixel has on the surface where its best frame shows it \
    (the median over the surface), and apart from the lines of `preserve`. Ask for a twentieth: small parts beside \
    large flat ones are off by some times as much. An error of half the mesh's own noise, which neighbouring vertices tell of, may be made \
    however fine the pixels are. So an exact mesh keeps what the texture needs, and a noisy scan is thinned \
    as far as its noise allows. Without frames that see the surface `texelError` is left out of account. \
    `most` bounds the number of faces whatever the error.

    `preserve` names the lines that keep their place: open borders, borders between classes, and \
    seams of texture coordinates or hard normals. Lines that are not named are simplified like the \
    rest of the surface: borders and seams stay closed, but may get straighter; borders between \
    classes may move by the length of an edge. Materials are always kept apart.

    Run `weld` before when faces do not share vertices, and `clean` when there are degenerate or \
    duplicate faces.
    """
  public static let example = #"""
    { "use": "decimate", "with": { "target": "20%", "maxError": "5mm" } }
    """#

  public static let relativeCost = 10.0

  public struct Parameters: StageParameters {
    @Parameter("The faces to keep, as a count or as a share of those that the scene has.")
    public var target = Amount.fraction(0.2)

    @Parameter(
      "The largest error, as a length or as a share of the scene's extent; no limit when absent.",
      in: 0...Double.infinity)
    public var maxError: RelativeLength? = nil

    @Parameter(
      "The largest error in pixels of the capture's frames on the surface; no limit when absent.",
      in: 0...1000)
    public var texelError: Double? = nil

    @Parameter("The most faces that stay, whatever the error; no limit when absent.")
    public var most: Amount? = nil

    @Parameter("What counts more, time or a small error.")
    public var quality: Quality = .balanced

    @Parameter("The lines that keep their place.")
    public var preserve: [Line] = [.borders, .classification, .seams]

    public init() {}
  }

  /// What the time is spent on.
  public enum Quality: String, CaseIterable, ParameterValue {
    /// Vertices stay where they are or go.
    case fast
    /// Vertices that are left fit the surface.
    case balanced
    /// The least error, in about twice the time of `balanced`.
    case best
  }

  /// A kind of line on the surface.
  public enum Line: String, CaseIterable, ParameterValue {
    /// Edges with a face on one side only.
    case borders
    /// Edges between faces of different classes.
    case classification
    /// Edges where texture coordinates or hard normals differ on the two sides.
    case seams
  }

  public enum Failure: StageFailure, Equatable {
    case tooManyFaces(Int)

    public var message: String {
      switch self {
      case .tooManyFaces(let count):
        "\(count) faces are more than decimate can number (\(Decimate.maximumFaceCount)); "
          + "'split' or 'crop' the scene before"
      }
    }
  }

  /// Corners are numbered in 32 bits, eight per face.
  static let maximumFaceCount = 500_000_000

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedFaceCount(from faces: Int) -> Int {
    min(faces, target(of: faces))
  }

  /// The faces to go down to.
  private func target(of faces: Int) -> Int {
    min(parameters.target.resolved(of: faces), mostFaces(of: faces))
  }

  /// The most faces that stay.
  private func mostFaces(of faces: Int) -> Int { parameters.most?.resolved(of: faces) ?? .max }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let before = scene.faceCount
    if before == 0, scene.pointCount > 0 {
      context.warn(
        "there are no faces to thin: the \(NumberText.grouped(scene.pointCount)) points stay as they are"
      )
    }
    guard before <= Self.maximumFaceCount else { throw Failure.tooManyFaces(before) }
    let target = target(of: before)
    guard target < before else {
      try context.progress(1)
      return scene
    }
    warnAboutUnsharedVertices(scene.meshes, context)
    let limit = try maximumError(for: scene, context)
    let most = max(mostFaces(of: before), target)
    var result = try thin(&scene, to: target, maximumError: limit) {
      fraction throws(Cancelled) in try context.progress(0.05 + 0.9 * fraction)
    }
    if scene.faceCount > most {
      let error = result.error
      result = try thin(&scene, to: most, maximumError: .infinity) {
        fraction throws(Cancelled) in try context.progress(0.95 + 0.05 * fraction)
      }
      result.error = max(result.error, error)
    }
    report(result, target: target, before: before, scene, context)
    try context.progress(1)
    return scene
  }

  /// Thins the meshes of a scene together.
  private func thin(
    _ scene: inout Scene, to target: Int, maximumError: Double,
    progress: (Double) throws(Cancelled) -> Void
  ) throws -> EdgeCollapse.Result {
    var options = EdgeCollapse.Options(targetFaceCount: target)
    options.maximumError = Float(maximumError)
    options.boundsSurfaceAlone = parameters.texelError != nil && maximumError.isFinite
    options.holdsBorders = parameters.preserve.contains(.borders)
    options.holdsSeams = parameters.preserve.contains(.seams)
    options.movesVertices = parameters.quality != .fast
    options.isThorough = parameters.quality == .best
    var surface = EdgeCollapse.Surface(
      scene.meshes, separatesClasses: parameters.preserve.contains(.classification))
    let keepsFaces =
      surface.wedges != nil
      || options.movesVertices && scene.meshes.contains(where: \.hasSurfaceAttributes)
    if !keepsFaces {
      // The surface alone has them now, and lets them go.
      for index in scene.meshes.indices { scene.meshes[index].indices = [] }
    }
    let result = try EdgeCollapse.run(
      &surface, options, keepsFaces: keepsFaces, progress: progress)
    result.apply(to: &scene.meshes, of: surface)
    scene.meshes.removeAll { $0.faceCount == 0 }
    return result
  }

  /// The largest error in units of the scene; infinite when nothing limits it.
  private func maximumError(
    for scene: borrowing Scene, _ context: StageContext
  ) throws -> Double {
    let given = parameters.maxError?.resolved(
      extent: Double(scene.bounds.extent), metersPerUnit: scene.coordinateSystem.metersPerUnit)
    let textured = try textureError(for: scene, context)
    return min(given ?? .infinity, textured ?? .infinity)
  }

  /// The largest error that the texture doesn't show, in units of the scene; nil when nothing asks for it
  /// or no frame sees the surface.
  private func textureError(
    for scene: borrowing Scene, _ context: StageContext
  ) throws -> Double? {
    guard let texels = parameters.texelError, let frames = scene.capture?.frames, !frames.isEmpty
    else { return nil }
    let tolerance = try TextureTolerance(of: ObservedSurface(scene), seenBy: frames)
    let metersPerUnit = scene.coordinateSystem.metersPerUnit
    guard let texel = tolerance.texel else { return nil }
    context.note("texelMeters", (texel * metersPerUnit).json)
    context.note("noiseMeters", (tolerance.noise * metersPerUnit).json)
    return tolerance.largestError(texels: texels)
  }

  private func report(
    _ result: borrowing EdgeCollapse.Result, target: Int, before: Int, _ scene: borrowing Scene,
    _ context: StageContext
  ) {
    let meters = Double(result.error) * scene.coordinateSystem.metersPerUnit
    context.note("errorMeters", JSONValue(.number(meters)))
    let count = result.faces.count
    switch result.stop {
    case .target: break
    // That an error bound ends it is what the bound is for; that the surface does is a surprise.
    case .error:
      context.note(
        "stoppedBy",
        .init(.string("the error bound before \(NumberText.grouped(target)) faces")))
    case .topology where Double(count) > Double(target) * 1.01:
      context.note("stoppedBy", "topology")
      context.warn(
        "kept \(count) of \(before) faces instead of \(target): no further step keeps the surface "
          + "and the lines on it whole; see 'preserve', or run 'clean' or 'remove-fragments' before"
      )
    case .topology: context.note("stoppedBy", "topology")
    }
  }

  /// Warns when many faces of a mesh lie side by side without sharing vertices.
  private func warnAboutUnsharedVertices(_ meshes: [Mesh], _ context: StageContext) {
    for mesh in meshes {
      // A closed surface has half as many vertices as faces, a soup three times as many.
      guard mesh.faceCount > 0, mesh.vertexCount > 2 * mesh.faceCount else { continue }
      let name = mesh.name.isEmpty ? "a mesh" : "mesh '\(mesh.name)'"
      context.warn("the faces of \(name) share few vertices; run 'weld' before 'decimate'")
    }
  }
}
