import Captures
public import MeshPipeline
import Photogrammetry

/// Finds where photographs without poses were taken, with COLMAP.
public struct EstimatePoses: Stage {
  public static let otherNames = [
    "structure-from-motion", "sfm", "colmap", "align-photos", "camera-poses", "photogrammetry",
  ]
  public static let summary = "Finds where photographs without poses were taken, with COLMAP."
  public static let discussion = """
    Features that photographs share show where each was taken, and the points behind them (Schönberger and Frahm 2016): \
    COLMAP finds both, on the processor. Photographs become frames, and the points a point cloud.

    **COLMAP** is a program of its own, which must be in the PATH: `apt install colmap` on Debian and Ubuntu, `brew install colmap` \
    on macOS. It sees reduced copies in a private folder and nothing else, and uses no more threads than the run.

    - **Photographs** are a folder with nothing but JPEG, PNG, WebP, HEIC or AVIF files. Walk around what is photographed: each part \
    in three sharp photographs, and two thirds of each photograph in the next. Up to \(PoseEstimation.mostExhaustive) are compared each with each; \
    of more, each with the next ones and with some of all others, so that a path that comes back is closed.
    - **Cameras**: those of one device, size and focal length in EXIF are one camera, whose focal length and distortion are \
    refined together. Where files don't say the focal length, that of a phone is where the search begins.
    - **Scale**: photographs don't show size. Until `set-scale` measures it by markers or a known distance, the cameras are taken to be \
    `viewingDistance` from what they show, which the run says when something relies on it.
    - **Up** is where the largest level plane of points faces, a floor or a table; without one, it is at right angles to the \
    lower edges of the photographs, by the orientation in EXIF. A floor with a third of the points counts more than that orientation, \
      which some apps leave out.
    - **Left out**: photographs that can't be decoded, the same one twice, and those that find no pose are named. Of several groups \
    that don't meet the largest is taken, and with less than `minimumShare` of all it is an error.
    - **Same input, same result** holds with one thread (`--jobs 1`). With more, COLMAP's last digits depend on which of them is first; \
    poses then differ by much less than their error.
    """
  public static let example = #"{ "use": "estimate-poses", "with": { "viewingDistance": "2m" } }"#
  public static let dataFlow = StageDataFlow(
    needs: [.photographs], makes: [.frames, .points, .colors], removes: [.photographs])
  public static let relativeCost = 50.0

  public static func remedy(for fault: SceneFault) -> String? { fault == .noPoses ? name : nil }

  public struct Parameters: StageParameters {
    @Parameter(
      "Longer side in pixels at which features are searched for.", in: 200...20_000)
    public var imageSize = 1600

    @Parameter("Maximum number of features of a photograph.", in: 100...100_000)
    public var features = 4096

    @Parameter("Minimum share of the photographs that must have poses in one model.", in: 0...1)
    public var minimumShare = 0.5

    @Parameter(
      "Median distance of the cameras from what they show, which is the scale until 'set-scale' measures it.",
      in: 1e-3...1e6)
    public var viewingDistance = Length(meters: 1.5)

    public init() {}
  }

  /// Why photographs can't become frames of the scene.
  public enum Failure: StageFailure, Equatable {
    /// Something has a place in another world.
    case notAlone
    /// The model has no points.
    case noPoints

    public var message: String {
      switch self {
      case .notAlone:
        "the scene has a mesh, points or frames, in whose world photographs without poses have no place; run it on the "
          + "photographs alone, and 'align' the model with the other scan"
      case .noPoints:
        "the photographs share no points, so that nothing shows their distances; take more of them"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard var capture = scene.capture, !capture.photographs.isEmpty else {
      try context.progress(1)
      return scene
    }
    guard scene.meshes.isEmpty, scene.pointClouds.isEmpty, capture.frames.isEmpty,
      capture.depthFrames.isEmpty
    else { throw Failure.notAlone }
    let settings = PoseEstimation.Settings(
      imageSize: parameters.imageSize, features: parameters.features,
      minimumShare: parameters.minimumShare)
    let model = try PoseEstimation(settings).model(of: capture.photographs, in: context)
    report(model, of: capture.photographs.count, to: context)
    let views = zip(model.frames, model.tops).map {
      PhotographedWorld.View(pose: $0.pose, top: $1.direction)
    }
    let points = Self.trusted(model.points)
    guard let world = PhotographedWorld(views, points: points.map(\.position)) else {
      throw Failure.noPoints
    }
    (capture.frames, capture.photographs) = (model.frames, [])
    capture.saysUp = world.evidence != .sides
    scene.coordinateSystem = .arkit
    scene.capture = capture
    var cloud = PointCloud(
      name: "photographed points", positions: points.map { Vector3(SIMD3<Float>($0.position)) })
    cloud.colors = points.map(\.color)
    scene.pointClouds = [cloud]
    scene.apply(world.placement(viewingDistance: parameters.viewingDistance.meters))
    interpret(&scene, world, context)
    try context.progress(1)
    return scene
  }

  /// Points in fewer photographs are less certain than they seem: those in three and more, if these are enough.
  private static func trusted(_ points: [EstimatedModel.Point]) -> [EstimatedModel.Point] {
    let confirmed = points.filter { $0.imageCount >= 3 }
    return confirmed.count >= 100 ? confirmed : points
  }

  // MARK: What is not known

  /// Says how the scene's axes and unit were chosen.
  private func interpret(
    _ scene: inout Scene, _ world: PhotographedWorld, _ context: StageContext
  ) {
    let (reason, isDoubtful) =
      switch world.evidence {
      case .plane(let share):
        ("\(Int((100 * share).rounded())) % of the points are in a level plane", false)
      case .cameras: ("the lower edges of the photographs are level", false)
      case .sides:
        ("all photographs look the same way, and their upper side was taken for up", true)
      }
    context.note("up", JSONValue(.string(reason)))
    scene.interpretation.set(
      .axes, scene.coordinateSystem.up.words, isDoubtful ? .assumed : .numbers, because: reason,
      isDoubtful: isDoubtful)
    let meters = JSONValue.text(of: parameters.viewingDistance.meters)
    scene.interpretation.set(
      .unit, scene.coordinateSystem.unitWords, .assumed,
      because:
        "photographs don't show size: their cameras are taken to be \(meters) m from what they "
        + "show until 'set-scale' measures it",
      isDoubtful: true)
  }

  private func report(
    _ model: EstimatedModel, of count: Int, to context: StageContext
  ) {
    context.note("photographs", count.json)
    context.note("posedPhotographs", model.frames.count.json)
    context.note("cameras", model.cameraCount.json)
    context.note("residualPixels", model.residual.json(digits: 3))
    if !model.unposed.isEmpty {
      context.note(
        "withoutPose", JSONValue(.array(model.unposed.map { JSONValue(.string($0)) })))
    }
    let inOthers = Set(model.others.joined())
    let lost = model.unposed.filter { !inOthers.contains($0) }
    if !lost.isEmpty {
      let names = FrameNames(lost)
      context.warn(
        "\(lost.count == 1 ? "photograph" : "\(lost.count) photographs")\(names.names) found no pose: too little of "
          + "what \(lost.count == 1 ? "it shows" : "they show") is in the others")
    }
    for group in model.others {
      context.warn(
        "\(group.count) photographs\(FrameNames(group).names) are a model of their own, which is left out: "
          + "photographs between them and the others are missing")
    }
  }
}
