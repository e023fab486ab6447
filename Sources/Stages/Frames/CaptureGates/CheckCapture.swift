public import MeshPipeline

/// Measures whether a capture is good enough, and ends the run if it is not.
public struct CheckCapture: Stage {
  public static let otherNames = ["gates", "quality", "validate"]
  public static let summary =
    "Measures whether a capture is good enough, and ends the run if it is not."
  public static let discussion = """
    `preset` says which gates there are, and options change or add some: a limit for a warning, one for failure, and the \
    share of the frames that may pass them, 0 if it is not given. A failed gate ends the run with exit code 65, and the \
    message names the worst frames with their times and values, and what to do at the next capture.

    A gate for which nothing is known, such as `minimumConfidentShare` without depth maps, lets the capture pass, unless it is \
    one of `require`.

    - **Images**: brightness, share of pixels that are blown out or black, and sharpness as in `select-frames`.
    - **Phone**: its tracking state; exposure and focus, which should be locked, as the difference of each frame from \
    the median.
    - **Depth**: the share of a depth map in which something was measured, and of that the share of medium or high \
    confidence.
    - **Motion**: time, distance and turn from each frame to the next, and the speed of both, of frames with times.
    - **Lock**: how far a camera on a tripod strays within `lockTime`, by the poses of frames with times, between the first \
    and the last step if the capture's description has steps.
    - **Occlusion**: whether something stands before the background, and how far, by depth maps. See \
    [captures](../captures.md#hidden-backgrounds).
    - **Mesh**: how much of it the frames see well, and how well the poses of frames agree with it, by depth maps and by \
    images. A capture whose frames hardly fit is refused before that, when it is read.

    The presets:

    \(GatePreset.builtIn.map(\.summary).joined(separator: "\n"))

    A file of one's own has the same form: an object whose members are the gates to check, by their options, and maybe \
    `lockTime`, `require`, a `description`, and the name of a `preset` to start from. For example:
    `{ "preset": "static", "maximumLockTurn": [0.2, 0.3], "require": ["lock-turn"] }`

    What the manifest of a frames bundle says of its steps and of its results is compared with what was measured, and what \
    is wrong is told (`manifestFaults` in the report).

    The report has all values by frame. With an output whose name ends with `.gates.svg` they are drawn over time; with \
    `stop: false` a failed gate is a warning, so that this output is written, too. `meshpipe info --gates` shows the \
    gates, those of another preset with `--gates=static`.
    """
  public static let example =
    #"{ "use": "check-capture", "with": { "preset": "scan", "minimumSharpness": [0.8, 0.5, 0.2] } }"#
  public static let dataFlow = StageDataFlow(needs: [.frames], makes: [.gates])
  public static let relativeCost = 20.0

  public struct Parameters: StageParameters {
    @Parameter(
      "Limits of the gates: those of a kind of capture, or a JSON file of one's own, relative to the pipeline's file, "
        + "or to the current folder where it is given as an argument.")
    public var preset = GatePreset.scan

    @Parameter("End the run when a gate fails, instead of giving a warning.")
    public var stop = true

    @Parameter("Gates that are left out.")
    public var skip: [GateKind] = []

    @Parameter(
      "Gates that refuse a capture of which nothing is known there; without the option those of the preset."
    )
    public var require: [GateKind]? = nil

    @Parameter("Mean brightness of an image, from 0 to 1.")
    public var minimumBrightness: [Double]? = nil

    @Parameter("Share of an image that is blown out or black.")
    public var maximumClipped: [Double]? = nil

    @Parameter("Expected edge width divided by measured edge width.")
    public var minimumSharpness: [Double]? = nil

    @Parameter("Tracking state: 1 is normal, 0.5 limited, 0 unavailable.")
    public var minimumTracking: [Double]? = nil

    @Parameter("Stops from the median exposure of the capture.")
    public var maximumExposureChange: [Double]? = nil

    @Parameter("Change of the focal length from its median, as a share.")
    public var maximumFocusChange: [Double]? = nil

    @Parameter("Share of a depth map with a depth.", formerly: "minimumDepth")
    public var minimumDepthShare: [Double]? = nil

    @Parameter("Share of the depths with medium or high confidence.", formerly: "minimumConfidence")
    public var minimumConfidentShare: [Double]? = nil

    @Parameter("Seconds since the frame before.")
    public var maximumGap: [Double]? = nil

