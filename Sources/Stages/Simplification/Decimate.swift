public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Reduces the number of faces while preserving shape, borders and classes.
public struct Decimate: Stage {
  public static let otherNames = ["simplify", "reduce", "decimation", "qslim"]
  public static let summary =
    "Reduces the number of faces while preserving shape, borders and classes."
  public static let discussion = """
    Collapses edges in order of the error that this causes, over all meshes of the scene \
    together, on all cores. With `balanced` and `best` vertices move to where the surface \
    changes least (Lindstrom and Turk 1998); with `fast` one end of an edge is moved onto the \
    other (Garland and Heckbert 1997).

    Run `weld` first when faces do not share vertices, and `clean` when there are degenerate or \
    duplicate faces. The result does not depend on the number of cores, and no gaps open between \
    meshes.

    - **Attributes**: with `balanced` and `best`, normals, colours, confidence and texture \
    coordinates are those of the original surface at the new position. With `fast` the remaining \
    vertices are original ones with their original attributes. Faces keep their materials and \
    classes.
    - **Textures**: a shift of the picture on the surface counts like a distance of the same \
    length, measured at the mean scale of each material (Hoppe 1999). Seams stay closed, both \
    sides of a seam are simplified together, and no face flips in the texture. Texture \
    coordinates that differ by less than a sixteenth of a pixel of 4096 don't make one.
    A mesh that gets new ones by `unwrap` and `bake-maps` is decimated further without the old: `"textures": "drop"`.
    - **Topology**: a closed mesh stays closed, no edge gets a third face, no hole opens or \
    closes, and no face flips. This limits how far a mesh can be reduced: when the target can't \
    be reached, the stage says so and why.
    - **`maximumError`** stops earlier. It bounds the RMS distance between a vertex and the planes \
    of the original surface that it represents, so single points may be off by a few times as \
    much.
    - **`maximumPixelError`** is for meshes that will be textured. It bounds the same error by what the \
    texture can show: in pixels of the capture's frames, using the size of a pixel on the \
    surface in the best frame that sees it (the median over the surface), and not along the \
    lines in `preserve`. Use about 0.05: small parts next to large flat ones are off by a few \
    times as much. An error of half the mesh's own noise, estimated from neighbouring vertices, \
    is allowed however fine the pixels are. So an exact mesh keeps what the texture needs, and a \
    noisy scan is decimated as far as its noise allows. Without frames that see the surface \
    `maximumPixelError` is ignored. `maximumFaces` limits the number of faces whatever the error.
    - **`preserve`** names the lines that stay in place: open borders, borders between classes, \
    and seams of texture coordinates or hard normals. Other lines are simplified like the rest \
    of the surface: borders and seams stay closed but may get straighter; borders between \
    classes may move by the length of an edge. Materials are always kept apart.
    """
  public static let example = #"""
    { "use": "decimate", "with": { "faces": "20%", "maximumError": "5mm" } }
    """#

  public static let relativeCost = 10.0
  public static let role: StageRole? = .standsInSnippets

  public struct Parameters: StageParameters {
    @Parameter(
      "Number of faces to keep, as a count or as a share of the scene's faces; 0 for as few as the error allows.",
      formerly: "target")
    public var faces = Amount.fraction(0.2)

    @Parameter(
      "Maximum error, as a length or as a share of the scene's extent; unlimited if absent.",
      in: 0...Double.infinity, scope: .detail, formerly: "maxError")
    public var maximumError: RelativeLength? = nil

    @Parameter(
      "Maximum error in pixels of the capture's frames on the surface; unlimited if absent.",
      in: 0...1000, formerly: "texelError")
    public var maximumPixelError: Double? = nil

    @Parameter(
      "Maximum number of faces, whatever the error; unlimited if absent.", formerly: "most")
    public var maximumFaces: Amount? = nil

    @Parameter("Trade-off between time and error.")
    public var quality: Quality = .balanced

    @Parameter("Treatment of textures: kept in place, or dropped for a mesh that gets new ones.")
    public var textures = Textures.keep

    @Parameter("Lines that stay in place.")
    public var preserve: [Line] = [.borders, .classification, .seams]

    public init() {}
  }

  /// The trade-off between time and error.
  public enum Quality: String, CaseIterable, ParameterValue {
    /// Vertices stay in place or are removed.
    case fast
    /// Remaining vertices are moved to fit the surface.
    case balanced
    /// The smallest error, in about twice the time of `balanced`.
    case best
  }

  /// What becomes of textures.
  public enum Textures: String, CaseIterable, ParameterValue {
    /// They stay where they are on the surface.
    case keep
    /// Textures, texture coordinates and tangents are left out.
    case drop
  }

  /// A kind of line on the surface.
  public enum Line: String, CaseIterable, ParameterValue {
    /// Edges with one face.
    case borders
    /// Edges between faces of different classes.
    case classification
    /// Edges where texture coordinates or hard normals differ on the two sides.
    case seams
  }

  /// Why the scan could not be decimated.
  public enum Failure: StageFailure, Equatable {
    /// It has more faces than 32-bit numbers of corners allow.
    case tooManyFaces(Int)

    public var message: String {
      switch self {
      case .tooManyFaces(let count):
        "\(count) faces are more than 'decimate' supports (\(Decimate.maximumFaceCount)); "
          + "run 'split' or 'crop' first"
      }
    }
  }

  /// Corners are numbered in 32 bits, eight per face.
  static let maximumFaceCount = 500_000_000

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 60 * scene.faceCount }

  public func expectedFaceCount(from faces: Int) -> Int {
    min(faces, target(of: faces))
  }

  /// The number of faces to keep.
  private func target(of faces: Int) -> Int {
    min(parameters.faces.resolved(of: faces), mostFaces(of: faces))
  }

  /// The maximum number of faces.
  private func mostFaces(of faces: Int) -> Int {
    parameters.maximumFaces?.resolved(of: faces) ?? .max
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let before = scene.faceCount
    try context.warnOfPointsAlone(scene, work: "decimate")
    guard before <= Self.maximumFaceCount else { throw Failure.tooManyFaces(before) }
    if parameters.textures == .drop { scene.dropTextures() }
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

  /// Decimates the meshes of a scene together.
  private func thin(
    _ scene: inout Scene, to target: Int, maximumError: Double,
    progress: (Double) throws(Cancelled) -> Void
  ) throws -> EdgeCollapse.Result {
    var options = EdgeCollapse.Options(targetFaceCount: target)
    options.maximumError = Float(maximumError)
    options.boundsSurfaceAlone = parameters.maximumPixelError != nil && maximumError.isFinite
    options.holdsBorders = parameters.preserve.contains(.borders)
    options.holdsSeams = parameters.preserve.contains(.seams)
    options.movesVertices = parameters.quality != .fast
    options.isThorough = parameters.quality == .best
    var surface = EdgeCollapse.Surface(
      scene.meshes, separatesClasses: parameters.preserve.contains(.classification))
    let keepsFaces = options.movesVertices && scene.meshes.contains(where: \.hasSurfaceAttributes)
    if !keepsFaces, surface.wedges == nil {
      // The surface now owns them, and releases them.
      for index in scene.meshes.indices { scene.meshes[index].indices = [] }
    }
    let result = try EdgeCollapse.run(
      &surface, options, keepsFaces: keepsFaces, progress: progress)
    result.apply(to: &scene.meshes, of: surface)
    scene.meshes.removeAll { $0.faceCount == 0 }
    return result
  }

  /// The maximum error in units of the scene; infinite if unlimited.
  private func maximumError(
    for scene: borrowing Scene, _ context: StageContext
  ) throws -> Double {
    let given = parameters.maximumError?.resolved(
      extent: Double(scene.bounds.extent), in: scene.coordinateSystem)
    let textured = try textureError(for: scene, context)
    return min(given ?? .infinity, textured ?? .infinity)
  }

  /// The maximum error that the texture doesn't show, in units of the scene; nil if not requested
  /// or if no frame sees the surface.
  private func textureError(
    for scene: borrowing Scene, _ context: StageContext
  ) throws -> Double? {
    guard let texels = parameters.maximumPixelError, let frames = scene.capture?.frames,
      !frames.isEmpty
    else { return nil }
    let tolerance = try TextureTolerance(of: ObservedSurface(scene), seenBy: frames)
    let system = scene.coordinateSystem
    guard let texel = tolerance.texel else { return nil }
    context.note("texelMeters", Length(units: texel, in: system).meters.json)
    context.note("noiseMeters", Length(units: tolerance.noise, in: system).meters.json)
    return tolerance.largestError(texels: texels)
  }

  private func report(
    _ result: borrowing EdgeCollapse.Result, target: Int, before: Int, _ scene: borrowing Scene,
    _ context: StageContext
  ) {
    let error = Length(units: Double(result.error), in: scene.coordinateSystem)
    context.note("errorMeters", JSONValue(.number(error.meters)))
    let count = result.faces.count
    switch result.stop {
    case .target: break
    case .error:
      context.note(
        "stoppedBy",
        .init(.string("the error bound before \(NumberText.grouped(target)) faces")))
      // Of a share less is expected, but a number was meant.
      if case .count(let wanted) = parameters.faces, wanted > 0, isFar(count, from: target) {
        let bound = parameters.maximumError == nil ? "maximumPixelError" : "maximumError"
        warnOfMissedTarget(
          kept: count, of: before, target: target, to: context,
          cause: "fewer would exceed the error bound; raise '\(bound)'")
      }
    case .topology where isFar(count, from: target):
      context.note("stoppedBy", "topology")
      let isTextured = scene.meshes.contains { $0.textureCoordinates != nil }
      let remedy =
        isTextured && parameters.preserve.contains(.seams)
        ? "give up the texture's places with textures=drop" : "see 'preserve'"
      warnOfMissedTarget(
        kept: count, of: before, target: target, to: context,
        cause: "no further step keeps the surface and the lines on it whole; "
          + "\(remedy), or run 'clean' or 'remove-fragments' before")
    case .topology: context.note("stoppedBy", "topology")
    }
  }

  private func isFar(_ count: Int, from target: Int) -> Bool {
    Double(count) > Double(target) * 1.01
  }

  private func warnOfMissedTarget(
    kept count: Int, of before: Int, target: Int, to context: StageContext, cause: String
  ) {
    context.warn("kept \(count) of \(before) faces instead of \(target): \(cause)")
  }

  /// Warns if many faces of a mesh are adjacent without sharing vertices.
  private func warnAboutUnsharedVertices(_ meshes: [Mesh], _ context: StageContext) {
    for mesh in meshes {
      // A closed surface has half as many vertices as faces, a triangle soup three times as many.
      guard mesh.faceCount > 0, mesh.vertexCount > 2 * mesh.faceCount else { continue }
      let name = mesh.name.isEmpty ? "a mesh" : "mesh '\(mesh.name)'"
      context.warn("the faces of \(name) share few vertices; run 'weld' before 'decimate'")
    }
  }
}
