public import MeshPipeline
import SurfaceKernels

/// Scales, rotates and moves the scene, and changes the unit of its coordinates.
public struct TransformScene: Stage {
  // The type is not named `Transform`, like the map that it applies.
  public static let name = "transform"
  public static let role: StageRole? = .placesInputs
  public static let otherNames = ["rotate", "scale", "translate", "move", "fit"]
  public static let summary =
    "Scales, rotates and moves the scene, and changes the unit of its coordinates."
  public static let discussion = """
    Meshes, points and camera poses are transformed together, in the order unit, scale and \
    stretch, rotation, translation. Scaling and rotation leave `pivot` in place.

    Positive angles are counter-clockwise when looking against the axis. Lengths are true \
    lengths, whatever the unit of the coordinates. A negative stretch mirrors, and the winding \
    is reversed, so that faces still show their outside.

    `unit` converts all coordinates so that the scene keeps its true size. With `reinterpret` \
    the coordinates are unchanged and the scene takes the size they have in that unit, for a \
    scan whose unit was misinterpreted.

    A scan in a national grid stays there when it is moved, and when it is scaled or rotated about a `pivot` with coordinates of the \
    grid. Scaled or rotated without a `pivot`, it has coordinates near zero and no reference system. The reference system \
    also ends where it is moved east or north by more than its size and 10 m, or the `pivot` is farther away than that. \
    Where single precision would round positions, as after a move into a grid, they are kept relative to a round place near them: \
    LAS, OBJ, PLY, PTS and XYZ outputs add it again, others don't, and a warning names it.

    Gaussian splats take their sizes, directions and colours along. Where `stretch` is not the same along all axes, their \
    shapes are exact, but their colours are only turned.

    `height` or `length` scales to a final size instead of by `scale`. `fit` shrinks a model that is larger than a box, such as \
    a print bed, after everything else; what fits keeps its size, and a warning says if that is not the size that was \
    asked for. With any of them the run names the scale against what was scanned, as `1:25`, and the size; the report has them as \
    `scale` and `sizeMillimeters`. To change the up axis, use `convert-axes`.
    """
  public static let example =
    #"{ "use": "transform", "with": { "rotate": [0, "90deg", 0], "translate": [0, "5cm", 0] } }"#

  public struct Parameters: StageParameters {
    @Parameter("Unit of the coordinates afterwards; if absent, it is unchanged.")
    public var unit: Unit? = nil

    @Parameter("Assume that the coordinates are already in 'unit', instead of converting them.")
    public var reinterpret = false

    @Parameter("Scale, as a factor or as a ratio such as \"1:25\".", in: 1e-9...1e9)
    public var scale = Scale(factor: 1)

    @Parameter(
      "Height to scale to, instead of by 'scale'; 0 for any.", in: 0...Double.infinity,
      scope: .aroundScan)
    public var height = Length(meters: 0)

    @Parameter(
      "Length of the longer horizontal side of the bounding box to scale to, instead of by 'scale'; 0 for any.",
      in: 0...Double.infinity, scope: .aroundScan)
    public var length = Length(meters: 0)

    @Parameter("Factors along x, y and z, in addition to 'scale'; a negative one mirrors.")
    public var stretch = NumberVector(SIMD3(1, 1, 1))

    @Parameter("Three angles: about the fixed axes x, then y, then z.")
    public var rotate: [Angle] = []

    @Parameter("Axis of a rotation by 'angle', instead of 'rotate'.")
    public var axis: NumberVector? = nil

    @Parameter("Angle of the rotation about 'axis'.")
    public var angle: Angle? = nil

    @Parameter(
      "Fixed point of scaling and rotation, in the coordinates of the file. By default zero, or for a scan in a national grid the round place near it that positions are relative to.",
      scope: .free)
    public var pivot: LengthVector? = nil

    @Parameter(
      "Width, depth and height along x, y and z, in which the model has to fit.",
      in: 1e-6...Double.infinity, scope: .aroundScan)
    public var fit: LengthVector? = nil

    @Parameter(
      "Margin around 'fit', horizontally.", in: 0...Double.infinity,
      scope: .aroundScan)
    public var margin = Length(meters: 0)

