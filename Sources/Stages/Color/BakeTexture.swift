public import MeshPipeline
import NativeLibraries
import Photogrammetry
import SurfaceKernels

/// Projects the frames of a capture on the meshes and bakes them into a texture.
public struct BakeTexture: Stage {
  public static let otherNames = ["texture", "texturize", "project-texture"]
  public static let summary =
    "Projects the frames of a capture on the meshes and bakes them into a texture."
  public static let discussion = """
    Each frame is a photograph with the camera that took it. Which frames see which part of the \
    surface is found by rays against the whole mesh and, where frames have depth maps, against these \
    too: a person who walked through a picture is not painted on the wall, nor the floor on the side of \
    a leg that the mesh makes too thick. Near outlines and borders frames count less, for poses are \
    never exact.

    Frames are levelled first: one gain per channel and frame, solved from all overlaps, and then \
    place by place for what changes within a picture. Colours that the other frames contradict are \
    left out. So is what a frame shows before the mesh without being part of it, such as a lamp's pole, a \
    chair's leg, a cable or a hanging sign: nearly all others show another colour at the mesh behind it, \
    and depth maps, where they have it, need less of a difference. Then each place takes its detail from the few frames with the best view of it \
    (resolution, angle, sharpness, distance to the border), neighbours from the same ones where they \
    can (a Potts model, solved by mean field annealing), and frames fade into one another where they \
    change, also across the borders of charts. Where frames disagree, because poses or the mesh are not \
    exact, up to five are mixed, and what this takes from fine detail is given back in part.

    The meshes share one texture of a bounded size, and get one material that adds no shine or tint of \
    the old one. Photographs hold the light of the scan; `shading: unlit` keeps programs from lighting them \
    once more, for a model that is looked at and not put among others: glTF and GLB say so by \
    KHR_materials_unlit, OBJ by `illum 0`; in the other formats it stays a matt material. The meshes' vertex colours are dropped, since most programs multiply them with the texture; \
    at `unseen: leave` the vertices of what got no texture keep theirs, and so do point clouds. What was photographed from \
    much nearer than the rest gets more texels; `density` makes them even. Surfaces that \
    no frame sees are filled from around (`unseen`), and the report says how much that is, in all and \
    by class. Frames are read two at a time, and where texels are three pixels wide or more \
    at a half, a quarter or an eighth of their size; memory is that of the texture and some numbers for each \
    vertex and its views, of which the best are kept: as many as fit into `memory`, but 32 at least.

    The result is as good as the poses: run `refine-poses` before. Decimate before baking, not after: \
    the frames are projected on any mesh. Colours in the vertices are made by `bake-colors`.
    """
  public static let example = #"""
    { "use": "bake-texture", "with": { "size": 4096, "format": "jpeg" } }
    """#

  public static let dataFlow = StageDataFlow(
    needs: [.frames, .faces], makes: [.textureCoordinates, .materials, .textures])
  public static let relativeCost = 60.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Width and height of a page in texels, or the most with 'density'; from the frames when absent.",
      in: 16...16_384)
    public var size: Int? = nil

    @Parameter("The largest size that is chosen when 'size' is absent.", in: 16...16_384)
    public var maximumSize = 8192

    @Parameter(
      "Texels per metre everywhere; when absent, as many as fit, and more where frames show more.",
      in: 0.1...100_000)
    public var density: Double? = nil

    @Parameter("How the surface is laid out on the pages.")
    public var atlas = Layout.unwrapped

    @Parameter("The most pages, each a file and a material of its own.", in: 1...64)
    public var pages = 1

    @Parameter("How pages are encoded.")
    public var format = ImageFormat.jpeg

    @Parameter(
      "The quality of JPEG, 1 to 100; from 90 on colours are stored at full size.", in: 1...100)
    public var quality = 92

    @Parameter("What happens to surfaces that no frame sees.")
    public var unseen = Unseen.fill

    @Parameter(
      "The colour for 'unseen: color', as sRGB codes from 0 to 255; when absent, grey (128).",
      in: 0...255)
    public var fillColor: NumberVector? = nil

    @Parameter("Whether programs light the texture, which holds the light of the scan already.")
    public var shading = Shading.lit

    @Parameter("How many frames are mixed at one place.")
    public var blend = Blend.few

    @Parameter("Whether exposure and white balance are levelled across frames.")
    public var exposure = true

    @Parameter("Whether the frames' depth maps tell what hides the mesh.")
    public var depthTest = true

    @Parameter(
      "How much neighbours want to take their detail from the same frame; 0 for not at all.",
      in: 0...100)
    public var smoothness = 2.0

    @Parameter("How far the mesh may lie from the true surface.", in: 0...10)
    public var meshError = Length(meters: 0.01)

    @Parameter(
      "The distance between two charts, in texels; a warning tells when there is less room.",
      in: 0...256)
    public var padding = 4

    @Parameter(
      "The most memory for decoded frames, in MiB; less means less at the same time.", in: 16...1e6)
    public var memory = 256

    public init() {}

    public func faults() -> [String] {
      if fillColor == nil || unseen == .color { return [] }
      return ["'fillColor' is for 'unseen: color' alone: give that too"]
    }
  }

  /// How the surface is cut into charts.
  public enum Layout: String, CaseIterable, ParameterValue {
    /// Into few and nearly flat pieces, whatever the frames show.
    case unwrapped
    /// Into what comes from one frame, as it lies in its picture.
    case projected
  }

  /// The encoding of the pages.
  public enum ImageFormat: String, CaseIterable, ParameterValue {
    case jpeg, png
  }

  /// What is done with surfaces that no frame sees.
  public enum Unseen: String, CaseIterable, ParameterValue {
    /// Their colours come from around them.
    case fill
    /// They keep the material that they had.
    case leave
    /// They get one colour.
    case color
  }

  /// What lamps do to the texture.
  public enum Shading: String, CaseIterable, ParameterValue {
    /// As to any other: programs that show the model add light and shade of their own.
    case lit
    /// Nothing: the texture is shown as it was photographed, in formats that can say so.
    case unlit
  }

  /// How many frames are mixed at one place.
  public enum Blend: String, CaseIterable, ParameterValue {
    /// The best one alone, except where frames fade into one another.
    case best
    /// Up to five: those nearly as good as the best, and more of them where frames disagree.
    case few
    /// All that see the place: smooth, and blurred where poses are not exact.
    case all
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount > 0 else {
      guard scene.pointCount == 0 else { throw BakingFailure.noFaces }
      try context.progress(1)
      return scene
    }
    guard let frames = scene.capture?.frames, !frames.isEmpty else { throw BakingFailure.noFrames }
    let surface = try ObservedSurface(scene)
    let cells = CellSurface(surface, edgeLimit: 0.05 * surface.unitsPerMeter)
    var blending = try FrameBlending(cells, on: surface, frames: frames, options: options()) {
      try context.progress(0.02 + 0.4 * $0)
    }
    try blending.report(to: context)
    guard let size = BakeSize(blending) else {
      throw BakingFailure.nothingSeen(UnseenReason(blending).sentence)
    }
    if parameters.atlas == .projected { blending.chooseViews(density: size.density) }
    let atlas = try atlas(surface, blending, size)
    try context.progress(0.5)
    if parameters.atlas == .unwrapped {
      // Where charts are finest; elsewhere frames are finer than the texels in the same measure.
      let fineness = givesDetail(size) ? size.finest / size.density : 1
      blending.chooseViews(
        density: Float(atlas.texelsPerUnit) * surface.unitsPerMeter * fineness)
    }
    // Of what was kept of each frame to look at it the better part is not needed any more.
    ProcessResources.giveBackMemory()
    var composition = try blending.compose(
      CellRaster(atlas, cells), unseenColor: unseenColor
    ) { try context.progress(0.5 + 0.4 * $0) }
    let isSeen = blending.seenFaces()
    UnseenArea(cells, colors: composition.colors, classes: scene.classNames)
      .report(blending, to: context)
    note(atlas, Double(surface.unitsPerMeter), context)
    let covered = atlas.pages.indices.map { atlas.coverage(ofPage: $0) }
    var images = composition.takePages(covered, rings: max(1, (atlas.padding + 1) / 2))
    SeamPadding(
      atlas, covered, indices: surface.indices, vertexCount: surface.positions.count
    ).fill(&images)
    try context.progress(0.93)
    try dress(&scene, atlas, images, isSeen: isSeen)
    try context.progress(1)
    return scene
  }

  private func options() -> FrameBlending.Options {
    var options = FrameBlending.Options()
    options.sightings.limits.meshError = Float(parameters.meshError.meters)
    options.solvesGains = parameters.exposure
    if !parameters.exposure { options.leveling = nil }
    options.removesGloss = parameters.exposure
    options.usesDepth = parameters.depthTest
    options.shares.smoothness = Float(parameters.smoothness)
    options.imageMemory = parameters.memory << 20
    switch parameters.blend {
    case .best:
      (options.shares.temperature, options.shares.maximumViews) = (0.03, 1)
      options.shares.doubtTemperature = 0
    case .few: break
    case .all:
      (options.shares.temperature, options.shares.maximumViews) = (2, 200)
      (options.shares.doubtTemperature, options.detailBoost) = (0, 0)
    }
    return options
  }

  private var unseenColor: SIMD3<Float>? {
    guard parameters.unseen == .color else { return nil }
    return parameters.fillColor.map { SIMD3<Float>($0.value) } ?? SIMD3(repeating: 128)
  }

  /// Whether charts get as many texels as they were photographed with, and not all alike.
  private func givesDetail(_ size: BakeSize) -> Bool { parameters.density == nil && size.isUneven }

  private func atlas(
    _ surface: ObservedSurface, _ blending: FrameBlending, _ bakeSize: BakeSize
  ) throws -> Atlas {
    let metersPerUnit = Double(1 / surface.unitsPerMeter)
    var options = AtlasOptions()
    options.texelsPerUnit = parameters.density.map { $0 * metersPerUnit }
    options.maximumPages = parameters.pages
    options.padding = parameters.padding
    if givesDetail(bakeSize) { options.detail = bakeSize.resolutions }
    let wanted = (parameters.density ?? Double(bakeSize.density)) * metersPerUnit
    let size =
      parameters.size
      ?? BakeSize.pageSize(
        area: blending.cells.area, texelsPerUnit: wanted, pages: parameters.pages,
        largest: parameters.maximumSize)
    options.pageSize = (size + 3) / 4 * 4
    do throws(AtlasError) {
      switch parameters.atlas {
      case .unwrapped:
        return try AtlasBuilder.unwrapped(
          positions: surface.positions, indices: surface.indices, options: options)
      case .projected:
        let charts = ProjectedCharts(blending)
        return try AtlasBuilder.packed(
          indices: surface.indices, chartOfFace: charts.chartOfFace, chartCount: charts.count,
          corners: charts.corners, options: options)
      }
    } catch {
      throw BakingFailure.noRoom(error.description)
    }
  }

  /// Tells how the surface was laid out, and what there was no room for.
  private func note(_ atlas: Atlas, _ unitsPerMeter: Double, _ context: StageContext) {
    let density = atlas.texelsPerUnit * unitsPerMeter
    let size = atlas.pages.first?.x ?? 0
    context.note("pages", JSONValue(.number(Double(atlas.pages.count))))
    context.note("pageSize", JSONValue(.number(Double(size))))
    context.note("texelsPerMeter", JSONValue(.number(density)))
    context.note("texelsUsed", JSONValue(.number(atlas.usedShare)))
    let wayOut = "raise 'size' or 'pages'"
    if let wanted = parameters.density, density < 0.99 * wanted {
      context.warn(
        "there is room for \(Int(density)) texels per metre, not for \(Int(wanted)); \(wayOut)")
    }
    if atlas.padding < parameters.padding, !atlas.pages.isEmpty {
      context.warn(
        "there is room for \(atlas.padding) texel(s) between charts, not for \(parameters.padding); "
          + "\(wayOut), or ask for less 'padding'")
    }
  }

  /// Gives the scene its texture, materials and texture coordinates.
  private func dress(
    _ scene: inout Scene, _ atlas: Atlas, _ images: [Image], isSeen: [Bool]
  ) throws {
    let leaves = parameters.unseen == .leave && isSeen.contains(false)
    // The photographs hold the light as it was: nothing of the old material may shade them again.
    let isDoubleSided = scene.materials.first?.isDoubleSided ?? false
    if !leaves { (scene.materials, scene.textures) = ([], []) }
    if leaves, scene.meshes.contains(where: { $0.faceMaterials == nil }) {
      scene.materials.append(Material(name: "unseen"))
    }
    let neutral = UInt32(max(0, scene.materials.count - 1))
    let first = UInt32(scene.materials.count)
    let stem = TextureName.stem(of: scene.name)
    for (page, image) in images.enumerated() {
      let name = images.count == 1 ? stem : "\(stem)-\(page + 1)"
      scene.textures.append(try texture(image, name: name))
      scene.materials.append(
        Material(
          name: name, isDoubleSided: isDoubleSided, baseColorTexture: scene.textures.count - 1,
          isUnlit: parameters.shading == .unlit))
    }
    let coordinates = atlas.textureCoordinates
    var face = 0
    for index in scene.meshes.indices {
      let faces = face..<face + scene.meshes[index].faceCount
      face = faces.upperBound
      let old = leaves ? scene.meshes[index].textureCoordinates : nil
      let oldMaterials = scene.meshes[index].faceMaterials
      scene.meshes[index].faceMaterials = faces.map { face in
        if leaves, !isSeen[face] { return oldMaterials?[face - faces.lowerBound] ?? neutral }
        let page = atlas.facePages[face]
        return first + (page == Atlas.noPage ? 0 : UInt32(page))
      }
      scene.meshes[index].textureCoordinates = (3 * faces.lowerBound..<3 * faces.upperBound).map {
        corner in
        if leaves, !isSeen[corner / 3] { return old?[corner - 3 * faces.lowerBound] ?? .zero }
        return coordinates[corner]
      }
      scene.meshes[index].removeColors { !leaves || isSeen[faces.lowerBound + $0] }
    }
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

extension Mesh {
  /// Takes the colours from the vertices of faces that a texture colours: programs multiply the two.
  ///
  /// - Parameter isTextured: Whether a face has the texture. The others keep the colours of those
  ///   vertices that they don't share with such a face.
  fileprivate mutating func removeColors(where isTextured: (Int) -> Bool) {
    guard var kept = colors, faceCount > 0 else { return }
    var hasOther = false
    for face in 0..<faceCount {
      guard isTextured(face) else {
        hasOther = true
        continue
      }
      for corner in 3 * face..<3 * face + 3 { kept[Int(indices[corner])] = .white }
    }
    colors = hasOther ? kept : nil
  }
}
