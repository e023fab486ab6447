public import MeshPipeline
import SurfaceKernels

/// Reports how healthy the meshes are: open borders, self-intersections, thin walls and more.
public struct Inspect: Stage {
  public static let otherNames = ["health", "diagnose", "mesh-check"]
  public static let summary =
    "Reports how healthy the meshes are: open borders, self-intersections, thin walls and more."
  public static let discussion = """
    Counts and measures what stands in the way of printing, simulating and editing; it changes nothing \
    but colours, if `show` says so. \
    The figures are in the report; `meshpipe info --health` shows them as a table.

    - **Closed**: `watertight` if each edge has two faces, wound consistently; otherwise the number of \
    `boundaryEdges`, their length, and the closed loops that they form.
    - **Manifold**: edges with more than two faces, and vertices whose faces are not one fan.
    - **`selfIntersections`** counts faces that intersect or touch others than at common vertices and \
    edges. The test is exact on coordinates rounded to 2^-28 of the extent.
    - **`invertedFaces`** are those that `clean` would reverse.
    - **`thinnestWall`** is the least distance, inwards from the middles of faces, to a face that looks \
    the other way within 60 degrees. Of more than 300,000 faces some are measured.
    - **Textures**: faces with coordinates outside 0 to 1, the share of the used area that several \
    faces use, and the texels on a metre of the surface.

    - **`bedScale`** is the largest scale at which the scene fits `bed`, as it stands or turned by 90 \
    degrees.

    With `show`, vertices get colours for `preview` or a PLY. For `defects` borders are orange, inverted \
    faces blue, what is not manifold magenta, and self-intersections red; for `thickness` walls thinner \
    than `minimumThickness` are red and those under twice that orange.

    Lengths are in metres, angles in degrees, places in the coordinates of the file. Conditions \
    know most figures: `"expect": "watertight and selfIntersections == 0"`. Run `weld` first when faces \
    do not share vertices.
    """
  public static let example = #"""
    { "use": "inspect", "expect": "watertight and selfIntersections == 0" }
    """#
  public static let relativeCost = 5.0

  public struct Parameters: StageParameters {
    @Parameter("Content of the colours of vertices.")
    public var show = Display.none

    @Parameter(
      "Thickness below which `show=thickness` marks walls.", in: 0...Double.infinity,
      formerly: "minimumWall")
    public var minimumThickness = Length(meters: 0.001)

    @Parameter(
      "Print bed: width, depth and height.", in: 1e-3...Double.infinity, scope: .aroundScan)
    public var bed = LengthVector(meters: SIMD3(0.25, 0.21, 0.22))

    public init() {}
  }

  /// What colours show.
  public enum Display: String, CaseIterable, ParameterValue {
    /// They stay as they are.
    case none
    /// Borders, inverted faces, what is not manifold, and self-intersections.
    case defects
    /// The connected components.
    case components
    /// Thin walls.
    case thickness
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 90 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    // Looking does not use it up.
    var inspected = scene
    let health = try SceneHealth(inspected, bed: parameters.bed, in: context)
    for figure in health.figures { context.note(figure.key, figure.value) }
    guard parameters.show != .none, inspected.faceCount > 0 else { return inspected }
    inspected.warnOfTextures(under: Self.name, in: context)
    let colors = HealthColors(
      show: parameters.show,
      minimumThickness: parameters.minimumThickness.units(in: inspected.coordinateSystem))
    for index in inspected.meshes.indices {
      try colors.color(
        &inspected.meshes[index], health.windings[index],
        intersecting: health.intersections[index])
    }
    context.note("colors", colors.legend)
    return inspected
  }
}
