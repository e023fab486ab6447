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
  /// Against the mesh.
  case coverage
  case depthFit = "depth-fit"
  case imageFit = "image-fit"

  /// What belongs to a gate besides its name.
  struct Rule {
    /// The option with the limits, and where the parameters have it.
    let option: String
    let path: KeyPath<CheckCapture.Parameters, [Double]>
    /// The unit of the values; empty for shares and ratios.
    var unit = ""
    /// What to do at the next capture.
    let advice: String

    /// Whether values must not be above the limits; otherwise not below.
    var isMaximum: Bool { option.hasPrefix("maximum") }
  }

  var rule: Rule {
    switch self {
    case .brightness:
      Rule(
        option: "minimumBrightness", path: \.minimumBrightness, advice: "use more light")
    case .clipped:
      Rule(
        option: "maximumClipped", path: \.maximumClipped,
        advice: "keep lamps and windows out of the image, or lower the exposure")
    case .sharpness:
      Rule(
        option: "minimumSharpness", path: \.minimumSharpness,
        advice: "move the phone more slowly, and use more light")
    case .tracking:
      Rule(
        option: "minimumTracking", path: \.minimumTracking,
        advice: "move slowly and keep textured surfaces in view; wait until tracking is normal")
    case .exposure:
      Rule(
        option: "maximumExposureChange", path: \.maximumExposureChange, unit: "EV",
        advice: "lock the exposure before the capture")
    case .focus:
      Rule(
        option: "maximumFocusChange", path: \.maximumFocusChange,
        advice: "lock the focus before the capture")
    case .depth:
      Rule(
        option: "minimumDepth", path: \.minimumDepth,
        advice: "stay within the range of the sensor, 0.3 to 5 m, and off glass and black surfaces")
    case .confidence:
      Rule(
        option: "minimumConfidence", path: \.minimumConfidence,
        advice: "stay within 3 m, and look at surfaces less aslant")
    case .gap:
      Rule(
        option: "maximumGap", path: \.maximumGap, unit: "s",
        advice: "don't pause the recording; record more frames per second")
    case .step:
      Rule(
        option: "maximumStep", path: \.maximumStep, unit: "m",
        advice: "record more frames, or walk more slowly")
    case .turn:
      Rule(
        option: "maximumTurn", path: \.maximumTurn, unit: "°",
        advice: "turn more slowly, so that neighbouring frames overlap")
    case .speed:
      Rule(option: "maximumSpeed", path: \.maximumSpeed, unit: "m/s", advice: "walk more slowly")
    case .turnRate:
      Rule(
        option: "maximumTurnRate", path: \.maximumTurnRate, unit: "°/s",
        advice: "turn more slowly")
    case .coverage:
      Rule(
        option: "minimumCoverage", path: \.minimumCoverage,
        advice: "walk around the subject, and look at each part from the front")
    case .depthFit:
      Rule(
        option: "minimumDepthFit", path: \.minimumDepthFit, advice: Self.misfitAdvice)
    case .imageFit:
      Rule(
        option: "minimumImageFit", path: \.minimumImageFit, advice: Self.misfitAdvice)
    }
  }

  private static let misfitAdvice =
    "capture again: the poses drift, or something moved; or try 'refine-poses'"
}
