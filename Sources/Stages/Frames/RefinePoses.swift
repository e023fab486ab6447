public import MeshPipeline
import NativeLibraries
import POSIX
import Photogrammetry

/// Refines the camera poses of a capture, so that all frames agree on the mesh.
public struct RefinePoses: Stage {
  public static let summary =
    "Refines the camera poses of a capture, so that all frames agree on the mesh."
  public static let discussion = """
    Image patches are matched across frames, over some dozen pixels, and all poses are \
    bundle-adjusted against the mesh. Where images contain too little distinctive detail, or too \
    few frames show the same, all poses stay as recorded.

    A phone knows its camera's position to a centimetre and its orientation to a tenth of a \
    degree, which is many pixels: without refinement the colours of two frames do not align, and \
    their mean is a smear. Drift accumulated on a walk around an object is corrected, even on \
    concrete or carpets with repetitive texture.

    Run it before `bake-texture` or `bake-colors`, with the mesh that will be baked, or between two \
    runs of `fuse-depth`, the second of which then sees a sharper surface. The mesh is \
    not changed. Time grows with the number of frames times their detail: 60 frames take about \
    nine seconds on one core. Poses that already agree cost only a first pass and are left \
    unchanged.

    - **Robustness**: exposure and white balance do not matter, blurred frames get less weight, \
    and whatever depth maps show in front of the mesh is ignored. The recorded poses act as a \
    prior where the images don't constrain them, so that a plain wall stays in place, and for \
    the mean over all frames.
    - **Acceptance**: each new pose is judged by patches held out of the fit, and all together \
    by the distance of matching details on the mesh. A frame keeps its recorded pose when the \
    new one is not significantly better, when it shares too little detail with others, or when \
    it would move further than `maximumShift` or `maximumTurn`; the report says how many and \
    which.
    - **Warp**: remaining errors (rolling shutter, a focusing lens, a mesh slightly in front of \
    or behind the true surface) are corrected by a smooth grid of small shifts for each image \
    (the non-rigid correction of Zhou and Koltun 2014), from patches and from edges such as \
    skirtings and stripes: at most 0.4 % of the image width, and only for frames that it brings \
    at least 15 % nearer to the others at patches held out of the fit. Baking in the same run \
    uses it; `warp: false` disables it.
    - **Depth maps** of the same frames are aligned together with the photographs: those that \
    measured the same place should measure it at the same distance, however far apart in time, with \
    weights by the sensor's noise. Its errors are smooth, so that a sixteenth of the width counts \
    once and not as thousands of pixels.
    - **Frames with a depth map only**, and those that photographs did not move to a better place: \
    they start from what the frames before and after them were corrected by, because a phone's errors \
    change slowly, and are then aligned by their own depths, with the others held fixed. Parts of each \
    depth map are held out and judge the result. How far the recorded poses of this capture are off is \
    estimated, up to `expectedShift` and `expectedTurn`, so that the sensor's noise does not move exact \
    poses. A capture without any photographs is aligned in this way, too, less exactly: the error of 60 \
    recorded poses in a room fell from 4.2 to 2.0 mm, with photographs to 0.5 mm; where a walk ends at \
    its start, a drift of 5 cm is reduced to a fifth, in a corridor to a half. `alignDepth: false` \
    disables both.
    - **Lens**: a focal length that is wrong by the same factor in all frames, and a radial \
    distortion that the files don't record, are estimated together with the poses. They are used if \
    they are beyond their own uncertainty, and if each half of the frames finds them by itself. The \
    report has them with their standard deviations, and a warning if they are more than phones' lenses have.
    """
  public static let example = #"{ "use": "refine-poses" }"#
  public static let dataFlow = StageDataFlow(needs: [.faces, .frames])
  public static let relativeCost = 30.0

  public struct Parameters: StageParameters {
    @Parameter("Expected position error of the recorded cameras.", in: 1e-5...1, scope: .free)
    public var expectedShift = Length(meters: 0.01)

    @Parameter("Expected rotation error of the recorded cameras.", in: .degrees(0.001...20))
    public var expectedTurn = Angle(degrees: 0.2)

    @Parameter(
      "Maximum shift of a camera; one that would move farther keeps its recorded pose.", in: 0...10,
      scope: .free)
    public var maximumShift = Length(meters: 0.05)

    @Parameter(
      "Maximum rotation of a camera; one that would turn farther keeps its recorded pose.",
      in: .degrees(0...90))
    public var maximumTurn = Angle(degrees: 2)

    @Parameter(
      "Image width in pixels at the finest scale; less for very many frames.",
      in: 64...4096)
    public var width = 960

    @Parameter(
      "Also warp images slightly where this improves their agreement.")
    public var warp = true

    @Parameter("Ignore image areas that the depth map shows not to be part of the mesh.")
    public var useDepth = true

    @Parameter("Also align the depth maps of all frames with each other, with and without images.")
    public var alignDepth = true

    public init() {}

