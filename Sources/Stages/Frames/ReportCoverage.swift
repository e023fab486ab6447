public import MeshPipeline
import Photogrammetry
import SurfaceKernels

/// Shows in colours and figures how well the frames of a capture see each part of a mesh.
public struct ReportCoverage: Stage {
  public static let summary =
    "Shows in colours and figures how well the frames of a capture see each part of a mesh."
  public static let discussion = """
    Shows where to scan again. A frame sees a point well when the point faces the camera within \
    `maximumAngle` and neither the mesh nor the frame's depth map, if there is one, shows \
    anything nearer.

    Vertices are coloured. For `views`: \(CoverageScale.views.legend). For `resolution`, which \
    is the highest of any frame, in pixels per metre of the surface along the most foreshortened \
    direction: \(CoverageScale.resolution.legend), interpolated in between. Write a PLY to keep \
    the colours; run the stage before `decimate`, since colours are as fine as the mesh.

    The report has the figures for the whole surface and for each class: its area, the area that \
    no frame sees, the shares of area seen by 0, 1, 2 and 3 or more frames, and the 10th, 50th \
    and 90th percentile of the resolution over the seen area.
    """
  public static let example = #"{ "use": "report-coverage", "with": { "show": "resolution" } }"#
  public static let dataFlow = StageDataFlow(needs: [.faces, .frames], makes: [.colors])
  public static let relativeCost = 20.0

  public struct Parameters: StageParameters {
    @Parameter("Quantity that the colours show.")
    public var show = Quantity.views

    @Parameter(
      "Maximum angle between a face's normal and the direction to a camera that sees it well.",
      in: .degrees(0...90))
    public var maximumAngle = Angle(degrees: 75)

    @Parameter(
      "Minimum pixels per metre of the surface for a frame that sees it well.",
      in: 0...Double.infinity)
    public var minimumResolution = 0.0

    @Parameter("Number of sample points, uniform by area, for the figures.", in: 1...1e7)
    public var samples = 100_000

    public init() {}
  }

  /// What the colours show.
  public enum Quantity: String, CaseIterable, ParameterValue {
    /// How many frames see a vertex well.
    case views
    /// The highest pixels per metre of any of them.
    case resolution
  }

  /// Why there is nothing to report.
  public enum Failure: StageFailure, Equatable {
    /// The scan has no frames.
    case noFrames
    /// The scan has only points.
    case noFaces

    public var message: String {
      switch self {
      case .noFrames:
        "the scan has no frames to report on; give the capture's folder as the input, or its frames "
          + "with '--frames'"
      case .noFaces:
        "the scan has points but no faces to report on; guard the stage with \"when\": \"faces\""
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount > 0 else {
      guard scene.pointCount == 0 else { throw Failure.noFaces }
      try context.progress(1)
      return scene
    }
    guard let frames = scene.capture?.frames, !frames.isEmpty else { throw Failure.noFrames }
    let surface = try ObservedSurface(scene)
    let samples = SurfaceSamples(of: surface, count: parameters.samples)
    // Vertices for the colours and samples for the figures, together.
    var coverage = PointCoverage(
      positions: surface.positions + samples.positions, normals: surface.normals + samples.normals)
    try context.progress(0.05)
    try coverage.add(
      frames, of: surface, maximumAngle: parameters.maximumAngle.radians,
      minimumResolution: Float(parameters.minimumResolution)
    ) { try context.progress(0.05 + 0.9 * $0) }
    scene.warnOfTextures(under: "report-coverage", in: context)
    let scale = parameters.show == .views ? CoverageScale.views : .resolution
    color(&scene, surface: surface, coverage: coverage, scale: scale)
    CoverageByClass(
      coverage, of: samples, firstSample: surface.positions.count, classes: scene.classNames
    ).report(to: context)
    context.note("scale", scale.json)
    try context.progress(1)
    return scene
  }

  private func color(
    _ scene: inout Scene, surface: ObservedSurface, coverage: PointCoverage, scale: CoverageScale
  ) {
    var corner = 0
    for index in scene.meshes.indices {
      let unseen = scale.color(of: 0)
      var colors = [Color](repeating: unseen, count: scene.meshes[index].vertexCount)
      for vertex in scene.meshes[index].indices {
        let point = Int(surface.indices[corner])
        let value =
          parameters.show == .views
          ? Float(coverage.views[point]) : coverage.resolutions[point]
        colors[Int(vertex)] = scale.color(of: value)
        corner += 1
      }
      scene.meshes[index].paint(colors)
    }
  }
}
