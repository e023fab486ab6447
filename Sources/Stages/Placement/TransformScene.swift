public import MeshPipeline
import SurfaceKernels

/// Scales, turns and moves a scene, and changes its unit.
public struct TransformScene: Stage {
  // The type's own name is that of the map which it applies.
  public static let name = "transform"
  public static let otherNames = ["rotate", "scale", "translate", "move"]
  public static let summary =
    "Scales, turns and moves the scene, and changes the unit of its numbers."
  public static let discussion = """
    Meshes, points and camera poses are moved together. The order is: unit, scale and stretch, \
    rotation, translation; scaling and turning leave `pivot` in place. Positive angles turn \
    counter-clockwise when one looks against the axis. Lengths are true lengths, whatever the unit of \
    the numbers is. A negative stretch mirrors, and faces are wound the other way, so that they \
    still show their outside.

    `unit` multiplies all numbers so that the scene keeps its true size; with `reinterpret` the \
    numbers stay and the scene takes on the size that they have in that unit, for a scan whose unit \
    was not what it was taken for. To change which axis is up, use `convert-axes`.
    """
  public static let example =
    #"{ "use": "transform", "with": { "rotate": [0, "90deg", 0], "translate": [0, "5cm", 0] } }"#

  public struct Parameters: StageParameters {
    @Parameter("The unit of the coordinates afterwards; by default it stays.")
    public var unit: Unit? = nil

    @Parameter("Whether the numbers are taken to be in 'unit' already, instead of being converted.")
    public var reinterpret = false

    @Parameter("The factor of all sizes.", in: 1e-9...1e9)
    public var scale = 1.0

    @Parameter("The factors along x, y and z, beside 'scale'; a negative one mirrors.")
    public var stretch = NumberVector(SIMD3(1, 1, 1))

    @Parameter("Three angles: about the fixed axes x, then y, then z.")
    public var rotate: [Angle] = []

    @Parameter("The axis of a rotation by 'angle', instead of 'rotate'.")
    public var axis: NumberVector? = nil

    @Parameter("The angle of the rotation about 'axis'.")
    public var angle: Angle? = nil

    @Parameter("The point that scaling and turning leave in place.")
    public var pivot = LengthVector(meters: .zero)

    @Parameter("The distance to move along x, y and z, last of all.")
    public var translate = LengthVector(meters: .zero)

    public init() {}

    public func faults() -> [String] {
      var faults: [String] = []
      if let fault = rotate.rotationFault { faults.append(fault) }
      if (axis == nil) != (angle == nil) { faults.append("'axis' and 'angle' go together") }
      if axis != nil, !rotate.isEmpty { faults.append("give either 'rotate' or 'axis', not both") }
      if axis?.value == .zero { faults.append("'axis' must not be zero") }
      if any(stretch.value .== .zero) { faults.append("'stretch' must not be zero along any axis") }
      if reinterpret, unit == nil { faults.append("'reinterpret' needs 'unit'") }
      return faults
    }
  }

  /// A unit of length.
  public enum Unit: String, CaseIterable, ParameterValue {
    case mm, cm, dm, m, km
    case inch = "in"
    case foot = "ft"

    var meters: Double { Length.units[rawValue] ?? 1 }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let before = scene.coordinateSystem.metersPerUnit
    scene.coordinateSystem = outputCoordinateSystem(for: scene.coordinateSystem)
    let after = scene.coordinateSystem.metersPerUnit
    var map = placement(metersPerUnit: after)
    if after != before, !parameters.reinterpret {
      map = map * Transform(scale: SIMD3(repeating: before / after))
    }
    if map != .identity { scene.apply(map) }
    try context.progress(1)
    return scene
  }

  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem {
    var output = input
    if let unit = parameters.unit { output.metersPerUnit = unit.meters }
    return output
  }

  /// Everything but the change of unit.
  private func placement(metersPerUnit: Double) -> Transform {
    let size = Transform(scale: parameters.stretch.value * parameters.scale)
    let pivot = parameters.pivot.meters / metersPerUnit
    return Transform(translation: parameters.translate.meters / metersPerUnit)
      * (rotation * size).about(pivot)
  }

  private var rotation: Transform {
    if let axis = parameters.axis, let angle = parameters.angle {
      return Transform(rotationAbout: axis.value, by: angle.radians)
    }
    return parameters.rotate.rotation
  }
}