    @Parameter("Metres from the frame before.")
    public var maximumStep: [Double]? = nil

    @Parameter("Degrees between the directions of a frame and the one before.")
    public var maximumTurn: [Double]? = nil

    @Parameter("Metres per second since the frame before.")
    public var maximumSpeed: [Double]? = nil

    @Parameter("Degrees per second since the frame before.")
    public var maximumTurnRate: [Double]? = nil

    @Parameter("Seconds from the first frame to the last.")
    public var minimumDuration: [Double]? = nil

    @Parameter("Millimetres from where the camera was at any moment of the last `lockTime`.")
    public var maximumLockShift: [Double]? = nil

    @Parameter("Degrees from how the camera was held at any moment of the last `lockTime`.")
    public var maximumLockTurn: [Double]? = nil

    @Parameter(
      "Seconds over which `lock-shift` and `lock-turn` are measured; without the option those of the preset.",
      in: 0.01...60)
    public var lockTime: Double? = nil

    @Parameter(
      "Share of the cells in the centred 36 % of a depth map that are nearer than the background.")
    public var minimumBarrier: [Double]? = nil

    @Parameter(
      "Millimetres between what hides the background and the background, the median of the cells.")
    public var minimumSeparation: [Double]? = nil

    @Parameter("Seconds of a step in which the background is hidden.")
    public var minimumDwell: [Double]? = nil

    @Parameter("Seconds of a step in which the background is hidden.")
    public var maximumDwell: [Double]? = nil

    @Parameter("Share of the mesh that a frame sees well.")
    public var minimumCoverage: [Double]? = nil

    @Parameter("Share of a frame's depths that are on the mesh.")
    public var minimumDepthFit: [Double]? = nil

    @Parameter("Correlation of an image with others at the same places of the mesh.")
    public var minimumImageFit: [Double]? = nil

    public init() {}

    public func faults() -> [String] {
      let checked = Set(gates.map(\.kind))
      let unchecked = (require ?? []).filter { !checked.contains($0) }.map { kind in
        "'require' names \(kind.rawValue), which is not checked: give it limits with '\(kind.rule.option)'"
      }
      return unchecked
        + GateKind.allCases.compactMap { kind in
          self[keyPath: kind.rule.path].flatMap { numbers in
            CaptureGate.Limits(numbers, of: kind) == nil
              ? "'\(kind.rule.option)' must be \(kind.limitsText)" : nil
          }
        }
    }

    /// The gates with their limits: those of the preset, unless an option gives others.
    var gates: [(kind: GateKind, limits: CaptureGate.Limits)] {
      GateKind.allCases.compactMap { kind in
        guard !skip.contains(kind),
          let numbers = self[keyPath: kind.rule.path] ?? preset.limits[kind],
          let limits = CaptureGate.Limits(numbers, of: kind)
        else { return nil }
        return (kind, limits)
      }
    }

    var required: [GateKind] { require ?? preset.required }
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
    let wanted = parameters.gates
    let readings = try GateReadings(
      copy scene, of: Set(wanted.map(\.kind)),
      lockTime: parameters.lockTime ?? parameters.preset.lockTime, in: context)
    let gates = wanted.map { kind, limits in
      (
        kind: kind,
        gate: CaptureGate(
          name: kind.rawValue, unit: kind.rule.unit, limits: limits, readings: readings[kind],
          isRequired: parameters.required.contains(kind))
      )
    }
    scene.gates = gates.map(\.gate)
    GateReport(scene.gates).write(to: context)
    if let recipe = capture.origin?.recipe {
      tell(ManifestCheck(recipe, gates.map(\.gate)), context)
    }
    let refused = gates.filter(\.gate.refuses).map { $0.gate.refusal($0.kind.rule) }
    if parameters.stop, !refused.isEmpty { throw Failure.failed(refused) }
    for sentence in refused { context.warn("failed: \(sentence)") }
    for (kind, gate) in gates where gate.outcome == .warning {
      context.warn(gate.sentence(beyond: gate.limits.warning, kind.rule))
    }
    try context.progress(1)
    return scene
  }

  /// Warns of what a capture's description says wrongly.
  private func tell(_ check: ManifestCheck, _ context: StageContext) {
    guard !check.faults.isEmpty else { return }
    context.note("manifestFaults", check.faults.json)
    for fault in check.faults { context.warn(fault) }
  }
}
