public import MeshPipeline
internal import NativeLibraries
import POSIX
import Photogrammetry
import SurfaceKernels

/// Keeps the frames of a capture that are sharp, well exposed, and show something new.
public struct SelectFrames: Stage {
  public static let summary =
    "Keeps the frames of a capture that are sharp, well exposed, and show something new."
  public static let discussion = """
    Blurred frames are rejected: a frame is blurred when its edges are wider than other frames \
    of the same points predict for its distance and slant. Of the rest, frames are taken in \
    order of what they add to the surface, until `views` frames see each part of it well.

    - **Sharpness** is measured where the subject has much detail, at a scale at which all \
    images are 640 to 1280 pixels wide. So a frame of a near, slanted or plain surface does not \
    count as blurred, and with too little detail a frame is not rejected. Motion of 1/400 of the \
    image's width during the exposure is detected. Without faces, frames are compared with their \
    neighbours in time, and only strong blur can be distinguished from a different subject.
    - **Redundancy**: of frames from almost the same place only the sharpest stays.
    - **Coverage**: selection ends when `views` frames see each part of the surface at half \
    the best resolution or better, and no frame adds more than `minimumGain` of the surface. A \
    blurred or badly exposed frame stays when no other sees a part of the surface.
    - **Depth maps** of frames that are dropped stay, for `fuse-depth`, except where tracking was \
    poor.
    - **Report**: it says for each frame why it was kept or dropped.
    - **Memory**: few images are decoded at a time, and at reduced size.
    """
  public static let example = #"{ "use": "select-frames", "with": { "views": 4 } }"#
  public static let dataFlow = StageDataFlow(needs: [.frames])
  public static let relativeCost = 20.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Minimum sharpness: expected edge width divided by measured edge width; 0 keeps blurred frames.",
      in: 0...1)
    public var minimumSharpness = 0.8

    @Parameter("Maximum share of an image that is blown out or black.", in: 0...1)
    public var maximumClipped = 0.5

    @Parameter("Tracking states reported by the phone that are accepted.")
    public var tracking = TrackingDemand.normal

    @Parameter(
      "Minimum distance of frames that look the same way; of closer ones only one stays.",
      in: 0...Double.infinity, scope: .free)
    public var minimumBaseline = Length(meters: 0.03)

    @Parameter(
      "Minimum rotation between frames that look different ways.", in: .degrees(0...180),
      formerly: "minimumAngle")
    public var minimumTurn = Angle(degrees: 4)

    @Parameter(
      "Number of frames that should see each part of the surface well.", in: 1...1000,
      formerly: "coverage")
    public var views = 5

    @Parameter("Minimum share of the surface that a frame must add to stay.", in: 0...1)
    public var minimumGain = 0.001

    @Parameter(
      "Number of good frames up to which all of them stay.", in: 0...Double.infinity,
      formerly: "minimum")
    public var minimumFrames = 24

    @Parameter("Maximum number of frames that stay.", in: 1...Double.infinity, formerly: "maximum")
    public var maximumFrames: Int? = nil

    public init() {}

    public func faults() -> [String] {
      guard let maximumFrames, maximumFrames < minimumFrames,
        minimumFrames != Parameters().minimumFrames
      else { return [] }
      return ["'minimumFrames' must not be larger than 'maximumFrames'"]
    }
  }

  /// Which tracking states are accepted.
  public enum TrackingDemand: String, CaseIterable, ParameterValue {
    /// Only frames whose tracking was normal or is unknown.
    case normal
    /// Also frames with limited tracking.
    case limited
  }

  /// Why no selection is possible.
  public enum Failure: StageFailure, Equatable {
    /// No frame is usable; why the first one is not.
    case noFrameLeft(count: Int, reason: String)

    public var message: String {
      switch self {
      case .noFrameLeft(let count, let reason):
        "none of \(count) frames can be used; the first one: \(reason)"
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard let capture = scene.capture, !capture.frames.isEmpty else {
      try context.progress(1)
      return scene
    }
    let inspected = try InspectedFrames(copy scene, in: context) { try context.progress(0.95 * $0) }
    let selection = FrameSelection(
      candidates: candidates(capture.frames, inspected), sampleCount: inspected.sampleCount,
      limits: limits(in: scene.coordinateSystem))
    let verdicts = selection.verdicts()
    let report = FrameSelectionReport(
      frames: capture.frames, candidates: selection.candidates, verdicts: verdicts)
    guard verdicts.contains(where: \.isKept) else {
      throw Failure.noFrameLeft(count: verdicts.count, reason: report.reason(0))
    }
    report.write(to: context)
    scene.capture = Self.selected(from: capture, verdicts)
    try context.progress(1)
    return scene
  }

  /// The kept frames, and the depth maps of all whose poses can be trusted.
  private static func selected(
    from capture: Capture, _ verdicts: [FrameSelection.Verdict]
  ) -> Capture {
    var selected = capture
    let judged = zip(capture.frames, verdicts)
    selected.frames = judged.filter { $1.isKept }.map { $0.0 }
    selected.depthFrames += judged.compactMap { frame, verdict in
      if case .bad(.tracking) = verdict { return nil }
      return verdict.isKept ? nil : frame.depthFrame
    }
    return selected
  }

  private func candidates(
    _ frames: [Capture.Frame], _ inspected: InspectedFrames
  ) -> [FrameSelection.Candidate] {
    frames.indices.map { index in
      let inspection = inspected.inspections[index]
      return FrameSelection.Candidate(
        pose: frames[index].pose, tracking: frames[index].tracking,
        sharpness: inspected.sharpness[index], clippedShare: inspection.clippedShare,
        views: inspection.views, fault: inspection.fault)
    }
  }

  private func limits(in system: CoordinateSystem) -> FrameSelection.Limits {
    FrameSelection.Limits(
      minimumSharpness: parameters.minimumSharpness.logarithm,
      maximumClipped: parameters.maximumClipped,
      acceptsLimitedTracking: parameters.tracking == .limited,
      minimumBaseline: parameters.minimumBaseline.units(in: system),
      minimumAngle: parameters.minimumTurn.radians, coverage: parameters.views,
      minimumGain: parameters.minimumGain,
      minimum: min(parameters.minimumFrames, parameters.maximumFrames ?? .max),
      maximum: parameters.maximumFrames)
  }
}

extension Double {
  /// The logarithm to base 2; negative infinity for 0.
  fileprivate var logarithm: Float { log2f(Float(self)) }
}
