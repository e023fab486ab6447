public import MeshPipeline
import Photogrammetry

/// Makes coloured points of the depth maps of a capture.
public struct PointsFromDepth: Stage {
  public static let otherNames = ["depth-to-points", "unproject", "back-project", "rgbd-points"]
  public static let summary = "Makes coloured points of the depth maps of a capture."
  public static let discussion = """
    Each pixel of a depth map becomes a point on the plane fitted to the depths around it, with the \
    plane's normal, which looks to the camera. Pixels that belong to no surface, such as the mixed \
    depths at edges, are left out, as in `fuse-depth`.

    Points have the attributes `confidence` (0 low, 1 medium, 2 high), `range`, the distance from the \
    camera in metres, and `frame`, the number of the depth map in the order of time, from 0. \
    `filter-points` understands the first two.

    - **Colours** are those of the frame's own photograph. Points of depth maps without one take theirs \
    from the photograph of another frame that shows them nearest and most directly, unless other \
    points hide them there; points that no photograph shows are grey. Exposure is as the \
    camera chose it: `bake-colors` equalises it.
    - **Memory** grows with the points: a minute of depth maps has some ten million, each 100 bytes. With \
    `spacing` it grows with the surface: each cell of a grid keeps the point that counts most in \
    `fuse-depth`, near, seen directly and of high confidence. `frameStep` and `pixelStep` use fewer \
    depth maps, and fewer pixels of each.
    - **Overlap**: frames see the same surface again and again, each with its own errors. \
    `thin-points representative=mean` averages them; `fuse-depth` makes a mesh of them.
    """
  public static let example =
    #"{ "use": "points-from-depth", "with": { "spacing": "1cm", "minimumConfidence": 2 } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.depthMaps], makes: [.points, .normals, .colors, .confidences, .customAttributes])
  public static let relativeCost = 5.0

  public struct Parameters: StageParameters {
    @Parameter("Treatment of the scene's meshes and points.")
    public var mode = Mode.replace

    @Parameter(
      "Edge of the cells of a grid, each of which keeps one point; by default all points stay.",
      in: 1e-4...10, scope: .detail)
    public var spacing: Length? = nil

    @Parameter(
      "Maximum distance of a point from the camera.", in: 0.2...1000, scope: .free,
      formerly: "maximumDistance")
    public var maximumDepth = Length(meters: 5)

    @Parameter(
      "Minimum confidence of depths that are used: 0 is low, 1 medium, 2 high.", in: 0...2)
    public var minimumConfidence = 1

    @Parameter(
      "Step from one depth map that is used to the next, in the order of time.", in: 1...1e6)
    public var frameStep = 1

    @Parameter(
      "Step from one pixel that is used to the next, along rows and columns.", in: 1...1000)
    public var pixelStep = 1

    @Parameter("Take colours from the photographs.")
    public var colors = true

    public init() {}
  }

  /// What becomes of the meshes and points that the scene has.
  public enum Mode: String, CaseIterable, ParameterValue {
    /// The new points replace them.
    case replace
    /// They stay, and the new points are added.
    case add
  }

  /// Why there is nothing to measure.
  public enum Failure: StageFailure, Equatable {
    /// No frame has a depth map.
    case noDepthMaps(frames: Int, unread: Int = 0)

    public var message: String {
      switch self {
      case .noDepthMaps(let frames, let unread):
        DepthMapMessages.noDepthMaps(frames: frames, unread: unread)
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard !scene.meshes.isEmpty || !scene.pointClouds.isEmpty || scene.capture != nil else {
      try context.progress(1)
      return scene
    }
    guard let capture = scene.capture, capture.hasDepth else {
      throw Failure.noDepthMaps(
        frames: scene.capture?.frames.count ?? 0,
        unread: scene.capture?.origin?.unreadDepthCount ?? 0)
    }
    let result = try measured(capture, scene.coordinateSystem, in: context)
    report(result, to: context)
    var cloud = result.cloud
    cloud.name = scene.name
    if parameters.mode == .replace {
      (scene.meshes, scene.pointClouds) = ([], [])
      (scene.materials, scene.textures) = ([], [])
    }
    scene.pointClouds.append(cloud)
    try context.progress(1)
    return scene
  }

  private func measured(
    _ capture: Capture, _ system: CoordinateSystem, in context: StageContext
  ) throws -> MeasuredPoints.Result {
    let settings = MeasuredPoints.Settings(
      maximumDepth: parameters.maximumDepth.meters,
      minimumConfidence: parameters.minimumConfidence, frameStep: parameters.frameStep,
      pixelStep: parameters.pixelStep, spacing: parameters.spacing?.meters,
      hasColors: parameters.colors)
    return try MeasuredPoints(capture, system, settings).points(from: context.frameStore) {
      try context.progress($0)
    }
  }

  private func report(_ result: MeasuredPoints.Result, to context: StageContext) {
    context.note("depthMaps", result.frameCount.json)
    context.note("points", result.cloud.positions.count.json)
    if result.uncoloredCount > 0 { context.note("pointsWithoutColor", result.uncoloredCount.json) }
    context.warn(ofDepthMaps: result.faults)
    guard let first = result.photographFaults.first else { return }
    context.warn(
      "photographs of frames (\(result.photographFaults.count)) give no colours; the first one, "
        + "'\(first.frame)': \(first.reason)")
  }
}

extension MeasuredPoints.Failure: StageFailure {
  /// The problem, and the options of the stage that are the way out.
  package var message: String {
    switch self {
    case .noDepth(let reason): DepthMapMessages.noDepth(reason: reason)
    case .tooManyPoints:
      "the depth maps have more than \(MeasuredPoints.limit) points; set 'spacing', or a larger "
        + "'frameStep' or 'pixelStep'"
    }
  }
}
