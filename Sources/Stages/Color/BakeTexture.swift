public import MeshPipeline
import NativeLibraries
import Photogrammetry
import Rendering
import SurfaceKernels

/// Projects the frames of a capture onto the meshes and bakes them into a texture.
public struct BakeTexture: Stage, PartKeepingStage {
  public static let otherNames = ["texture", "texturize", "project-texture"]
  public static let summary =
    "Projects the frames of a capture onto the meshes and bakes them into a texture."
  public static let discussion = """
    Visibility is computed with rays against the whole mesh and with the frames' depth maps, \
    exposure and white balance are equalised across frames, and outliers are rejected. Each \
    place then takes its detail from the few frames with the best view of it, and frames are \
    blended where they change.

    Run `refine-poses` first: the result is only as good as the poses. Run `decimate` before \
    baking, not after: frames can be projected onto any mesh. For colours in the vertices use \
    `bake-colors`.

    - **Visibility**: depth maps keep a person who walked through an image off the wall, and the \
    floor off the side of a leg that the mesh makes too thick. Frames get less weight near \
    silhouettes and image borders, since poses are never exact.
    - **Exposure**: one gain per channel and frame, solved from all overlaps, then a smooth \
    correction within each image.
    - **Outliers**: colours that the other frames contradict are rejected. So are objects in \
    front of the mesh that are not part of it, such as a lamp's pole, a chair's leg, a cable or \
    a hanging sign: nearly all other frames show another colour at the mesh behind them. Where \
    depth maps contain the object, a smaller difference is enough.
    - **View selection**: views are rated by resolution, angle, sharpness and distance to the \
    border; neighbours prefer the same frames (a Potts model, solved by mean-field annealing). \
    Blending also crosses chart borders. Where frames are inconsistent, because poses or the \
    mesh are not exact, up to five are blended, and part of the detail lost by that is restored.
    - **Atlas**: the meshes share one texture of limited size. Regions photographed from much \
    nearer than the rest get more texels; `texelsPerMeter` makes texels uniform.
    - **Material**: the meshes get one new material without shine or tint. Photographs contain \
    the light of the scan; `shading: unlit` tells programs not to light them again, for a model \
    that is shown on its own: KHR_materials_unlit in glTF and GLB, `illum 0` in OBJ, a matt \
    material in other formats.
    - **Vertex colours** of the meshes are dropped, since most programs multiply them with the \
    texture; with `unseen: leave` vertices of untextured faces keep theirs, and so do point \
    clouds.
    - **Unseen surfaces** are filled from their surroundings (`unseen`); the report has their \
    share, in total and by class.
    - **Memory**: frames are decoded two at a time, and at half, quarter or eighth size where \
    texels are at least three pixels wide. Besides the texture, the stage keeps a few numbers \
    per vertex and view, for as many of the best views as fit into `memory`, and for at least \
    32.
    """
  public static let example = #"""
    { "use": "bake-texture", "with": { "size": 4096, "format": "jpeg" } }
    """#

  public static let dataFlow = StageDataFlow(
    needs: [.frames, .faces], makes: [.textureCoordinates, .materials, .textures],
    removes: [.tangents])
  public static let relativeCost = 60.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Width and height of a page in texels, or their maximum with 'texelsPerMeter'; if absent, chosen from the frames.",
      in: 16...16_384)
    public var size: Int? = nil

    @Parameter("Maximum page size in texels when 'size' is absent.", in: 16...16_384)
    public var maximumSize = 8192

    @Parameter(
      "Uniform texels per metre; if absent, as many as fit, and more where frames show more.",
      in: 0.1...100_000, formerly: "density")
    public var texelsPerMeter: Double? = nil

    @Parameter(
      "Layout of the surface on the pages: flattened charts, or charts as seen by the frames.")
    public var atlas = Layout.unwrapped

    @Parameter(
      "Maximum number of texture pages; each is a separate file and material. Without 'size' only as many as the frames need.",
      in: 1...64)
    public var pages = 1

    @Parameter("Encoding of the pages.")
    public var format = ImageFormat.jpeg

    @Parameter(
      "JPEG quality; from 90 on, chroma is stored at full resolution.", in: 1...100)
    public var quality = 92

    @Parameter("Treatment of surfaces that no frame sees.")
    public var unseen = Unseen.fill

    @Parameter(
      "Colour for 'unseen: color', as sRGB values from 0 to 255; if absent, grey (128).",
      in: 0...255)
    public var fillColor: NumberVector? = nil

    @Parameter(
      "Lighting of the texture, which already contains the light of the scan, by programs.")
    public var shading = Shading.lit

    @Parameter("Number of frames that are blended at one point.")
    public var blend = Blend.few

    @Parameter("Equalise exposure and white balance across frames.")
    public var exposure = true

    @Parameter("Use the frames' depth maps to detect occlusion.", formerly: "depthTest")
    public var useDepth = true

    @Parameter("Expected error of the mesh against the true surface.", in: 0...10, scope: .detail)
    public var meshError = Length(meters: 0.01)

    @Parameter(
      "Distance between charts in texels; a warning is given when there is less room.",
      in: 0...256)
    public var padding = 4

    @Parameter(
      "Minimum share of the surface that frames must see; those that see less probably belong to another scan.",
      in: 0...1)
    public var minimumSeen = 0.05

    @Parameter(
      "Memory limit for decoded frames in MiB; lower values decode fewer frames concurrently.",
      in: 16...1e6)
    public var memory = 256

    public init() {}

    public static let formerOptions = ["smoothness": "is fixed at 2 now"]

    public func faults() -> [String] {
      if fillColor == nil || unseen == .color { return [] }
      return ["'fillColor' needs 'unseen: color'"]
    }
  }

  /// How the surface is cut into charts.
  public enum Layout: String, CaseIterable, ParameterValue {
    /// Into few, nearly flat charts, independent of the frames.
    case unwrapped
    /// Into regions textured from one frame, as they appear in its image.
    case projected
  }

  /// The encoding of the pages.
  public enum ImageFormat: String, CaseIterable, ParameterValue {
    /// JPEG of the given quality, or PNG without loss.
    case jpeg, png
  }

  /// Treatment of surfaces that no frame sees.
  public enum Unseen: String, CaseIterable, ParameterValue {
    /// Filled with the colours of their surroundings.
    case fill
    /// Left with their previous material.
    case leave
    /// Filled with one colour.
    case color
  }

  /// How lights affect the texture.
  public enum Shading: String, CaseIterable, ParameterValue {
    /// As usual: programs that show the model add light and shade.
    case lit
    /// Not at all: the texture is shown as photographed, in formats that support it.
    case unlit
  }

  /// How many frames are blended at one place.
  public enum Blend: String, CaseIterable, ParameterValue {
    /// Only the best one, except where frames are blended into one another.
    case best
    /// Up to five: those nearly as good as the best, and more where frames are inconsistent.
    case few
    /// All that see the place: smooth, and blurred where poses are not exact.
    case all
  }

  /// The longest edge of the triangles that observations are made on, in metres: seams are levelled, and gloss
  /// and what is unseen estimated, with a value a vertex.
  private static let edgeLimit: Float = 0.05

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var renewedTextures: Set<TextureRole> { parameters.unseen == .leave ? [] : [.color] }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount > 0 else {
      guard scene.pointCount == 0 else { throw BakingFailure.noFaces }
      try context.progress(1)
      return scene
    }
    let baked = try context.part(Self.pages) {
      try bake(scene, in: context)
    } pack: {
      try $0.packed
    } unpack: {
      try BakedPages($0)
    }
    return try finish(consume baked, in: context)
  }

  /// What is not a part of it is quick: kept pages are only encoded otherwise.
  private static let pages = StagePart("pages", regardlessOf: ["format", "quality"])
  package static let parts = [pages]

  private func bake(_ scene: Scene, in context: StageContext) throws -> BakedPages {
    guard let frames = scene.capture?.frames, !frames.isEmpty else { throw BakingFailure.noFrames }
    let surface = try ObservedSurface(scene)
    let mesh = BakeMesh(surface, edgeLimit: surface.scale.units(meters: Self.edgeLimit))
    let observations = try FrameObservations(
      mesh, on: surface, frames: frames, from: context.frameStore, options: options()
    ) { try context.progress(0.02 + 0.4 * $0) }
    let calibration = observations.calibration
    try calibration.report(to: context)
    guard let size = BakeSize(observations) else {
      throw BakingFailure.nothingSeen(UnseenReason(calibration).sentence)
    }
    let (selection, atlas) = try layOut(consume observations, surface, size)
    try context.progress(0.5)
    // Most of the data for analysing frames is no longer needed.
    ProcessResources.giveBackMemory()
    let composition = try TextureComposition(
      selection, TriangleRaster(atlas, mesh), unseenColor: unseenColor
    ) { try context.progress(0.5 + 0.4 * $0) }
    let isSeen = calibration.seenFaces()
    let unseen = UnseenArea(mesh, colors: composition.colors, classes: scene.classNames)
    try unseen.report(calibration, atLeast: parameters.minimumSeen, to: context)
    atlas.report(
      density: surface.scale.perMeter(atlas.texelsPerUnit), wanted: parameters.texelsPerMeter,
      padding: parameters.padding, to: context)
    let covered = atlas.pages.indices.map { atlas.coverage(ofPage: $0) }
    var images = (consume composition).pages(covered, rings: atlas.paddingRings)
    SeamPadding(
      atlas, covered, indices: surface.indices, vertexCount: surface.positions.count
    ).fill(&images)
    let stem = TextureName.stem(of: scene.name)
    let empty = images.indices.map { page in
      Texture(
        fileName: images.count == 1 ? "\(stem).png" : "\(stem)-\(page + 1).png", encoding: .png,
        bytes: [])
    }
    var scene = scene
    scene.takeTexture(
      empty, atlas, isUnlit: parameters.shading == .unlit,
      leaving: parameters.unseen == .leave ? isSeen : nil)
    return BakedPages(scene, images, isHardlySeen: unseen.isSuspicious)
  }

  /// Encodes the pages, and compares the model with its photographs.
  private func finish(_ baked: consuming BakedPages, in context: StageContext) throws -> Scene {
    try context.progress(0.93)
    var scene = baked.scene
    for (index, image) in zip(baked.firstPage..., baked.images) {
      let name = FileSystem.stem(of: scene.textures[index].fileName)
      scene.textures[index] = try texture(image, name: name)
    }
    try PhotographAgreement.report(of: scene, to: context, warns: !baked.isHardlySeen)
    try context.progress(1)
    return scene
  }

  /// Measured with 11 to 168 frames, 18 thousand to 3 million faces, and pages of 1024 to 8192 texels.
  public func expectedMemory(for scene: PlannedScene) -> Int {
    guard scene.frameCount > 0 else { return 0 }
    let side = parameters.size ?? parameters.maximumSize
    let (texels, views) = (parameters.pages * side * side, scene.faceCount / 2 * scene.frameCount)
    return 4 * texels + 300 * scene.faceCount + 40 * scene.framePixelCount
      + min(parameters.memory << 20, 24 * views)
  }

  func options() -> BakeOptions {
    var options = BakeOptions(
      meshError: Float(parameters.meshError.meters), usesDepth: parameters.useDepth,
      equalizesExposure: parameters.exposure, imageMemory: parameters.memory << 20)
    switch parameters.blend {
    case .best:
      (options.blendWeights.temperature, options.blendWeights.maximumViews) = (0.03, 1)
      options.blendWeights.disagreementTemperature = 0
    case .few: break
    case .all:
      (options.blendWeights.temperature, options.blendWeights.maximumViews) = (2, 200)
      (options.blendWeights.disagreementTemperature, options.detailCompensation) = (0, 0)
    }
    return options
  }

  private var unseenColor: SIMD3<Float>? {
    guard parameters.unseen == .color else { return nil }
    return parameters.fillColor.map { SIMD3<Float>($0.value) } ?? SIMD3(repeating: 128)
  }

  /// Whether charts get as many texels as they were photographed with, instead of a uniform
  /// density.
  private func givesDetail(_ size: BakeSize) -> Bool {
    parameters.texelsPerMeter == nil && size.isUneven
  }

  /// Selects views and lays out the surface, in the order that the layout asks for: a projected atlas
  /// is made of the selected views; an unwrapped one determines how fine they need to be.
  private func layOut(
    _ observations: consuming FrameObservations, _ surface: ObservedSurface, _ size: BakeSize
  ) throws -> (ViewSelection, Atlas) {
    let options = atlasOptions(surface, size, area: observations.calibration.domain.mesh.area)
    switch parameters.atlas {
    case .projected:
      let selection = ViewSelection(consume observations, density: size.density)
      let charts = ProjectedCharts(selection)
      let atlas = try fitting { () throws(AtlasError) in
        try AtlasBuilder.packed(
          indices: surface.indices, chartOfFace: charts.chartOfFace, chartCount: charts.count,
          corners: charts.corners, options: options)
      }
      return (selection, atlas)
    case .unwrapped:
      let atlas = try fitting { () throws(AtlasError) in
        try AtlasBuilder.unwrapped(
          positions: surface.positions, indices: surface.indices, options: options)
      }
      // Where charts are finest; elsewhere frames exceed the texels by the same factor.
      let fineness = givesDetail(size) ? size.finest / size.density : 1
      let density = surface.scale.perMeter(Float(atlas.texelsPerUnit)) * fineness
      return (ViewSelection(consume observations, density: density), atlas)
    }
  }

  private func fitting(_ build: () throws(AtlasError) -> Atlas) throws -> Atlas {
    do throws(AtlasError) { return try build() } catch {
      throw BakingFailure.noRoom(error.description)
    }
  }

  private func atlasOptions(
    _ surface: ObservedSurface, _ bakeSize: BakeSize, area: Double
  ) -> AtlasOptions {
    let needed = BakeSize.pages(
      area: area,
      texelsPerUnit: surface.scale.perUnit(parameters.texelsPerMeter ?? Double(bakeSize.density)),
      maximumPages: parameters.pages, largest: parameters.maximumSize)
    // A density of its own decides how many pages of the size it needs.
    let isFree = parameters.size == nil && parameters.texelsPerMeter == nil
    var options = AtlasOptions(
      texelsPerUnit: parameters.texelsPerMeter.map(surface.scale.perUnit),
      pageSize: ((parameters.size ?? needed.size) + 3) / 4 * 4,
      maximumPages: isFree ? needed.count : parameters.pages, padding: parameters.padding)
    if givesDetail(bakeSize) { options.detail = bakeSize.resolutions }
    return options
  }

  private func texture(_ image: Image, name: String) throws -> Texture {
    switch parameters.format {
    case .jpeg:
      Texture(
        fileName: name + ".jpg", encoding: .jpeg,
        bytes: try JPEG.encode(image, quality: parameters.quality))
    case .png:
      Texture(fileName: name + ".png", encoding: .png, bytes: try PNG.encode(image))
    }
  }
}
