public import MeshPipeline
import SurfaceKernels

/// Removes noise from the surface; edges stay sharp and the volume stays the same.
public struct Smooth: Stage {
  public static let otherNames = ["denoise", "smoothing", "taubin", "laplacian", "fairing"]
  public static let summary =
    "Removes noise from the surface; edges stay sharp and the volume stays the same."
  public static let discussion = """
    With `bilateral`, the normals of faces are filtered so that small differences go and large ones stay, \
    and vertices are moved to fit them (Zheng and others 2011). With `taubin`, vertices move towards and \
    away from the mean of their neighbours in turn, which removes short waves without shrinking (Taubin \
    1995); those on edges move as with `bilateral`.

    - **Strength** is the noise: the standard deviation of vertices along the normals. Larger noise \
    means more passes, and larger differences of normals that count as noise. By default it is estimated \
    from the mesh: the deviation from a smooth surface over five rings of vertices, fewer where it \
    turns, where the mesh is smoothest. A mesh without noise stays as it is. The report names the estimate.
    - **Outliers**, single vertices farther from the surface around them than six times what the others \
    deviate, are put on it first.
    - **Bounds**: no vertex moves farther than `maximumShift`. Vertices on open borders and \
    between classes, and vertices whose confidence is above the median, move less.
    - **Waves** much longer than the edges, as from wrong poses, are not noise but shape.
    - **Edges**: `bilateral` also sharpens edges that the scan has chamfered; `taubin` keeps those of \
    25 degrees and more, and makes others round.

    Normals are computed again where the mesh has some; hard edges stay hard. Other attributes stay at \
    their vertices, corners and faces. Run `weld` first when faces do not share vertices, and smooth \
    before `decimate`.
    """
  public static let example = #"{ "use": "smooth", "with": { "noise": "2mm" } }"#
  public static let relativeCost = 4.0

  public struct Parameters: StageParameters {
    @Parameter("Kind of noise: small differences of normals, or short waves.")
    public var method: Method = .bilateral

    @Parameter(
      "Standard deviation of the noise along the normals; estimated from the mesh if absent.",
      in: 0...Double.infinity, scope: .detail)
    public var noise: Length? = nil

    @Parameter(
      "Maximum distance that a vertex moves; four times the noise, outliers any, if absent.",
      in: 0...Double.infinity, scope: .detail)
    public var maximumShift: Length? = nil

    public init() {}
  }

  /// What counts as noise.
  public enum Method: String, CaseIterable, ParameterValue {
    /// Small differences of normals: edges stay.
    case bilateral
    /// Short waves: edges of less than 25 degrees become round.
    case taubin
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 40 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.warnOfPointsAlone(scene, work: "smooth")
    let system = scene.coordinateSystem
    var options = SurfaceSmoothing.Options()
    options.method = parameters.method == .taubin ? .taubin : .bilateral
    options.noise = parameters.noise?.units(in: system)
    options.maximumShift = parameters.maximumShift?.units(in: system)
    var results: [(result: SurfaceSmoothing.Result, faces: Int)] = []
    let total = Double(max(1, scene.faceCount))
    var done = 0.0
    try context.progress(0)
    for index in scene.meshes.indices {
      let faces = scene.meshes[index].faceCount
      let result = try SurfaceSmoothing.run(&scene.meshes[index], options) {
        try context.progress((done + $0 * Double(faces)) / total)
      }
      results.append((result, faces))
      done += Double(faces)
    }
    report(results, system, to: context)
    try context.progress(1)
    return scene
  }

  /// Reports the noise of the mesh with the most faces, and how far vertices moved in any.
  private func report(
    _ results: [(result: SurfaceSmoothing.Result, faces: Int)], _ system: CoordinateSystem,
    to context: StageContext
  ) {
    guard let main = results.max(by: { $0.faces < $1.faces })?.result else { return }
    func millimeters(_ units: Double) -> JSONValue {
      Length(units: units, in: system).millimeters(digits: 3)
    }
    context.note("noiseMillimeters", millimeters(main.noise))
    context.note("meanShiftMillimeters", millimeters(main.meanShift))
    let largest = results.map(\.result.largestShift).max() ?? 0
    context.note("largestShiftMillimeters", millimeters(largest))
    let outliers = results.reduce(0) { $0 + $1.result.outlierCount }
    if outliers > 0 { context.note("outliers", outliers.json) }
  }
}
