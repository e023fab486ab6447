public import MeshPipeline

/// What a capture is checked for.
public enum GateKind: String, CaseIterable, ParameterValue {
  /// Of images.
  case brightness, clipped, sharpness
  /// Of the phone.
  case tracking, exposure, focus
  /// Of depth maps.
  case depth, confidence
  /// Of the way from frame to frame.
  case gap, step, turn, speed
  case turnRate = "turn-rate"
  /// Of a camera that stands still.
  case duration
  case lockShift = "lock-shift"
  case lockTurn = "lock-turn"
  /// Of something that hides the background for a while.
  case barrier, separation
  case shortDwell = "short-dwell"
  case longDwell = "long-dwell"
  /// Against the mesh.
  case coverage
  case depthFit = "depth-fit"
  case imageFit = "image-fit"

  /// What belongs to a gate besides its name.
  struct Rule {
    /// The option with the limits, and where the parameters have it.
    let option: String
    /// A name that the option had, which files of limits may still have.
    var formerOption: String?
    let path: KeyPath<CheckCapture.Parameters, [Double]?>
    /// The unit of the values; empty for shares and ratios.
    var unit = ""
    /// What the readings are of.
    var subject = "frames"
    /// What a capture must have to be measured.
    let needs: String
    /// What to do at the next capture.
    let advice: String

    /// Whether values must not be above the limits; otherwise not below.
    var isMaximum: Bool { option.hasPrefix("maximum") }
  }

  var rule: Rule {
    switch self {
    case .brightness, .clipped, .sharpness: imageRule
    case .tracking:
      Rule(
        option: "minimumTracking", path: \.minimumTracking,
        needs: "the tracking state of frames",
        advice: "move slowly and keep textured surfaces in view; wait until tracking is normal")
    case .exposure:
      Rule(
        option: "maximumExposureChange", path: \.maximumExposureChange, unit: "EV",
        needs: "the exposure of frames", advice: "lock the exposure before the capture")
    case .focus:
      Rule(
        option: "maximumFocusChange", path: \.maximumFocusChange,
        needs: "frames", advice: "lock the focus before the capture")
    case .depth:
      Rule(
        option: "minimumDepthShare", formerOption: "minimumDepth", path: \.minimumDepthShare,
        needs: "depth maps",
        advice: "stay within the range of the sensor, 0.3 to 5 m, and off glass and black surfaces")
    case .confidence:
      Rule(
        option: "minimumConfidentShare", formerOption: "minimumConfidence",
        path: \.minimumConfidentShare,
        needs: "depth maps with confidences",
        advice: "stay within 3 m, and look at surfaces less aslant")
    case .gap, .step, .turn, .speed, .turnRate: motionRule
    case .duration, .lockShift, .lockTurn: lockRule
    case .barrier, .separation, .shortDwell, .longDwell: occlusionRule
    case .coverage:
      Rule(
        option: "minimumCoverage", path: \.minimumCoverage,
        needs: "a mesh", advice: "walk around the subject, and look at each part from the front")
    case .depthFit:
      Rule(
        option: "minimumDepthFit", path: \.minimumDepthFit, needs: "a mesh and depth maps",
        advice: Self.misfitAdvice)
    case .imageFit:
      Rule(
        option: "minimumImageFit", path: \.minimumImageFit, needs: "a mesh and images",
        advice: Self.misfitAdvice)
    }
  }

  private var imageRule: Rule {
    switch self {
    case .brightness:
      Rule(
        option: "minimumBrightness", path: \.minimumBrightness, needs: "images",
        advice: "use more light")
    case .clipped:
      Rule(
        option: "maximumClipped", path: \.maximumClipped,
        needs: "images", advice: "keep lamps and windows out of the image, or lower the exposure")
    default:
      Rule(
        option: "minimumSharpness", path: \.minimumSharpness,
        needs: "images", advice: "move the phone more slowly, and use more light")
    }
  }

  private var motionRule: Rule {
    switch self {
    case .gap:
      Rule(
        option: "maximumGap", path: \.maximumGap, unit: "s",
        needs: "frames with times",
        advice: "don't pause the recording; record more frames per second")
    case .step:
      Rule(
        option: "maximumStep", path: \.maximumStep, unit: "m",
        needs: "frames with times", advice: "record more frames, or walk more slowly")
    case .turn:
      Rule(
        option: "maximumTurn", path: \.maximumTurn, unit: "°",
        needs: "frames with times", advice: "turn more slowly, so that neighbouring frames overlap")
    case .speed:
      Rule(
        option: "maximumSpeed", path: \.maximumSpeed, unit: "m/s", needs: "frames with times",
        advice: "walk more slowly")
    default:
      Rule(
        option: "maximumTurnRate", path: \.maximumTurnRate, unit: "°/s",
        needs: "frames with times", advice: "turn more slowly")
    }
  }

  private var lockRule: Rule {
    let needs = "frames with times"
    let advice = "use a tripod and a remote release, or wait until nothing shakes"
    return switch self {
    case .lockShift:
      Rule(
        option: "maximumLockShift", path: \.maximumLockShift, unit: "mm", needs: needs,
        advice: advice)
    case .lockTurn:
      Rule(
        option: "maximumLockTurn", path: \.maximumLockTurn, unit: "°", needs: needs, advice: advice)
    default:
      Rule(
        option: "minimumDuration", path: \.minimumDuration, unit: "s", needs: needs,
        advice: "record for longer")
    }
  }

  private var occlusionRule: Rule {
    let steps = "the steps 'background' and 'hidden' in the recipe of a frames bundle's manifest"
    let depths = "depth maps with times in \(steps)"
    let times = "frames with times in the step 'hidden' in the recipe of a frames bundle's manifest"
    return switch self {
    case .barrier:
      Rule(
        option: "minimumBarrier", path: \.minimumBarrier, subject: "depth maps", needs: depths,
        advice: "hold the barrier before the middle of the image, up to the border")
    case .separation:
      Rule(
        option: "minimumSeparation", path: \.minimumSeparation, unit: "mm", subject: "depth maps",
        needs: depths, advice: "hold the barrier nearer to the camera")
    case .shortDwell:
      Rule(
        option: "minimumDwell", path: \.minimumDwell, unit: "s", subject: "steps",
        needs: times,
        advice: "hold the barrier for longer")
    default:
      Rule(
        option: "maximumDwell", path: \.maximumDwell, unit: "s", subject: "steps",
        needs: times,
        advice: "take the barrier away sooner")
    }
  }

  private static let misfitAdvice =
    "capture again: the poses drift, or something moved; or try 'refine-poses'"
}

extension CaptureGate.Limits {
  /// The limits that an option gives; nil if it has not two or three numbers that make sense.
  init?(_ numbers: [Double], of kind: GateKind) {
    guard (2...3).contains(numbers.count), numbers.allSatisfy(\.isFinite) else { return nil }
    self.init(
      isMaximum: kind.rule.isMaximum, warning: numbers[0], failure: numbers[1],
      allowed: numbers.count > 2 ? numbers[2] : 0)
    guard isMaximum ? warning <= failure : warning >= failure, (0...1).contains(allowed)
    else { return nil }
  }
}

extension GateKind {
  /// What its option takes, for messages.
  var limitsText: String {
    let example = GatePreset.builtIn.lazy.compactMap { $0.limits[self] }.first ?? []
    return "a limit for a warning, a looser one for failure, and the share of the "
      + "\(rule.subject) that may pass them, such as \(example.json.compactText)"
  }
}
