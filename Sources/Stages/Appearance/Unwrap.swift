public import MeshPipeline
import NativeLibraries
import SurfaceKernels

/// Lays the meshes out on pages, so that textures can be painted or baked on them.
public struct Unwrap: Stage {
  public static let otherNames = ["uv", "uv-unwrap", "smart-uv", "xatlas", "parameterize", "atlas"]
  public static let summary =
    "Lays the meshes out on pages, so that textures can be painted or baked on them."
  public static let discussion = """
    The surface is cut into few, nearly flat charts, which are packed onto square pages without overlaps. All meshes \
    share the pages, with the same number of texels per metre everywhere.

    - **Charts** grow over what faces the same way without its noise, are flattened as rigidly as possible (Liu and \
    others 2008), cut where they fold, and turned for a tight fit. A long chart is cut where that makes the texels finer. Charts end at borders of \
    classes or materials that `seams` names.
    - **Size**: as many texels per metre as fit onto `pages` of `size` texels; with `texelsPerMeter`, pages as small as \
    that needs.
    - **Materials** keep names and colours, but lose their textures, which belong to the old coordinates: a warning names \
    those that `bake-maps` or `bake-texture` don't make again. On more than one page each material becomes one for each page.
    - **To look at the layout**, `checker` draws a checkerboard instead of materials' and vertices' colours.
    - **Texture coordinates that are good** are left alone with `keepLayout`: a mesh whose coordinates are all between 0 and 1 \
    and don't overlap.

    The report has the number of charts and pages, the used share of texels and the stretch (Sander and others 2001): \
    1 for a layout true to scale. `bake-texture` and `bake-colors` need no `unwrap` before them.
    """
  public static let example = #"""
    { "use": "unwrap", "with": { "size": 2048, "padding": 8 } }
    """#
  public static let dataFlow = StageDataFlow(
    needs: [.faces], makes: [.textureCoordinates], removes: [.tangents])
  public static let relativeCost = 5.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Width and height of a page in texels, or their maximum with 'texelsPerMeter'.",
      in: 16...16_384)
    public var size = 2048

    @Parameter("Texels per metre; if absent, as many as fit.", in: 0.1...100_000)
    public var texelsPerMeter: Double? = nil

    @Parameter("Maximum number of pages.", in: 1...64)
    public var pages = 1

    @Parameter(
      "Distance between charts in texels; a warning is given when there is less room.", in: 0...256)
    public var padding = 4

    @Parameter("Borders at which charts end, besides sharp edges.")
    public var seams: [Seam] = []

    @Parameter(
      "Leave meshes alone whose texture coordinates are between 0 and 1 and don't overlap.",
      formerly: "keep")
    public var keepLayout = false

    @Parameter(
      "Texels along a square of a checkerboard to draw, each chart in a colour of its own, to look at the layout.",
      in: 1...1024)
    public var checker: Int? = nil

    public init() {}
  }

  /// A kind of border at which charts end.
  public enum Seam: String, CaseIterable, ParameterValue {
    /// Between faces of different classes.
    case classes
    /// Between faces of different materials.
    case materials
  }

  /// Why the meshes can't be laid out.
  public enum Failure: StageFailure, Equatable {
    /// The charts don't fit; the reason and the way out.
    case noRoom(String)

    public var message: String {
      switch self {
      case .noRoom(let reason): reason
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 300 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let chosen = scene.meshes.indices.filter { index in
      scene.meshes[index].faceCount > 0
        && !(parameters.keepLayout && hasGoodCoordinates(scene, index))
    }
    if parameters.keepLayout { context.note("kept", (scene.meshes.count - chosen.count).json) }
    guard !chosen.isEmpty else {
      try context.progress(1)
      return scene
    }
    let meshes = chosen.map { scene.meshes[$0] }
    let (positions, indices) = meshes.joinedSurface
    try context.progress(0.1)
    var atlas: Atlas
    do throws(AtlasError) {
      atlas = try AtlasBuilder.unwrapped(
        positions: positions, indices: indices, options: options(meshes, scene.coordinateSystem))
    } catch {
      throw Failure.noRoom(error.description)
    }
    atlas.makePagesSquare()
    try context.progress(0.9)
    context.note("charts", atlas.chartCount.json)
    atlas.report(
      density: atlas.texelsPerUnit / scene.coordinateSystem.metersPerUnit,
      wanted: parameters.texelsPerMeter, padding: parameters.padding, to: context)
    context.note("stretch", atlas.stretch(positions, indices).json(digits: 4))
    try take(atlas, for: &scene, meshes: chosen, in: context)
    try context.progress(1)
    return scene
  }

  /// Whether the coordinates of a mesh can be used for a texture of its own.
  private func hasGoodCoordinates(_ scene: borrowing Scene, _ index: Int) -> Bool {
    guard scene.meshes[index].textureCoordinates != nil else { return false }
    let health = TextureHealth(Scene(meshes: [scene.meshes[index]], materials: scene.materials))
    return health.outOfRangeFaces == 0 && health.overlap < 0.001
  }

  private func options(_ meshes: [Mesh], _ system: CoordinateSystem) -> AtlasOptions {
    var options = AtlasOptions(
      texelsPerUnit: parameters.texelsPerMeter.map { $0 * system.metersPerUnit },
      pageSize: (parameters.size + 3) / 4 * 4, maximumPages: parameters.pages,
      padding: parameters.padding)
    options.flattensCharts = true
    options.regions = regions(of: meshes)
    return options
  }

  private struct Region: Hashable {
    var material: UInt32?
    /// The number of the class's name, as labels differ from mesh to mesh.
    var name: UInt32?
  }

  /// A number for each face, where charts end besides sharp edges; none without seams.
  private func regions(of meshes: [Mesh]) -> [UInt32] {
    if parameters.seams.isEmpty { return [] }
    let (byClass, byMaterial) = (
      parameters.seams.contains(.classes), parameters.seams.contains(.materials)
    )
    var names: [String: UInt32] = [:]
    var numbers: [Region: UInt32] = [:]
    return meshes.flatMap { mesh in
      let own = mesh.classes?.names.map { names.number(of: $0) }
      return (0..<mesh.faceCount).map { face in
        var region = Region()
        if byMaterial { region.material = mesh.faceMaterials?[face] }
        if byClass, let classes = mesh.classes { region.name = own?[Int(classes.labels[face])] }
        return numbers.number(of: region)
      }
    }
  }

  /// Gives the meshes the coordinates of the atlas, and materials without the textures of the old ones.
  private func take(
    _ atlas: Atlas, for scene: inout Scene, meshes chosen: [Int], in context: StageContext
  ) throws {
    let coordinates = atlas.textureCoordinates
    let isPaged = atlas.pages.count > 1
    var checkers: [Texture] = []
    if let square = parameters.checker {
      // One after another: a large page takes most of a gigabyte before it is encoded.
      checkers = try atlas.pages.indices.map { page in
        Texture(
          fileName: "checker-\(page + 1).png", encoding: .png,
          bytes: try PNG.encode(atlas.checkerboard(page: page, square: square)))
      }
    }
    var materials = PageMaterials(
      scene.materials, isPaged: isPaged,
      textures: scene.textures.count..<scene.textures.count + checkers.count)
    scene.textures += checkers
    // They are in the old coordinates.
    scene.surfaceMaps = []
    var firstFace = 0
    for index in chosen {
      let faces = firstFace..<firstFace + scene.meshes[index].faceCount
      firstFace = faces.upperBound
      scene.meshes[index].textureCoordinates = Array(
        coordinates[3 * faces.lowerBound..<3 * faces.upperBound])
      scene.meshes[index].tangents = nil
      // They would tint the checkerboard.
      if !checkers.isEmpty { scene.meshes[index].paint(nil) }
      let old = scene.meshes[index].faceMaterials
      guard old != nil || isPaged || !checkers.isEmpty else { continue }
      scene.meshes[index].faceMaterials = faces.map { face in
        let page = atlas.facePages[face] == Atlas.noPage ? 0 : Int(atlas.facePages[face])
        return materials.number(of: old?[face - faces.lowerBound], onPage: page)
      }
    }
    scene.materials = materials.all
    scene.removeUnusedMaterials()
    warn(ofDropping: materials.dropped.subtracting(context.renewedTextures), context)
  }

  /// - Parameter dropped: Without what a later stage makes again.
  private func warn(ofDropping dropped: Set<TextureRole>, _ context: StageContext) {
    guard !dropped.isEmpty else { return }
    let names = TextureRole.allCases.filter(dropped.contains).map(\.rawValue)
    let maps = names.filter { BakeMaps.Map(rawValue: $0) != nil }.map { "\"\($0)\"" }
    context.warn(
      "textures (\(names.joined(separator: ", "))) belong to the old texture coordinates and are dropped; with "
        + "\"keepLayout\": true meshes with good coordinates keep theirs"
        + (maps.isEmpty
          ? ""
          : ", and 'bake-maps' with \"maps\": [\(maps.joined(separator: ", "))] makes new ones"))
  }
}

/// The materials of a scene, and after them those of its pages, which have no textures.
private struct PageMaterials {
  private(set) var all: [Material]
  /// The textures that materials lost.
  private(set) var dropped: Set<TextureRole> = []
  private let isPaged: Bool
  /// The textures of the pages; none without.
  private let textures: Range<Int>
  private var numbers: [Place: UInt32] = [:]

  private struct Place: Hashable {
    var material: UInt32?
    var page: Int
  }

  init(_ materials: [Material], isPaged: Bool, textures: Range<Int>) {
    all = materials
    self.isPaged = isPaged
    self.textures = textures
  }

  /// - Parameter material: The old one; nil for a face without one.
  mutating func number(of material: UInt32?, onPage page: Int) -> UInt32 {
    let index = Place(material: material, page: page)
    if let known = numbers[index] { return known }
    var new = material.map { all[Int($0)] } ?? Material(name: "default")
    for role in TextureRole.allCases {
      let key = Material.textureKey(of: role)
      if new[keyPath: key] != nil { dropped.insert(role) }
      new.removeTexture(key)
    }
    new.baseColorTexture = textures.dropFirst(page).first
    if !textures.isEmpty { new.baseColor = SIMD4(1, 1, 1, new.baseColor.w) }
    if isPaged { new.name += "-\(page + 1)" }
    let number = UInt32(all.count)
    numbers[index] = number
    all.append(new)
    return number
  }
}

extension Dictionary where Value == UInt32 {
  /// The number of a key, in the order in which they come.
  fileprivate mutating func number(of key: Key) -> UInt32 {
    if let known = self[key] { return known }
    let new = UInt32(count)
    self[key] = new
    return new
  }
}
