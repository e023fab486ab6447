public import MeshPipeline

/// Reports how healthy the meshes are: open borders, self-intersections, thin walls and more.
public struct Inspect: Stage {
  public static let otherNames = ["health", "diagnose", "mesh-check", "measure"]
  public static let summary =
    "Reports how healthy the meshes are: open borders, self-intersections, thin walls and more."
  public static let discussion = """
    Counts and measures what stands in the way of printing, simulating and editing, and changes nothing. \
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

    Lengths are in metres, angles in degrees, places in the axes and units of the scene. Conditions \
    know most figures: `"expect": "watertight and selfIntersections == 0"`. Run `weld` first when faces \
    do not share vertices.
    """
  public static let example = #"""
    { "use": "inspect", "expect": "watertight and selfIntersections == 0" }
    """#
  public static let relativeCost = 5.0

  public struct Parameters: StageParameters {
    public init() {}
  }

  public init(_ parameters: Parameters) {}

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    // Looking does not use it up.
    let inspected = scene
    for figure in try SceneHealth(inspected, in: context).figures {
      context.note(figure.key, figure.value)
    }
    return inspected
  }
}
