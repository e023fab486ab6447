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

  /// The option with the limits.
  var option: String {
    switch self {
    case .brightness: "minimumBrightness"
    case .clipped: "maximumClipped"
    case .sharpness: "minimumSharpness"
    case .tracking: "minimumTracking"
    case .exposure: "maximumExposureChange"
    case .focus: "maximumFocusChange"
    case .depth: "minimumDepth"
    case .confidence: "minimumConfidence"
    case .gap: "maximumGap"
    case .step: "maximumStep"
    case .turn: "maximumTurn"
    case .speed: "maximumSpeed"
    case .turnRate: "maximumTurnRate"
    case .coverage: "minimumCoverage"
    case .depthFit: "minimumDepthFit"
    case .imageFit: "minimumImageFit"
    }
  }

  /// Where the parameters have the limits.
  var path: KeyPath<CheckCapture.Parameters, [Double]> {
    switch self {
    case .brightness: \.minimumBrightness
    case .clipped: \.maximumClipped
    case .sharpness: \.minimumSharpness
    case .tracking: \.minimumTracking
    case .exposure: \.maximumExposureChange
    case .focus: \.maximumFocusChange
    case .depth: \.minimumDepth
    case .confidence: \.minimumConfidence
    case .gap: \.maximumGap
    case .step: \.maximumStep
    case .turn: \.maximumTurn
    case .speed: \.maximumSpeed
    case .turnRate: \.maximumTurnRate
    case .coverage: \.minimumCoverage
    case .depthFit: \.minimumDepthFit
    case .imageFit: \.minimumImageFit
    }
  }

  /// Whether values must not be above the limits; otherwise not below.
  var isMaximum: Bool { option.hasPrefix("maximum") }

  /// The unit of the values; empty for shares and ratios.
  var unit: String {
    switch self {
    case .exposure: "EV"
    case .gap: "s"
    case .step: "m"
    case .turn: "°"
    case .speed: "m/s"
    case .turnRate: "°/s"
    case .brightness, .clipped, .sharpness, .tracking, .focus, .depth, .confidence, .coverage,
      .depthFit, .imageFit:
      ""
    }
  }

  /// What to do at the next capture.
  var advice: String {
    switch self {
    case .brightness: "use more light"
    case .clipped: "keep lamps and windows out of the image, or lower the exposure"
    case .sharpness: "move the phone more slowly, and use more light"
    case .tracking: "move slowly and keep textured surfaces in view; wait until tracking is normal"
    case .exposure: "lock the exposure before the capture"
    case .focus: "lock the focus before the capture"
    case .depth: "stay within the range of the sensor, 0.3 to 5 m, and off glass and black surfaces"
    case .confidence: "stay within 3 m, and look at surfaces less aslant"
    case .gap: "don't pause the recording; record more frames per second"
    case .step: "record more frames, or walk more slowly"
    case .turn: "turn more slowly, so that neighbouring frames overlap"
    case .speed: "walk more slowly"
    case .turnRate: "turn more slowly"
    case .coverage: "walk around the subject, and look at each part from the front"
    case .depthFit: "capture again: the poses drift, or something moved; or try 'refine-poses'"
    case .imageFit: "capture again: the poses drift, or something moved; or try 'refine-poses'"
    }
  }
}
