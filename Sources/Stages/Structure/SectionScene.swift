public import MeshPipeline
import SurfaceKernels

/// Cuts the meshes along planes into lines, for drawings.
public struct SectionScene: Stage {
  // The type is not named `Section`, like what it makes.
  public static let name = "section"
  public static let otherNames = [
    "cross-section", "slice", "contours", "cut-plane", "cut-lines",
  ]
  public static let summary = "Cuts the meshes along planes into lines, for drawings."
  public static let discussion = """
    Where a plane crosses a face it leaves a line, and lines of faces that share an edge become one curve, closed where \
    the mesh is. The meshes stay as they are; outputs that end with `.svg`, `.dxf` or `.pdf` draw the sections, each on a \
    sheet of its own.

    - **`heights`** are those of horizontal planes above the floor: the storey of a building that was found, else the lowest level with a good part of the \
    faces of class `floor`, else the lowest point of the scene. The report says which. Without any other option there is one plane, 1.20 m above the floor.
    - **`step`** cuts at all multiples of a height above and below the floor, as contour lines.
    - **`normal`** with `point` is any plane, seen against the normal; `normal=1,0,0` is a vertical one through the middle of the scene.

    A curve is on the layer of the class of its faces, or of their mesh where these have no classes, and ends where the class \
    changes. The solid is on its left where faces look outward. Points that are on a line with their neighbours, within \
    `tolerance` or what single precision tells apart, are left out.

    A vertex on a plane counts as in front of it: above a horizontal one. So a floor is not cut at its own height, and a table is, below its top. \
    Faces are joined where their corners have the same positions, so that the scene need not be welded; open curves are borders of the mesh.

    The report has curves, open curves, their length in metres and the area that closed ones enclose, less holes, in square metres, for \
    each plane.
    """
  public static let example = #"{ "use": "section", "with": { "heights": ["1.2m", "2.2m"] } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.faces], uses: [.classification, .building], makes: [.sections])

  public struct Parameters: StageParameters {
    @Parameter("Heights of horizontal planes above the floor.", scope: .free)
    public var heights: [Length] = []

    @Parameter(
      "Distance of horizontal planes through the whole scene; 0 for none.",
      in: 0...Double.infinity)
    public var step = Length(meters: 0)

    @Parameter("Direction from another plane to its viewer.")
    public var normal: NumberVector? = nil

    @Parameter("Point on that plane, in the coordinates of the file; by default the middle.")
    public var point: LengthVector? = nil

    @Parameter(
      "Maximum distance of points that are left out from their curve.", in: 0...Double.infinity,
      scope: .detail)
    public var tolerance = Length(meters: 0)

    public init() {}

    public func faults() -> [String] {
      var faults: [String] = []
      if let normal, !(normal.value.lengthSquared.isNormal) {
        faults.append("'normal' must have a direction")
      }
      if point != nil, normal == nil { faults.append("'point' needs 'normal'") }
      return faults
    }
  }

  /// Why nothing was cut.
  public enum Failure: StageFailure, Equatable {
    /// The step asks for more planes than anyone looks at.
    case tooManyPlanes(Double)

    public var message: String {
      switch self {
      case .tooManyPlanes(let count):
        "the step asks for \(JSONValue.text(of: count.rounded())) planes, more than \(SectionScene.mostPlanes); "
          + "give a larger 'step', or check the scene's unit"
      }
    }
  }

