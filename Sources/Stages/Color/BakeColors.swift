public import MeshPipeline
import Photogrammetry
import Rendering

/// Colours vertices and points from the frames of a capture, or vertices from the model's own textures.
public struct BakeColors: Stage {
  public static let summary =
    "Colours vertices and points from the frames of a capture, or vertices from the model's own textures."
  public static let discussion = """
    Each vertex, and each point of a point cloud, gets the consensus colour of the frames that \
    see it, after exposure and white balance have been equalised across frames as in \
    `bake-texture`. Outliers (a person, a chair that was moved) are rejected, and blurred frames \
    get less weight.

    Vertices that no frame sees take their colours from their neighbours; the report has the \
    share of that area, or of the points where there are no faces.

    Without frames, or with `from: model`, vertices get the mean colour that the surface around them has by its textures, \
    materials and colours of faces; the materials' own colours and textures are removed, since programs would multiply \
    the two. `sample-points` does the same for points.

    A point cloud without normals is seen by every frame that looks towards it; meshes in the \
    same scene occlude points.

    Colours are as fine as the vertices: a decimated wall has too few of them, and is better \
    served by `bake-texture`.
    """
  public static let example = #"""
    { "use": "bake-colors" }
    """#

  public static let dataFlow = StageDataFlow(uses: [.frames], makes: [.colors])
  public static let relativeCost = 30.0

  public struct Parameters: StageParameters {
    @Parameter("Source of the colours.")
    public var from = Source.auto

    @Parameter("Equalise exposure and white balance across frames.")
    public var exposure = true

    @Parameter("Use the frames' depth maps to detect occlusion.", formerly: "depthTest")
    public var useDepth = true

    @Parameter("Expected error of the mesh against the true surface.", in: 0...10, scope: .detail)
    public var meshError = Length(meters: 0.01)

    @Parameter(
      "Minimum share of the surface that frames must see; those that see less probably belong to another scan.",
      in: 0...1)
    public var minimumSeen = 0.05

    @Parameter(
      "Memory limit for decoded frames in MiB; lower values decode fewer frames concurrently.",
      in: 16...1e6)
    public var memory = 256

    public init() {}
  }

  /// What colours come from.
  public enum Source: String, CaseIterable, ParameterValue {
    /// The frames, or the model if there are none.
    case auto
    /// The photographs of a capture.
    case frames
    /// The textures, materials and colours of faces that the model has.
    case model
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var objectionToSplats: String? {
    "they have colours of their own, which depend on the direction of view"
  }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    guard scene.frameCount > 0 else { return 0 }
    return 300 * scene.faceCount + 70 * scene.framePixelCount
      + min(parameters.memory << 20, 12 * scene.faceCount * scene.frameCount)
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount + scene.pointCount > 0 else {
      try context.progress(1)
      return scene
    }
    let frames = scene.capture?.frames ?? []
    if parameters.from == .model || parameters.from == .auto && frames.isEmpty {
      try paintFromModel(&scene, in: context)
      try context.progress(1)
      return scene
    }
    guard !frames.isEmpty else { throw BakingFailure.noFrames }
    var options = BakeOptions(
      meshError: Float(parameters.meshError.meters), usesDepth: parameters.useDepth,
      equalizesExposure: parameters.exposure, imageMemory: parameters.memory << 20)
    options.analysis.reduction = 1
    options.localExposure = nil
    let surface = try ObservedSurface(scene)
    let mesh = BakeMesh(surface, points: scene.pointClouds)
    let calibration = try FrameObservations(
      mesh, on: surface, frames: frames, from: context.frameStore, options: options
    ) {
      try context.progress(0.02 + 0.9 * $0)
    }.calibration
    try calibration.report(to: context)
    guard calibration.consensus.colors.contains(where: { $0.w > 0 }) else {
      throw BakingFailure.nothingSeen(UnseenReason(calibration).sentence)
    }
    try UnseenArea(mesh, colors: calibration.consensus.colors, classes: scene.classNames)
      .report(calibration, atLeast: parameters.minimumSeen, to: context)
    scene.warnOfTextures(under: "bake-colors", in: context)
    paint(&scene, calibration.filledColors())
    try PhotographAgreement.report(of: scene, to: context, warns: false)
    try context.progress(1)
    return scene
  }

  private func paintFromModel(_ scene: inout Scene, in context: StageContext) throws {
    let surface = SurfaceColors(scene, in: context)
    guard surface != nil || scene.meshes.contains(where: { $0.faceColors != nil }) else {
      throw BakingFailure.noColors
    }
    for index in scene.meshes.indices {
      let mesh = scene.meshes[index]
      // Materials of other meshes say nothing of this one.
      let hasMaterials = mesh.faceMaterials != nil && mesh.faceCount > 0
      let colors = hasMaterials ? surface?.colors(ofVerticesOf: mesh, index: index) : nil
      scene.meshes[index].paint(colors ?? mesh.vertexColors)
      try context.progress(Double(index + 1) / Double(scene.meshes.count + 1))
    }
    if surface != nil { scene.removeMaterialColors() }
  }

  private func paint(_ scene: inout Scene, _ colors: [SIMD4<Float>]) {
    let places = PositionWelder.weld(scene.meshes.flatMap(\.positions)).vertices
    var first = 0
    for index in scene.meshes.indices {
      let count = scene.meshes[index].vertexCount
      scene.meshes[index].paint(
        (first..<first + count).map { Color(light: colors[Int(places[$0])]) })
      first += count
    }
    var point = colors.count - scene.pointCount
    for index in scene.pointClouds.indices {
      let count = scene.pointClouds[index].positions.count
      scene.pointClouds[index].colors = (point..<point + count).map { Color(light: colors[$0]) }
      point += count
    }
  }
}
