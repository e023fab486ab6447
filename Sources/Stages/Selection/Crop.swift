public import MeshPipeline
import SurfaceKernels

/// Keeps what is inside, or outside, a box or a sphere.
public struct Crop: Stage {
  public static let otherNames = ["clip", "cut", "bounding-box"]
  public static let summary = "Keeps what is inside, or outside, a box or a sphere."
  public static let discussion = """
    The region is an axis-aligned box from `min` to `max`, a box of a `size` around a `center`, \
    rotated by `rotate`, or a sphere of a `radius` around a `center`. Faces are kept whole, \
    depending on their centroid or their corners, or are cut at the border of a box with `mode: \
    cut`.

    If `min` or `max` is absent, the box is unbounded on that side. Coordinates are lengths in \
    the axes that the scene has at this point of the pipeline. In a national grid they are those of the grid, as in the file: \
    `min=583001,4507001,29`; all tiles of a survey take the same box. Grids in feet take `980000usft` or `980000ft`.

    With `mode: cut` attributes are interpolated and the mesh stays connected. Points are kept \
    by position. Cameras are unchanged.
    """
  public static let example = """
    {
      "use": "crop",
      "with": { "center": [0, "1m", 0], "size": ["3m", "2m", "3m"], "rotate": [0, "30deg", 0], "mode": "cut" }
    }
    """

  public struct Parameters: StageParameters {
    @Parameter("Minimum corner of an axis-aligned box.")
    public var min: LengthVector? = nil

    @Parameter("Maximum corner of an axis-aligned box.")
    public var max: LengthVector? = nil

    @Parameter("Centre of a rotated box or of a sphere.")
    public var center: LengthVector? = nil

    @Parameter("Edge lengths of a rotated box.", in: 0...Double.infinity)
    public var size: LengthVector? = nil

    @Parameter("Three angles that rotate the box: about the fixed axes x, then y, then z.")
    public var rotate: [Angle] = []

    @Parameter("Radius of a sphere.", in: 0...Double.infinity, scope: .free)
    public var radius: Length? = nil

    @Parameter("Side that stays.", formerly: "keep")
    public var side = Side.inside

    @Parameter(
      "Rule by which a face is inside: its centroid, any or all of its corners are; or it is cut at the border."
    )
    public var mode = Mode.centroid

    public init() {}

    public func faults() -> [String] {
      var faults: [String] = []
      let isBox = min != nil || max != nil
      if isBox, center != nil || size != nil || radius != nil {
        faults.append("give either 'min' and 'max' or 'center' with 'size' or 'radius', not both")
      } else if !isBox, (center == nil) || (size == nil) == (radius == nil) {
        faults.append("give 'min' and 'max', or 'center' with 'size', or 'center' with 'radius'")
      }
      if let min, let max, any(min.meters .>= max.meters) {
        faults.append("'min' must be below 'max' along each axis")
      }
      if let fault = rotate.rotationFault { faults.append(fault) }
      if !rotate.isEmpty, size == nil { faults.append("'rotate' needs 'center' and 'size'") }
      if mode == .cut, radius != nil { faults.append("'cut' needs a box, not a sphere") }
      return faults
    }
  }

  /// One of the two sides of the border.
  public enum Side: String, CaseIterable, ParameterValue {
    /// What is inside the box or sphere, or what is outside.
    case inside, outside
  }

  /// The rule for faces that cross the border.
  public enum Mode: String, CaseIterable, ParameterValue {
    /// Its centroid is inside.
    case centroid
    /// One of its corners is inside.
    case any
    /// All of its corners are inside.
    case all
    /// Faces are cut at the border of the box.
    case cut
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    let region = self.region(in: scene)
    let before = scene.bounds
    let keepsInside = parameters.side == .inside
    var isInside: [[Bool]] = []
    try scene.updateMeshes(in: context, progress: 0...0.7) { mesh in
      isInside.append(facesInside(region, of: &mesh))
    }
    try scene.keepMeshFaces(in: context, progress: 0.7...0.9) { mesh in
      isInside[mesh].map { $0 == keepsInside }
    }
    for index in scene.pointClouds.indices {
      let positions = scene.pointClouds[index].positions
      scene.pointClouds[index].keepPoints(
        Parallel.array(count: positions.count) {
          region.contains(positions[$0].double) == keepsInside
        })
    }
    if !before.isEmpty, scene.bounds.isEmpty { warnOfNothing(before, scene, context) }
    try context.progress(1)
    return scene
  }

  /// Says where the scan is, if nothing of it stays.
  private func warnOfNothing(_ box: Box, _ scene: Scene, _ context: StageContext) {
    func text(_ corner: SIMD3<Float>) -> String {
      ((SIMD3<Double>(corner) + scene.origin) * scene.coordinateSystem.metersPerUnit).placeText
    }
    let side = parameters.side == .inside ? "inside" : "outside"
    context.warn(
      "nothing is \(side); the scan goes from \(text(box.minimum)) to \(text(box.maximum)) in metres"
        + Self.remark(onUnitOf: scene.survey?.referenceSystem))
  }

  /// How to write the numbers of a file in feet, which readers made metres.
  private static func remark(onUnitOf system: ReferenceSystem?) -> String {
    guard let unit = system?.horizontalUnit, unit != 1,
      let sign = Length.units.first(where: { abs($0.value / unit - 1) < 1e-9 })?.key
    else { return "" }
    return "; its file is in \(CoordinateSystem.unitWords(ofMeters: unit)), as in 980000\(sign)"
  }

  private func region(in scene: borrowing Scene) -> Region {
    let system = scene.coordinateSystem
    let center = parameters.center?.place(in: scene) ?? .zero
    if let radius = parameters.radius {
      return .sphere(center: center, radius: radius.units(in: system))
    }
    if let size = parameters.size {
      // The inverse of a rotation always exists.
      let turn = parameters.rotate.rotation.inverse ?? .identity
      let toBox = turn * Transform(translation: -center)
      let half = size.units(in: system) / 2
      return .box(toBox: toBox, minimum: -half, maximum: half)
    }
    let unbounded = SIMD3<Double>(repeating: .infinity)
    return .box(
      toBox: .identity, minimum: parameters.min?.place(in: scene) ?? -unbounded,
      maximum: parameters.max?.place(in: scene) ?? unbounded)
  }

  private func facesInside(_ region: Region, of mesh: inout Mesh) -> [Bool] {
    if parameters.mode == .cut { return cut(&mesh, at: region) }
    let mode = parameters.mode
    return Parallel.array(count: mesh.faceCount) { [mesh] face in
      if mode == .centroid { return region.contains(mesh.centroid(ofFace: face)) }
      let (a, b, c) = mesh.vertices(ofFace: face)
      func isInside(_ vertex: UInt32) -> Bool {
        region.contains(mesh.positions[Int(vertex)].double)
      }
      return mode == .any
        ? isInside(a) || isInside(b) || isInside(c) : isInside(a) && isInside(b) && isInside(c)
    }
  }

  /// Cuts the faces at the planes around a box, one after another.
  private func cut(_ mesh: inout Mesh, at region: Region) -> [Bool] {
    var isInside = [Bool](repeating: true, count: mesh.faceCount)
    for plane in region.planes {
      mesh.cut(along: plane, isChosen: &isInside)
      for face in isInside.indices where isInside[face] {
        isInside[face] = plane.distance(to: mesh.centroid(ofFace: face)) <= 0
      }
    }
    return isInside
  }
}
