public import MeshPipeline
import SurfaceKernels

/// Finds the planes, spheres, cylinders, cones and tori in meshes and points.
public struct DetectShapes: Stage {
  public static let otherNames = [
    "find-shapes", "fit-shapes", "find-surface", "ransac", "primitives",
    "detect-cylinders", "detect-spheres", "segment-plane", "detect-planar-patches",
  ]
  public static let summary =
    "Finds the planes, spheres, cylinders, cones and tori in meshes and points."
  public static let discussion = """
    Planes of meshes grow from the flattest faces (Rabbani and others 2006). All other shapes are determined by a \
    few samples near each other, tried on many, and the best ones fitted to all by least squares (efficient RANSAC: \
    Schnabel, Wahl and Klein 2007).

    - **What counts**: a face or point belongs to a shape within `maximumDistance` of it, if its normal is within \
    `maximumAngle` of the shape's. Three times the noise is a good distance: with much less shapes fall apart, with \
    much more they take what is beside them. By default it is 3.2 standard deviations of the noise that is measured \
    on smooth parts, and at least 0.1% of the extent for faces and 0.05% for points.
    - **One shape**: parts of a plane that are near each other, such as a wall on both sides of a door, are one shape. \
    Of round shapes the largest connected part counts.
    - **Simple first**: a round shape must have 1.6 times the area of a plane through it, a cone or torus must fit clearly \
    better than a sphere or cylinder, and 60 degrees around an axis or a tenth of a sphere must be there. Cushions \
    and rounded edges are found as what they come near to; leave out `kinds` that you don't look for.
    - **Points** without normals get them from their neighbours. At most 400 shapes are drawn from a mesh or cloud; \
    planes of meshes have no limit.

    With `seed`, the one shape around a place is found and followed as far as it goes. The options are those of \
    FindSurface: `seed` with `touchRadius` is the seed point with its touch radius, `meanDistance` its mean distance, \
    `lateralExtension` the same; its accuracy and radial expansion together are `maximumDistance`, about three \
    times the accuracy.

    The report names all shapes, in metres and degrees and in the coordinates of the file: parameters, extent, faces or points and area, the root mean \
    square and the largest of the distances. An output whose name ends with `.shapes.json` has them for programs. \
    With `classify` each is a class (`plane-1` is the largest plane), which replaces classes of the scan; with `replace` \
    the scene consists of the shapes: polygons with straight sides and openings, or rectangles, whole spheres and tubes, \
    cylinders and cones as far as they go, \
    and meshes, points and textures are gone. Shapes move along with later stages that move the scene, but are not found again.
    """
  public static let example = #"""
    { "use": "detect-shapes", "with": { "kinds": ["plane", "cylinder"], "maximumDistance": "1cm" } }
    """#
  public static let dataFlow = StageDataFlow(makes: [.shapes])
  public static let relativeCost = 3.0

  public struct Parameters: StageParameters {
    @Parameter("Kinds of shapes to find.")
    public var kinds = Kind.allCases

    @Parameter(
      "Maximum distance of faces or points from their shape; if absent, set by the noise of the scan.",
      in: 1e-9...Double.infinity, scope: .detail)
    public var maximumDistance: Length? = nil

    @Parameter(
      "Maximum angle between normals of a shape and of what is on it.", in: .degrees(1...90))
    public var maximumAngle = Angle(degrees: 25)

    @Parameter(
      "Minimum area of a shape of faces; if absent, a square of 5% of the extent.",
      in: 0...Double.infinity)
    public var minimumArea: Area? = nil

    @Parameter("Minimum size of a shape of points, as a number or as a share of all.")
    public var minimumPoints = Amount.fraction(0.01)

    @Parameter(
      "Usual distance of neighbouring points; if absent, measured.",
      in: 1e-9...Double.infinity, scope: .detail)
    public var meanDistance: Length? = nil

    @Parameter("Reach of a shape over gaps, in steps of its mean distance.", in: 0...10)
    public var lateralExtension = 2.0

    @Parameter("Point on the only shape to find, in the coordinates of the file.")
    public var seed: LengthVector? = nil

    @Parameter(
      "Distance from the seed within which most is on its shape.", in: 1e-9...Double.infinity)
    public var touchRadius = Length(meters: 0.05)

    @Parameter("Make each shape a class of its faces or points: plane-1, cylinder-1.")
    public var classify = false

    @Parameter("Replace meshes and points by the shapes, each a mesh of its own over its extent.")
    public var replace = false

    @Parameter(
      "Extent of planes with 'replace': polygons as far as their faces or points go, or rectangles around them."
    )
    public var planes = PlaneExtent.outline

    @Parameter("Close the ends of whole cylinders and cones; for 'replace'.")
    public var caps = false

    public init() {}
  }

  /// What a shape may be.
  public enum Kind: String, CaseIterable, ParameterValue {
    /// What has the kind's name.
    case plane, sphere, cylinder, cone, torus
  }

  /// How far a plane goes that replaces what is on it.
  public enum PlaneExtent: String, CaseIterable, ParameterValue {
    /// Polygons with straight sides.
    case outline
    /// The smallest rectangle around it.
    case rectangle
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int { 70 * scene.faceCount }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    let found = try ShapeDetection(scene, options(for: scene)) { try context.progress(0.95 * $0) }
    scene.shapes = found.shapes
    if parameters.seed != nil, found.shapes.isEmpty {
      context.warn("no shape was found at the seed; try a larger 'touchRadius'")
    }
    if parameters.classify { classify(&scene, found) }
    if parameters.replace { replace(&scene) }
    report(found, scene, to: context)
    try context.progress(1)
    return scene
  }

  /// The half of the mean distance that belongs to each point: `lateralExtension` counts from its end, so that the usual 2
  /// bridges 2.5 distances.
  private static let reach = 0.5

  private func options(for scene: borrowing Scene) -> ShapeDetection.Options {
    let system = scene.coordinateSystem
    return ShapeDetection.Options(
      kinds: Shape.Kind.allCases.filter { kind in
        parameters.kinds.contains { $0.rawValue == kind.rawValue }
      },
      maximumDistance: parameters.maximumDistance?.units(in: system),
      maximumAngle: parameters.maximumAngle.radians,
      leastArea: parameters.minimumArea?.units(in: system),
      leastPoints: parameters.minimumPoints.resolved(of: scene.pointCount),
      spacing: parameters.meanDistance?.units(in: system),
      bridging: Self.reach + parameters.lateralExtension,
      seed: parameters.seed.map {
        .init(center: $0.place(in: scene), radius: parameters.touchRadius.units(in: system))
      })
  }

  /// Makes shapes the classes of all faces and points; what is on none has the class `none`.
  private func classify(_ scene: inout Scene, _ found: ShapeDetection) {
    var table = FaceClasses(labels: [])
    let labels = found.shapes.map { table.label(named: $0.name) ?? 0 }
    func classes(of numbers: [Int32]) -> FaceClasses {
      FaceClasses(
        labels: numbers.map { $0 < 0 ? 0 : labels[Int($0)] }, names: table.names)
    }
    for index in scene.meshes.indices {
      scene.meshes[index].classes = classes(of: found.faceLabels[index])
    }
    for index in scene.pointClouds.indices {
      scene.pointClouds[index].classes = classes(of: found.pointLabels[index])
    }
  }

  private func replace(_ scene: inout Scene) {
    scene.pointClouds = []
    scene.materials = []
    scene.textures = []
    scene.surfaceMaps = []
    scene.meshes = scene.shapes.map { shape in
      var mesh = Mesh(
        shape, hasCaps: parameters.caps, hasOutline: parameters.planes == .outline)
      if parameters.classify {
        var classes = FaceClasses(labels: [])
        let label = classes.label(named: shape.name) ?? 0
        classes.labels = [UInt16](repeating: label, count: mesh.faceCount)
        mesh.classes = classes
      }
      return mesh
    }
  }

  private func report(
    _ found: ShapeDetection, _ scene: borrowing Scene, to context: StageContext
  ) {
    let (system, origin) = (scene.coordinateSystem, scene.origin)
    let counts = Shape.Kind.allCases.compactMap { kind -> JSONValue.Member? in
      let count = found.shapes.count { $0.kind == kind }
      return count == 0 ? nil : .init(kind.rawValue, count.json)
    }
    context.note("kinds", JSONValue(.object(counts)))
    let tolerances = [
      ("faceDistance", found.faceTolerance), ("pointDistance", found.pointTolerance),
    ]
    for case (let name, let tolerance?) in tolerances {
      context.note(
        "\(name)Millimeters", Length(units: tolerance, in: system).millimeters(digits: 2))
    }
    let shapes = found.shapes.map {
      $0.json(origin: origin, scale: system.metersPerUnit, hasOutline: false)
    }
    context.note("shapes", JSONValue(.array(shapes)))
  }
}
