public import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Makes textures for a light mesh that show what a heavy one has: its relief, its shade, its colours and more.
public struct BakeMaps: Stage {
  public static let otherNames = [
    "bake", "bake-normals", "normal-map", "ambient-occlusion", "ao", "transfer-texture", "xnormal",
    "height-map", "curvature-map", "position-map", "id-map",
  ]
  public static let summary =
    "Makes textures for a light mesh from a heavy one: normals, occlusion, colours and more."
  public static let discussion = """
    Each texel is a point of the light mesh, which stands for the nearest place of the heavy one along its normal, \
    outwards or inwards, whose face looks the same way. Maps have what is there: the normal in Mikkelsen's tangent \
    space, the share of light from all around by rays, the colour.

    - **The source** is the scene of `from`: the id of an earlier stage or a further input, or `input` for the scene as \
    read. It stays in memory until the maps are made. Axes and unit may differ, but not what `center` or `transform` \
    moved.
    - **Texture coordinates** are those that the mesh has: run `unwrap` before. Materials whose coordinates overlap get \
    pages of their own.
    - **Distance**: without `maximumDistance` it is twice the deviation that 99.5% of the mesh keep from the source, or \
    what it takes to reach details of the source that the mesh lacks, up to 5% of the extent. \
    Faces that look away are passed, so that thin walls and what is behind don't bleed through. Texels without a place \
    on the source are flat in normal maps, and take the value of their neighbours in others.
    - **Parts that stand on a surface** without being joined to it, such as letters, screws and decals, are hidden by that \
    surface, which is nearer: `"hit": "outermost"` takes what is seen from outside within the distance, as most bakers do. \
    It also takes what hangs before a wall.
    - **A source in another file** is a further input with an id: \
    `meshpipe run low.glb --input heavy=sculpt.glb -s 'bake-maps from=heavy' -o out.glb`, or `inputs` in a pipeline.
    - **Normals** are for OpenGL, glTF and Blender: green is up. Tangents are added, with normals if the mesh has none; \
    programs that have no tangents make the same by Mikkelsen's method, as Blender does. Materials that ignored light \
    no longer do. Normal maps of the source's materials are in them, too, by the tangents of its file or Mikkelsen's. \
    Where hardly a texel would turn a normal by half a degree, as on a mesh that lost nothing, there is no map, and the report has \
    `flatNormals`.
    - **Occlusion** counts rays from the source's surface that meet nothing within `occlusionDistance`, weighted by the \
    cosine. Sixteen texels share their rays.
    - **Colours** are means over the texel of the source's texture, or its vertex, material or class colours.
    - **Opacity**: where materials of the source are cut out or blended, colours have their opacity, and the materials \
    their mode: that cutoff, or 0.5 for several; blended if any is. Such pages are PNG, whatever `format` says, and the \
    report has the mode as `alphaMode`. What can't be seen has the colour of what is beside it. Rays end at what is cut \
    out, too, and don't look for what is behind it.
    - **`metallic-roughness` and `emissive`** have the textures and factors of the source's materials, as PNG with the \
    roughness in green and the metalness in blue, and as colours.
    - **Maps beside the model** are `position`, `height`, `curvature` and `class`: materials have no place for them, so \
    that an output of their own writes each. Its name ends with the map's, as `room.height.png`.
    - **`position`** is where the source is in its bounding box, each axis by itself: red, green and blue are x, y and z, \
    0 at the least corner and 1 at the greatest. The report has the box as `positionBox`.
    - **`height`** is how far the source is from the mesh along its normal: black is the distance inwards, grey none, \
    white the distance outwards. The report has it as `distanceMillimeters`; set `maximumDistance` to choose it.
    - **`curvature`** is the mean curvature of the source: grey where it is flat, white where it is as convex as a ball \
    of `curvatureRadius`, black where it is as hollow, linear between. Edges between its faces have it, so that large \
    faces blur it.
    - **`class`** has the colours that classes have in renderings, not mixed.

    Position, height and curvature are PNG of 16 bits, and its `Description` says what black and white are; values are \
    linear. Normal, occlusion and class maps are PNG of 8 bits; the report has the colours of classes as \
    `classColors`. glTF and USD keep those of materials; OBJ has no occlusion maps, and formats without tangents leave them to programs.
    """
  public static let example = #"""
    { "use": "bake-maps", "with": { "from": "input", "maps": ["normal", "occlusion"] } }
    """#
  public static let dataFlow = StageDataFlow(
    needs: [.faces, .textureCoordinates], makes: [.textures, .materials, .surfaceMaps])
  public static let relativeCost = 20.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Id of the stage or further input with the detailed scene, or `input` for the scene as read."
    )
    public var from = SceneReference("input")

    @Parameter("Maps to make.")
    public var maps: [Map] = [.normal, .occlusion]

    @Parameter("Width and height of a page in texels.", in: 16...8192)
    public var size = 2048

    @Parameter(
      "Maximum distance between source and mesh; if absent, measured.", in: 0...1000,
      scope: .free)
    public var maximumDistance: Length? = nil

    @Parameter("Hit of the source along the normal that is used.")
    public var hit = Hit.nearest

    @Parameter(
      "Reach of occlusion, as a length or a share of the extent of the source.",
      in: 0...1000, scope: .free)
    public var occlusionDistance = RelativeLength.fraction(0.1)

    @Parameter(
      "Number of rays for the occlusion of a point; sixteen texels share them.", in: 16...2000)
    public var samples = 64

    @Parameter(
      "Radius of a ball that is white in curvature maps, as a length or a share of the extent of the source.",
      in: 0.000_001...1000)
    public var curvatureRadius = RelativeLength.fraction(0.01)

    @Parameter("Origin of the source's colours.")
    public var colors = ColorSource.auto

    @Parameter("Encoding of colours.")
    public var format = ColorFormat.jpeg

    @Parameter("JPEG quality; from 90 on, chroma is stored at full resolution.", in: 1...100)
    public var quality = 92

    public init() {}

    public func faults() -> [String] {
      maps.isEmpty ? ["'maps' is empty, so that there is nothing to make"] : []
    }
  }

  /// Which place of the source along the normal counts.
  public enum Hit: String, CaseIterable, ParameterValue {
    /// The nearest to the mesh.
    case nearest
    /// What is seen from outside.
    case outermost
  }

  /// What a texture shows.
  public enum Map: String, CaseIterable, ParameterValue {
    /// The directions of the source's normals.
    case normal
    /// How much light from all around comes to the source.
    case occlusion
    /// The colours of the source, and its opacity.
    case color
    /// Where the source is metal or smooth.
    case metallicRoughness = "metallic-roughness"
    /// The light that the source emits.
    case emissive
    /// Where the source is in its bounding box.
    case position
    /// How far the source is along the normal.
    case height
    /// The mean curvature of the source.
    case curvature
    /// The classes of the source.
    case classification = "class"

    /// What is written beside the model, since materials have no place for it.
    var besideModel: SurfaceMap.Kind? { SurfaceMap.Kind(rawValue: rawValue) }
  }

  /// The encoding of colours.
  public enum ColorFormat: String, CaseIterable, ParameterValue {
    /// JPEG of the given quality, or PNG without loss.
    case jpeg, png
  }

  /// Why no maps can be made.
  public enum Failure: StageFailure, Equatable {
    /// A mesh has no texture coordinates.
    case noCoordinates(mesh: String)
    /// A mesh has texture coordinates outside of 0 to 1, or not finite.
    case outsideOfPage(mesh: String)
    /// Materials overlap on too many pages.
    case overlaps
    /// The source has no faces.
    case emptySource(id: String)
    /// No texel is on a face.
    case noTexels
    /// The source has no colours of the kind that a map needs; with those that it has.
    case noColors(id: String, wanted: String, has: [String])
    /// Nothing of the source is near the mesh.
    case nothingNear(id: String, millimeters: Double)

    public var message: String {
      switch self {
      case .noCoordinates(let mesh):
        "mesh '\(mesh)' has no texture coordinates; run 'unwrap' before 'bake-maps'"
      case .outsideOfPage(let mesh):
        "mesh '\(mesh)' has texture coordinates outside of 0 to 1, where there is no picture; run 'unwrap' before "
          + "'bake-maps'"
      case .overlaps:
        "the materials overlap in texture coordinates on more than \(MapTarget.mostPages) pages; run 'unwrap' before "
          + "'bake-maps'"
      case .emptySource(let id):
        "the scene of '\(id)' has no faces from which maps could be made; name a stage before they are lost"
      case .noTexels:
        "the texture coordinates have no area, so that no texel shows a face; run 'unwrap' before 'bake-maps'"
      case .noColors(let id, let wanted, let has):
        "the scene of '\(id)' has no \(wanted) for a map; it has "
          + (has.isEmpty ? "no colours at all" : has.joined(separator: ", "))
          + (has.isEmpty ? "" : ": name one of them in 'colors', or leave it out")
      case .nothingNear(let id, let millimeters):
        "nothing of '\(id)' is within \(JSONValue.text(of: millimeters)) mm of the mesh and looks the same way; raise "
          + "'maximumDistance', name a source after the stages that move the scene, or run 'clean' before both if faces "
          + "look inwards"
      }
    }
  }

  let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public var surfaceMaps: Set<SurfaceMap.Kind> { Set(parameters.maps.compactMap(\.besideModel)) }

  /// Measured with pages of 1024 to 4096 texels.
  public func expectedMemory(for scene: PlannedScene) -> Int {
    (36 + 2 * parameters.maps.count) * parameters.size * parameters.size + 150 * scene.faceCount
  }

  public var renewedTextures: Set<TextureRole> {
    Set(parameters.maps.compactMap { TextureRole(rawValue: $0.rawValue) })
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let source = try source(for: scene, context)
    guard scene.faceCount > 0 else {
      try context.progress(1)
      return scene
    }
    try prepare(&scene)
    let groups = FaceGroups(of: scene)
    let meshes = scene.meshes.filter { $0.faceCount > 0 }
    guard
      let target = MapTarget(
        meshes.map { $0.withNormals(scene.coordinateSystem) }, groups: groups.ofFaces,
        size: parameters.size)
    else { throw Failure.overlaps }
    try context.progress(0.1)
    let unit = scene.coordinateSystem
    let baking = try MapBaking(
      target, mapSource(of: source, context),
      reach: parameters.maximumDistance.map { Float($0.units(in: unit)) },
      choice: parameters.hit == .nearest ? .nearest : .outermost)
    try context.progress(0.2)
    let pictures = try pictures(baking, of: source, context)
    try report(pictures, of: baking, in: unit, to: context)
    groups.give(pictures, pages: target.groupPages, to: &scene)
    scene.surfaceMaps = scene.surfaceMaps.filter { old in
      !pictures.besideModel.contains { $0.kind == old.kind }
    }
    scene.surfaceMaps += pictures.besideModel
    for index in scene.meshes.indices where scene.meshes[index].faceCount > 0 {
      // Programs multiply the two.
      if parameters.maps.contains(.color) { scene.meshes[index].paint(nil) }
      if pictures.hasFlatNormals { scene.meshes[index].tangents = nil }
    }
    scene.removeUnusedMaterials()
    try context.progress(1)
    return scene
  }

  /// Checks the texture coordinates, and gives the meshes what normal maps are relative to.
  private func prepare(_ scene: inout Scene) throws {
    for index in scene.meshes.indices where scene.meshes[index].faceCount > 0 {
      let name = scene.meshes[index].name
      guard let coordinates = scene.meshes[index].textureCoordinates else {
        throw Failure.noCoordinates(mesh: name)
      }
      let page: ClosedRange<Float> = -1e-4...1.0001
      guard coordinates.allSatisfy({ page ~= $0.x && page ~= $0.y }) else {
        throw Failure.outsideOfPage(mesh: name)
      }
      guard parameters.maps.contains(.normal) else { continue }
      scene.meshes[index] = scene.meshes[index].withNormals(scene.coordinateSystem)
      scene.meshes[index].tangents = scene.meshes[index].tangentSpace()
    }
  }

  // MARK: Report

  private func report(
    _ pictures: Pictures, of baking: MapBaking, in system: CoordinateSystem,
    to context: StageContext
  ) throws {
    let reach = Length(meters: Double(baking.reach) * system.metersPerUnit)
    func millimeters(_ length: Double) -> Double { (10_000 * length).rounded() / 10 }
    func share(_ texels: Int) -> Double { Double(texels) / Double(max(1, pictures.usedTexels)) }
    guard pictures.usedTexels > 0 else { throw Failure.noTexels }
    if pictures.missedTexels == pictures.usedTexels {
      throw Failure.nothingNear(
        id: parameters.from.id, millimeters: millimeters(reach.meters))
    }
    context.note("pages", baking.pageCount.json)
    context.note("pageSize", parameters.size.json)
    context.note("distanceMillimeters", reach.millimeters(digits: 3))
    for (name, value) in pictures.notes { context.note(name, value) }
    context.note("missedShare", share(pictures.missedTexels).json(digits: 4))
    if parameters.maximumDistance == nil, baking.reach > MapBaking.usualReach * baking.extent {
      context.warn(
        "parts of the mesh are \(JSONValue.text(of: millimeters(reach.meters / 2))) mm away from "
          + "'\(parameters.from.id)'; maps are wrong if a stage between, such as 'center', moved the scene"
      )
    }
    if share(pictures.missedTexels) > 0.05 {
      let percent = JSONValue.percentText(of: (100 * share(pictures.missedTexels)).rounded() / 100)
      context.warn(
        "\(percent) of the texels have nothing of '\(parameters.from.id)' within "
          + "\(JSONValue.text(of: millimeters(reach.meters))) mm that looks the same way; raise 'maximumDistance' if it "
          + "is farther away, or run 'clean' before both if faces look inwards")
    }
    if share(pictures.sharedTexels) > 0.01 {
      context.warn(
        "several faces share texels, which show one of them; run 'unwrap' before 'bake-maps'")
    }
  }
}

extension ColorSource: ParameterValue {}