    @Parameter("Translation along x, y and z, applied last.")
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
      let sizes = [scale.factor != 1, height.meters > 0, length.meters > 0]
      if sizes.count(where: \.self) > 1 {
        faults.append("give only one of 'scale', 'height' and 'length'")
      }
      if let fit, fit.meters.min() <= 2 * margin.meters {
        faults.append("'margin' leaves nothing of 'fit'")
      }
      return faults
    }
  }

  /// A unit of length.
  public enum Unit: String, CaseIterable, ParameterValue {
    /// Metric units.
    case mm, cm, dm, m, km
    /// Inches of 25.4 mm.
    case inch = "in"
    /// Feet of 304.8 mm.
    case foot = "ft"
    /// Feet of 1200/3937 m, as in older grids of the United States.
    case surveyFoot = "usft"

    var meters: Double { Length.units[rawValue] ?? 1 }
  }

  let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let before = scene.coordinateSystem
    var survey = scene.survey
    if survey != nil, leavesMap(scene) { survey?.leaveGrid() }
    scene.coordinateSystem = outputCoordinateSystem(for: scene.coordinateSystem)
    let after = scene.coordinateSystem
    var unit = Transform.identity
    if !parameters.reinterpret, after.metersPerUnit != before.metersPerUnit {
      let factor = before.metersPerUnit / after.metersPerUnit
      unit = Transform(scale: SIMD3(repeating: factor))
      scene.origin *= factor
    } else if after != before {
      survey?.leaveGrid()
    }
    scene.scale = scaleOfStretch.flatMap { factor in scene.scale.map { $0 * factor } }
    // Another unit does not end it, nor does what leaves a place of the grid where it is.
    let placement = placement(in: after, pivot(in: scene))
    let staysInGrid = placement.linear == .identity || parameters.pivot != nil
    let map = placement * unit
    if map != .identity {
      warnOfStretchedColors(of: scene, map, in: context)
      apply(map, to: &scene, relativeTo: staysInGrid ? scene.origin : .zero, in: context)
    }
    if staysInGrid {
      // Turned or scaled, the numbers are no longer in the steps of the file.
      if placement.linear != .identity { survey?.lattice = nil }
      scene.survey = survey
    }
    resize(&scene, in: context)
    try context.progress(1)
    return scene
  }

  func apply(
    _ map: Transform, to scene: inout Scene, relativeTo origin: SIMD3<Double>,
    in context: StageContext
  ) {
    scene.apply(map, relativeTo: origin)
    guard scene.origin != origin, scene.origin != .zero else { return }
    context.warn(
      """
      there, positions are too far from zero for single precision and are kept relative to (\(scene.origin.shortText)); \
      LAS, OBJ, PLY, PTS and XYZ outputs add that again, others don't
      """)
  }

  /// The fixed point as positions are; zero if none is given.
  func pivot(in scene: borrowing Scene) -> SIMD3<Double> {
    parameters.pivot?.place(in: scene) ?? .zero
  }

  private func warnOfStretchedColors(
    of scene: borrowing Scene, _ map: Transform, in context: StageContext
  ) {
    guard PrincipalAxes(map).uniformScale == nil,
      scene.pointClouds.contains(where: { ($0.splatForm?.degree ?? 0) > 0 })
    else { return }
    context.warn(
      "the colours of Gaussian splats, which depend on the direction of view, are not stretched with them; 'scale' keeps "
        + "them as they are")
  }

  // MARK: Maps

  /// Whether the scan is no longer where its map has it: a correction of a survey is small, and one about a point is about one
  /// near the scan.
  private func leavesMap(_ scene: borrowing Scene) -> Bool {
    isFar(parameters.translate.units(in: scene.coordinateSystem), for: scene)
      || turnAndSize != .identity && hasDistantPivot(scene)
  }

  func hasDistantPivot(_ scene: borrowing Scene) -> Bool {
    guard let pivot = parameters.pivot?.place(in: scene) else { return false }
    return isFar(scene.bounds.offset(to: pivot), for: scene)
  }

  /// Whether a distance is larger than the scan, horizontally: maps don't say where heights begin.
  private func isFar(_ distance: SIMD3<Double>, for scene: borrowing Scene) -> Bool {
    let system = scene.coordinateSystem
    let level = distance.replacing(with: 0, where: system.up.vector .!= 0)
    let size = SIMD3<Double>(scene.bounds.size).length
    return level.length > max(size, Length(meters: Self.leastCorrection).units(in: system))
  }

  /// Metres by which even small things may be off their place.
  private static let leastCorrection = 10.0

  public func outputCoordinateSystem(for input: CoordinateSystem) -> CoordinateSystem {
    var output = input
    if let unit = parameters.unit { output.metersPerUnit = unit.meters }
    return output
  }

  /// Everything except the change of unit.
  private func placement(in system: CoordinateSystem, _ pivot: SIMD3<Double>) -> Transform {
    Transform(translation: parameters.translate.units(in: system)) * turnAndSize.about(pivot)
  }

  private var turnAndSize: Transform {
    rotation * Transform(scale: parameters.stretch.value * parameters.scale.factor)
  }

  private var rotation: Transform {
    if let axis = parameters.axis, let angle = parameters.angle {
      return Transform(rotationAbout: axis.value, by: angle.radians)
    }
    return parameters.rotate.rotation
  }
}