    public static let formerOptions = ["columns": "is fixed at 24 now"]
  }

  /// Why poses could not be refined.
  public enum Failure: StageFailure, Equatable {
    /// The scan has only points.
    case noFaces

    public var message: String {
      switch self {
      case .noFaces:
        "the scan has points but no faces, which poses are refined against; guard the stage with "
          + "\"when\": \"frames and faces\""
      }
    }
  }

  /// The width of the maps that tell occluded places.
  private static let maskWidth = 160

  /// The part of the time after which images are read.
  private static let loaded = 0.2

  /// The part of the time after which photographs are aligned, if depth maps are next: they take a tenth of it.
  private static func photographsEnd(_ count: Int) -> Double { count > 1 ? 0.9 : loaded }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func expectedMemory(for scene: PlannedScene) -> Int {
    scene.frameCount > 0 ? 200 * scene.faceCount + 20 * scene.framePixelCount : 0
  }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.faceCount > 0 || scene.pointCount == 0 else { throw Failure.noFaces }
    guard var capture = scene.capture, scene.faceCount > 0,
      capture.frames.count > 1 || parameters.alignDepth && capture.allDepthFrames.count > 1
    else {
      try context.progress(1)
      return scene
    }
    let surface = try ObservedSurface(scene)
    let sources = try FrameSources(
      surface: surface, width: parameters.width, maskWidth: Self.maskWidth,
      usesDepth: parameters.useDepth, keepsDepth: parameters.alignDepth,
      withoutImage: "keeps its pose"
    ).load(capture.frames, in: context)
    let places = sources.indices.filter { sources[$0] != nil }
    let refiner = PoseRefiner(surface: surface, settings: settings(surface))
    let end = parameters.alignDepth ? Self.photographsEnd(places.count) : 1
    let result = try refiner.refined(sources.compactMap(\.self)) { part in
      try context.progress(Self.loaded + (end - Self.loaded) * part)
    }
    let recorded = capture
    let confirmed = zip(places, result.outcomes).filter { $1.verdict.isConfirmed }
    let drift = PoseDrift(of: confirmed.map { (capture.frames[$0], $1.pose) })
    for (index, outcome) in zip(places, result.outcomes) {
      capture.frames[index].pose = outcome.pose
      capture.frames[index].warp = outcome.warp
    }
    if !capture.depthFrames.isEmpty {
      context.note("movedDepthMaps", drift.correct(&capture.depthFrames).json)
    }
    report(
      zip(places, result.outcomes).map { (capture.frames[$0].name, $1.verdict) },
      surface.scale, to: context)
    note(result.outcomes.compactMap(\.warp), to: context)
    if !result.lens.isNone {
      capture.changeLenses(result.lens.correct)
      report(result.lens, to: context)
    }
    if parameters.alignDepth {
      try alignDepths(
        of: &capture, recorded: recorded, Self.fixed(confirmed), surface, in: context
      ) { part in try context.progress(end + (1 - end) * part) }
    }
    scene.capture = capture
    try context.progress(1)
    return scene
  }

  /// The frames whose poses depth maps leave as they are.
  ///
  /// Once photographs moved some, one that kept its pose may be off for lack of a better one.
  private static func fixed(
    _ confirmed: [(place: Int, outcome: PoseRefiner.Outcome)]
  ) -> Set<Int> {
    let moved = confirmed.filter(\.outcome.verdict.isBetter)
    return Set((moved.isEmpty ? confirmed : moved).map(\.place))
  }

  /// Aligns the depth maps of all frames whose poses photographs did not find.
  private func alignDepths(
    of capture: inout Capture, recorded: Capture, _ fixed: Set<Int>,
    _ surface: ObservedSurface, in context: StageContext, progress: (Double) throws -> Void
  ) throws {
    let photographed = capture.frames.indices.filter { capture.frames[$0].depth != nil }
    let frames = photographed.compactMap { capture.frames[$0].depthFrame } + capture.depthFrames
    let poses =
      photographed.map { recorded.frames[$0].pose } + recorded.depthFrames.map(\.pose)
    guard frames.count > max(1, photographed.count(where: fixed.contains)) else { return }
    let sources = Parallel.map(count: frames.count) { index in
      DepthPoseRefiner.Source(
        frames[index], recorded: poses[index],
        isFixed: index < photographed.count && fixed.contains(photographed[index]),
        surface.scale)
    }
    let outcomes = try DepthPoseRefiner(surface: surface, settings: settings(surface))
      .refined(sources, progress: progress)
    for (index, outcome) in outcomes.enumerated() {
      if index < photographed.count {
        capture.frames[photographed[index]].pose = outcome.pose
      } else {
        capture.depthFrames[index - photographed.count].pose = outcome.pose
      }
    }
    report(zip(sources, outcomes).filter { !$0.0.isFixed }.map { $0.1 }, surface.scale, to: context)
  }

  private func report(
    _ outcomes: [DepthPoseRefiner.Outcome], _ scale: MetricScale, to context: StageContext
  ) {
    func median(_ values: [Double]) -> JSONValue {
      guard let median = values.filter({ !$0.isNaN }).median() else { return JSONValue(.null) }
      return scale.millimeters(median).json(digits: 3)
    }
    let moved = outcomes.filter { $0.change == .improved }
    context.note("alignedDepthMaps", moved.count.json)
    context.note(
      "depthResidualBeforeMillimeters", median(moved.map { Double($0.residualBefore) }))
    context.note("depthResidualAfterMillimeters", median(moved.map { Double($0.residualAfter) }))
    context.note("depthShiftMillimeters", median(moved.map(\.shift)))
  }

  /// Reports how many images are warped, and the 75th percentile of the shifts.
  private func note(_ warps: [ImageWarp], to context: StageContext) {
    context.note("warpedFrames", warps.count.json)
    let lengths = warps.flatMap(\.shifts).map { Double(($0 * $0).sum().squareRoot()) }.sorted()
    guard !lengths.isEmpty else { return }
    let percent = lengths[lengths.count * 3 / 4] * 100
    context.note("warpPercentOfWidth", percent.json(digits: 3))
  }

  private func settings(_ surface: ObservedSurface) -> PoseRefiner.Settings {
    PoseRefiner.Settings(
      expectedShift: surface.scale.units(meters: parameters.expectedShift.meters),
      expectedTurn: parameters.expectedTurn.radians,
      greatestShift: surface.scale.units(meters: parameters.maximumShift.meters),
      greatestTurn: parameters.maximumTurn.radians, findsWarps: parameters.warp)
  }

  /// Lenses that stretch images by up to this give no warning: autofocus changes focal lengths, and the distortion of
  /// phones' lenses is hardly ever recorded.
  private static let usualStretch = (focalLength: 0.02, distortion: 0.025)

  private func report(_ lens: LensError, to context: StageContext) {
    func text(_ value: Double, _ deviation: Double) -> String {
      let deviation = NumberText.fixed(max(0.001, deviation), digits: 3)
      return "\(NumberText.fixed(value, digits: 3)) ± \(deviation)"
    }
    let focal = lens[.focalLength]
    if focal.value != .zero {
      let (scale, deviation) = (exp(focal.value.x), exp(focal.value.x) * focal.deviation.x)
      context.note("focalScale", scale.json(digits: 4))
      context.note("focalScaleDeviation", deviation.json(digits: 2))
      if abs(scale - 1) > max(Self.usualStretch.focalLength, 2 * deviation) {
        context.warn(
          "the focal length of the frames is wrong: they fit with \(text(scale, deviation)) times its value, which "
            + "is used")
      }
    }
    let (radial, deviation) = (lens[.radialDistortion].value, lens[.radialDistortion].deviation)
    if radial != .zero {
      func pair(_ pair: SIMD2<Double>) -> JSONValue {
        JSONValue(.array([pair.x.json(digits: 3), pair.y.json(digits: 3)]))
      }
      context.note("radialDistortion", pair(radial))
      context.note("radialDistortionDeviation", pair(deviation))
      if lens[.radialDistortion].greatestStretch > Self.usualStretch.distortion {
        context.warn(
          "the files record no lens distortion, but the frames fit with a radial one of k1 = "
            + "\(text(radial.x, deviation.x)) and k2 = \(text(radial.y, deviation.y)), which is used"
        )
      }
    }
  }

  private func report(
    _ verdicts: [(name: String, verdict: PoseVerdict)], _ scale: MetricScale,
    to context: StageContext
  ) {
    func median(_ values: [Double]) -> JSONValue {
      guard let median = values.filter({ !$0.isNaN }).median() else { return JSONValue(.null) }
      return median.json(digits: 3)
    }
    let moved = verdicts.filter(\.verdict.isBetter).map(\.verdict)
    context.note("improvedFrames", moved.count.json)
    context.note("keptFrames", (verdicts.count - moved.count).json)
    context.note(
      "residualBeforePixels", median(verdicts.map { Double($0.verdict.residualBefore) }))
    context.note("residualAfterPixels", median(moved.map { Double($0.residualAfter) }))
    context.note("shiftMillimeters", median(moved.map { scale.millimeters($0.shift) }))
    context.note(
      "greatestShiftMillimeters",
      median([scale.millimeters(moved.map(\.shift).max() ?? 0)]))
    context.note("turnDegrees", median(moved.map { $0.turn * 180 / .pi }))
    for (change, reason) in Self.reasons {
      let names = verdicts.filter { $0.verdict.change == change }.map(\.name)
      guard !names.isEmpty else { continue }
      context.note(reason, JSONValue(.array(names.map { JSONValue(.string($0)) })))
    }
  }

  private static let reasons: [(PoseVerdict.Change, String)] = [
    (.notBetter, "keptAsGood"), (.tooLittleDetail, "keptForLackOfDetail"),
    (.tooFar, "keptAsTooFar"),
  ]
}
