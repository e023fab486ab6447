public import MeshPipeline

/// Converts the coordinates to another convention of up, forward and handedness.
public struct ConvertAxes: Stage {
  public static let otherNames = ["axes", "up-axis", "swap-axes"]
  public static let summary =
    "Converts the coordinates to another convention of up, forward and handedness."
  public static let discussion = """
    Positions, normals and camera poses are converted together; up, forward and right keep their \
    meaning. Axes are only exchanged and negated, so no number is rounded, and converting back \
    gives the same bits.

    When the handedness changes, coordinates are mirrored and the winding is reversed, so that \
    faces still show their outside.

    A scene knows its axes (ARKit's scans and glTF: Y up, looking along −Z); `from` is for scans \
    that declare them wrongly. Formats with a fixed convention, such as glTF, are written so \
    that viewers show them upright, whatever the axes of the scene. Lengths keep their unit; \
    `transform` converts it.
    """
  public static func remedy(for fault: SceneFault) -> String? {
    guard case .upAxis(let axis) = fault else { return nil }
    return "\(name) up=\(axis.rawValue)"
  }

  public static let example = #"{ "use": "convert-axes", "with": { "up": "z" } }"#

  public struct Parameters: StageParameters {
    @Parameter("Axis that points up afterwards.")
    public var up = SignedAxis.z

    @Parameter(
      """
      Axis that points forward afterwards; by default that of the best-known program with the same \
      up axis: y for Z up and -z for Y up (Blender, glTF), x and z when left-handed (Unreal, Unity).
      """)
    public var forward: SignedAxis? = nil

    @Parameter("Handedness afterwards.")
    public var handedness = CoordinateSystem.Handedness.right

    @Parameter("Convention that the scene is assumed to be in, instead of its own.")
    public var from: Convention? = nil

    public init() {}

    public func faults() -> [String] {
      guard let forward, forward.index == up.index else { return [] }
      return [
        "'up' (\(up.rawValue)) and 'forward' (\(forward.rawValue)) must be different axes"
      ]
    }
  }

  /// An axis convention, named after a program that uses it.
  public enum Convention: String, CaseIterable, ParameterValue {
    /// Right-handed, Y up, looking along −Z; also glTF, Maya and OpenGL.
    case arkit
    /// Right-handed, Z up, looking along +Y; also 3ds Max and most of CAD.
    case blender
    /// Left-handed, Y up, looking along +Z.
    case unity
    /// Left-handed, Z up, looking along +X.
    case unreal
    /// Right-handed, Y down, looking along +Z.
    case opencv

    var coordinateSystem: CoordinateSystem {
      switch self {
      case .arkit: .arkit
      case .blender: .blender
      case .unity: CoordinateSystem(up: .y, forward: .z, handedness: .left)
      case .unreal: CoordinateSystem(up: .z, forward: .x, handedness: .left)
      case .opencv: CoordinateSystem(up: .negativeY, forward: .z)
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let target = outputCoordinateSystem(for: scene.coordinateSystem)
    scene.coordinateSystem = source(for: scene.coordinateSystem)
    scene.convert(to: target)
    try context.progress(1)
    return scene
  }

  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem {
    let forward = CoordinateSystem.customaryForward(
      up: parameters.up, handedness: parameters.handedness)
    return CoordinateSystem(
      up: parameters.up, forward: parameters.forward ?? forward,
      handedness: parameters.handedness, metersPerUnit: input.metersPerUnit)
  }

  private func source(for input: CoordinateSystem) -> CoordinateSystem {
    guard var source = parameters.from?.coordinateSystem else { return input }
    source.metersPerUnit = input.metersPerUnit
    return source
  }
}