  static let mostPlanes = 2000

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 16 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let level = SectionLevel(of: scene)
    var sections: [CutSection] = []
    if let normal = parameters.normal {
      let middle = scene.bounds.isEmpty ? SIMD3<Double>.zero : SIMD3(scene.bounds.center)
      let plane = SectionAxes(
        towards: normal.value, through: parameters.point?.place(in: scene) ?? middle, in: scene)
      sections += cut(scene, plane.axes, heights: [0], names: ["Section"])
    }
    try context.progress(0.3)
    let heights = try heights(above: level, in: scene)
    if !heights.isEmpty {
      let axes = SectionAxes.horizontal(at: level.height, in: scene).axes
      let unit = scene.coordinateSystem.metersPerUnit
      sections += cut(
        scene, axes, heights: heights.map { $0 / unit }, names: heights.map(Self.name(ofHeight:)))
      context.note("floorMeters", (level.height * unit).json(digits: 3))
      context.note("floor", level.source.json)
    }
    try context.progress(0.9)
    scene.sections += sections.map(\.section)
    report(sections, level, scene, to: context)
    try context.progress(1)
    return scene
  }

  /// The height above the floor as a name: `1.20 m`.
  private static func name(ofHeight meters: Double) -> String {
    let isWhole = abs(meters * 100 - (meters * 100).rounded()) < 1e-6
    return NumberText.fixed(meters, digits: isWhole ? 2 : 3) + " m"
  }

  /// The heights above the floor in metres, ascending.
  private func heights(
    above level: SectionLevel, in scene: borrowing Scene
  ) throws(Failure) -> [Double] {
    var heights = parameters.heights.map(\.meters)
    let step = parameters.step.meters
    if step > 0, let range = level.range {
      let unit = scene.coordinateSystem.metersPerUnit
      let (low, high) = ((range.lowerBound * unit) / step, (range.upperBound * unit) / step)
      guard high - low < Double(Self.mostPlanes) else { throw .tooManyPlanes(high - low) }
      // A plane through the lowest vertices cuts nothing.
      var number = low.rounded(.down) + 1
      while number <= high {
        heights.append(number * step)
        number += 1
      }
    } else if step == 0, heights.isEmpty, parameters.normal == nil {
      heights = [Self.usualHeight]
    }
    return Set(heights).sorted()
  }

  /// Above most window sills and below the heads of doors, in metres.
  private static let usualHeight = 1.2

  private func cut(
    _ scene: borrowing Scene, _ axes: Transform, heights: [Double], names: [String]
  ) -> [CutSection] {
    let layers = SectionLayers(of: scene)
    let cuts = PlaneSections(of: scene.meshes, axes: axes, heights: heights) {
      layers.label(mesh: $0, face: $1)
    }
    let tolerance = max(
      Self.precision(of: scene), parameters.tolerance.units(in: scene.coordinateSystem))
    return zip(heights.indices, cuts.chains).map { index, chains in
      CutSection(
        chains, layers, name: names[index], tolerance: tolerance,
        placement: axes * Transform(translation: SIMD3(0, 0, heights[index])))
    }
  }

  /// What single precision can't tell from a line, with some rounding of cuts.
  private static func precision(of scene: borrowing Scene) -> Double {
    let box = scene.bounds
    guard !box.isEmpty else { return 0 }
    let largest = max(box.maximum.max(), -box.minimum.min())
    return largest.isFinite ? 4e-7 * Double(largest) : 0
  }

  private func report(
    _ sections: [CutSection], _ level: SectionLevel, _ scene: borrowing Scene,
    to context: StageContext
  ) {
    let unit = scene.coordinateSystem.metersPerUnit
    context.note(
      "sections", JSONValue(.array(sections.map { $0.json(metersPerUnit: unit) })))
    guard scene.faceCount > 0 else { return }
    let empty = sections.filter(\.section.curves.isEmpty).map(\.section.name)
    guard !empty.isEmpty, parameters.step.meters == 0 || empty.count == sections.count,
      let range = level.range
    else { return }
    func text(_ height: Double) -> String { NumberText.fixed(height * unit, digits: 2) + " m" }
    let middle = NumberText.fixed((range.lowerBound + range.upperBound) / 2 * unit, digits: 2)
    // A level scene has no height at which a level plane cuts it.
    let wayOut = range.lowerBound < range.upperBound ? ": try heights=\(middle)m" : ""
    context.warn(
      parameters.normal != nil && empty == ["Section"]
        ? "the plane cuts no face; without 'point' it goes through the middle of the scene"
        : "no face is cut at \(empty.joined(separator: ", ")); the scene goes from \(text(range.lowerBound)) to "
          + "\(text(range.upperBound)) above the floor\(wayOut)")
  }
}
