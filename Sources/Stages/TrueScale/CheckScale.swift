public import MeshPipeline

/// Measures the scale of a scan by printed markers and known distances, and ends the run if it is wrong.
public struct CheckScale: Stage {
  public static let otherNames = ["verify-scale", "scale-gate"]
  public static let summary =
    "Measures the scale of a scan by printed markers and known distances, and ends the run if it is wrong."
  public static let discussion = """
    Measures what `set-scale` would scale by, and changes nothing. If that is farther from 1 than `tolerance`, the run ends \
    with exit code 65.

    \(SetScale.optionsNote)

    A scale that is not certain enough to be judged, since the uncertainty is larger than the tolerance, is a warning. The report has the \
    same figures as that of `set-scale`; with `stop: false` a wrong scale is a warning, too.
    """
  public static let example =
    #"{ "use": "check-scale", "with": { "markers": ["apriltag-36h11 10cm"], "tolerance": 0.005 } }"#
  public static let dataFlow = StageDataFlow(uses: [.frames])
  public static let relativeCost = 10.0

  public struct Parameters: StageParameters {
    @Parameter("Printed markers: a dictionary and the side of the black square.")
    public var markers: [MarkerSize] = []

    @Parameter(
      "ChArUco boards: a dictionary, the squares across and down, and the side of a square.")
    public var boards: [MarkerBoard] = []

    @Parameter("Known distances between markers, by their numbers, or points.")
    public var distances: [KnownDistance] = []

    @Parameter("Maximum difference of the scale from 1.", in: 0.0001...1)
    public var tolerance = 0.01

    @Parameter("End the run when the scale is wrong, instead of giving a warning.")
    public var stop = true

    public init() {}

    var known: KnownSizes {
      KnownSizes(markers: markers, boards: boards, distances: distances, maximumChange: 0)
    }

    public func faults() -> [String] { known.faults }
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.capture != nil || scene.faceCount > 0 || scene.pointCount > 0 else {
      try context.progress(1)
      return scene
    }
    let measurement = try ScaleMeasurement(parameters.known, scene, in: context) {
      try context.progress($0)
    }
    measurement.note(to: context)
    let tolerance = "\(NumberText.trimmed(100 * parameters.tolerance, digits: 2)) %"
    if abs(measurement.estimate.scale - 1) > parameters.tolerance {
      let failure = ScaleFailure.beyondTolerance(measurement.summary, tolerance)
      if parameters.stop { throw failure }
      context.warn("failed: \(failure.message)")
    } else if measurement.uncertainty > parameters.tolerance {
      context.warn(
        "\(measurement.summary): the uncertainty is larger than \(tolerance), so that the scale may be wrong; take more "
          + "photographs of more markers, farther apart")
    }
    try context.progress(1)
    return scene
  }
}
