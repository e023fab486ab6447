public import MeshPipeline
import SurfaceKernels

/// Makes a clean model of the building that was found: walls with openings, floors, doors and furniture as solids.
public struct ModelRooms: Stage {
  public static let otherNames = [
    "model-building", "building-model", "building-to-mesh", "extrude-walls",
  ]
  public static let summary =
    "Makes a clean model of the building that was found: walls with openings, floors, doors and furniture as solids."
  public static let discussion = """
    Run `detect-rooms` first. The model takes the place of the scan's meshes and points; the building, the scan's frames and \
    what else is beside the meshes stay.

    To have both, give the stage an `id` and `merge` it with the scan.

    Each wall is a closed solid with its doors, windows and openings cut through, and ends where it meets others, as in a drawing. \
    Floors and ceilings follow the inner faces of walls, and floors go on below doors. Door leaves, panes, columns, steps and pieces of furniture are closed solids, \
    too. So CAD makes solids of them, slicers print them, and 3D editors can cut them.

    Meshes are named as in drawings and reports: `wall-3`, `door-1`, `floor-2`, `sofa-1`. Their classes are `wall` (of columns, too), \
    `floor`, `ceiling`, `door`, `window`, `stairs` and those of furniture. What a scan does not show is assumed: floors are 20 cm thick, or as much as there \
    is above the storey below, ceilings 2 cm, door leaves 4 cm and panes 2 cm. Round walls are chords of 5°.
    """
  public static let example = #"""
    { "use": "model-rooms", "with": { "parts": ["walls", "floors", "doors", "windows"] } }
    """#
  public static let dataFlow = StageDataFlow(
    needs: [.building], makes: [.faces, .classification],
    removes: [
      .points, .splats, .normals, .colors, .confidences, .textureCoordinates,
      .secondTextureCoordinates, .tangents, .materials, .textures, .customAttributes, .surfaceMaps,
    ])

  public struct Parameters: StageParameters {
    @Parameter("Parts to make; without ceilings one can look in from above.")
    public var parts = Part.allCases

    public init() {}
  }

  /// A kind of parts of a building.
  public enum Part: String, CaseIterable, ParameterValue {
    /// The parts.
    case walls, floors, ceilings, doors, windows, columns, stairs, furniture
  }

  /// Why there is no model.
  public enum Failure: StageFailure, Equatable {
    /// The scan has no building.
    case noBuilding
    /// The building has none of the parts.
    case nothingToMake

    public var message: String {
      switch self {
      case .noBuilding:
        "there is no building to model; run 'detect-rooms' before, and see its warnings"
      case .nothingToMake: "the building has nothing of what 'parts' names"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard !scene.buildings.isEmpty else {
      guard scene.faceCount + scene.pointCount == 0 else { throw Failure.noBuilding }
      try context.progress(1)
      return scene
    }
    let kinds = Set(parameters.parts.map(Self.kind))
    var meshes: [Mesh] = []
    for (index, building) in scene.buildings.enumerated() {
      meshes += BuildingMeshes(building, kinds).meshes
      try context.progress(Double(index + 1) / Double(scene.buildings.count))
    }
    guard !meshes.isEmpty else { throw Failure.nothingToMake }
    scene.meshes = meshes
    scene.pointClouds = []
    scene.materials = []
    scene.textures = []
    scene.surfaceMaps = []
    context.note("meshes", meshes.count.json)
    context.note("faces", scene.faceCount.json)
    return scene
  }

  private static func kind(_ part: Part) -> BuildingMeshes.Kind {
    switch part {
    case .walls: .walls
    case .floors: .floors
    case .ceilings: .ceilings
    case .doors: .doors
    case .windows: .windows
    case .columns: .columns
    case .stairs: .stairs
    case .furniture: .furniture
    }
  }
}
