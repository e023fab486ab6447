public import MeshPipeline

/// Measures whether a capture is good enough, and ends the run if it is not.
public struct CheckCapture: Stage {
  public static let otherNames = ["gates", "quality", "validate"]
  public static let summary =
    "Measures whether a capture is good enough, and ends the run if it is not."
  public static let discussion = """
    Each option except `stop` and `skip` is a gate: a limit for a warning, a limit for failure, and the share of the \
    frames that may pass them, 0 if it is not given. A failed gate ends the run with exit code 65, and the message names \
    the worst frames with their times and values, and what to do at the next capture.

    A gate for which nothing is known, such as `minimumConfidence` without depth maps, lets the capture pass.

    - **Images**: brightness, share of pixels that are blown out or black, and sharpness as in `select-frames`.
    - **Phone**: its tracking state; exposure and focus, which should be locked, as the difference of each frame from \
    the median.
    - **Depth**: the share of a depth map in which something was measured, and of that the share of medium or high \
    confidence.
    - **Motion**: time, distance and turn from each frame to the next, and the speed of both, of frames with times.
    - **Mesh**: how much of it the frames see well, and how well the poses of frames agree with it, by depth maps and by \
    images. A capture whose frames hardly fit is refused before that, when it is read.

    The report has all values by frame. With an output whose name ends with `.gates.svg` they are drawn over time; with \
    `stop: false` a failed gate is a warning, so that this output is written, too. `meshpipe info --gates` shows the \
    gates with their default limits.
    """
  public static let example =
    #"{ "use": "check-capture", "with": { "minimumSharpness": [0.8, 0.5, 0.2] } }"#
  public static let dataFlow = StageDataFlow(needs: [.frames], makes: [.gates])
  public static let relativeCost = 20.0

  public struct Parameters: StageParameters {
    @Parameter("End the run when a gate fails; otherwise that is a warning.")
    public var stop = true

    @Parameter("Gates that are left out.")
    public var skip: [GateKind] = []

    @Parameter("Mean brightness of an image, from 0 to 1.")
    public var minimumBrightness = [0.12, 0.04, 0.1]

    @Parameter("Share of an image that is blown out or black.")
    public var maximumClipped = [0.3, 0.6, 0.1]

    @Parameter("Expected edge width divided by measured edge width.")
    public var minimumSharpness = [0.8, 0.5, 0.1]

    @Parameter("Tracking state: 1 is normal, 0.5 limited, 0 unavailable.")
    public var minimumTracking = [1, 0.5, 0.02]

    @Parameter("Stops from the median exposure of the capture.")
    public var maximumExposureChange = [1.0, 3, 0.1]

    @Parameter("Change of the focal length from its median, as a share.")
    public var maximumFocusChange = [0.02, 0.1, 0.05]

    @Parameter("Share of a depth map with a depth.")
    public var minimumDepth = [0.5, 0.1, 0.1]

    @Parameter("Share of the depths with medium or high confidence.")
    public var minimumConfidence = [0.5, 0.2, 0.1]

    @Parameter("Seconds since the frame before.")
    public var maximumGap = [5.0, 20, 0.02]

    @Parameter("Metres from the frame before.")
    public var maximumStep = [1.0, 3, 0.05]

    @Parameter("Degrees between the directions of a frame and the one before.")
    public var maximumTurn = [45.0, 90, 0.05]

    @Parameter("Metres per second since the frame before.")
    public var maximumSpeed = [1.0, 3, 0.05]

    @Parameter("Degrees per second since the frame before.")
    public var maximumTurnRate = [60.0, 180, 0.05]

    @Parameter("Share of the mesh that a frame sees well.")
    public var minimumCoverage = [0.9, 0.5]

    @Parameter("Share of a frame's depths that are on the mesh.")
    public var minimumDepthFit = [0.6, 0.25, 0.1]

    @Parameter("Correlation of an image with others at the same places of the mesh.")
    public var minimumImageFit = [0.3, 0.15, 0.1]

    public init() {}

    public func faults() -> [String] {
      GateKind.allCases.compactMap { kind in
        guard CaptureGate.Limits(self[keyPath: kind.rule.path], of: kind) == nil else { return nil }
        return
          "'\(kind.rule.option)' must be a limit for a warning, a looser one for failure, and the "
          + "share of the frames that may pass them, such as \(Self.text(kind))"
      }
    }

    private static func text(_ kind: GateKind) -> String {
      let numbers = Parameters()[keyPath: kind.rule.path].map { JSONValue.text(of: $0) }
      return "[\(numbers.joined(separator: ", "))]"
    }
  }

  /// Why a capture is not good enough.
  public enum Failure: StageFailure, Equatable {
    /// The scan has no frames.
    case noFrames
    /// Gates have failed; a sentence on each.
    case failed([String])

    public var message: String {
      switch self {
      case .noFrames:
        "the scan has no frames to check; give the capture's folder as the input, or its frames with "
          + "'--frames'"
      case .failed(let gates):
        "the capture fails at \(gates.count == 1 ? "a gate" : "\(gates.count) gates"): "
          + gates.joined(separator: "; ")
      }
    }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.capture != nil || scene.faceCount > 0 || scene.pointCount > 0 else {
      try context.progress(1)
      return scene
    }
    guard let capture = scene.capture, !capture.frames.isEmpty || !capture.depthFrames.isEmpty
    else { throw Failure.noFrames }
    let kinds = GateKind.allCases.filter { !parameters.skip.contains($0) }
    let readings = try GateReadings(copy scene, of: Set(kinds), in: context)
    let gates = kinds.compactMap { kind in
      CaptureGate.Limits(parameters[keyPath: kind.rule.path], of: kind).map { limits in
        (
          kind: kind,
          gate: CaptureGate(
            name: kind.rawValue, unit: kind.rule.unit, limits: limits, readings: readings[kind])
        )
      }
    }
    scene.gates = gates.map(\.gate)
    GateReport(scene.gates).write(to: context)
    let failed = gates.filter { $0.gate.outcome == .failed }
      .map { $0.gate.sentence(beyond: $0.gate.limits.failure, advice: $0.kind.rule.advice) }
    if parameters.stop, !failed.isEmpty { throw Failure.failed(failed) }
    for sentence in failed { context.warn("failed: \(sentence)") }
    for (kind, gate) in gates where gate.outcome == .warning {
      context.warn(gate.sentence(beyond: gate.limits.warning, advice: kind.rule.advice))
    }
    try context.progress(1)
    return scene
  }
}

extension CaptureGate.Limits {
  /// The limits that a parameter gives; nil if it has not two or three numbers that make sense.
  fileprivate init?(_ numbers: [Double], of kind: GateKind) {
    guard (2...3).contains(numbers.count), numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(
      isMaximum: kind.rule.isMaximum, warning: numbers[0], failure: numbers[1],
      allowed: numbers.count > 2 ? numbers[2] : 0)
    guard isMaximum ? warning <= failure : warning >= failure, (0...1).contains(allowed)
    else { return nil }
  }
}
