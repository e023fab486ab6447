public import MeshPipeline
import NativeLibraries
import Photogrammetry

/// Gives a scan its true size, by printed markers and known distances.
public struct SetScale: Stage {
  public static let otherNames = ["calibrate-scale", "true-scale", "scale-by-markers"]
  public static let summary = "Gives a scan its true size, by printed markers and known distances."
  public static let discussion = """
    Finds the markers in the photographs and triangulates their corners, with the poses as they are. Mesh, points, poses \
    and depth maps are scaled together by what makes all known sizes true, weighted by their certainty.

    \(SetScale.optionsNote)

    The report says the scale, how uncertain it is (95 %) and by what: the scatter of the markers, and how the scale \
    changes when parts of the capture are left out. It does not know errors that all photographs share, such as that of a \
    focal length: run `refine-poses` first. See [true scale](../true-scale.md).

    **Depth maps** are scaled with the poses, so that both still agree; where they agree better with the markers as they are, since \
    the sensor measured right and only the poses are too short, they stay.

    **The mesh** of an app may lie elsewhere than the markers on it: photographs on it are then too small or too large, although \
    the poses are right. With `fitMesh` a mesh that is more than \(Int(1000 * SetScale.leastOffset)) mm off is moved onto them, as a rigid body, and \
    the report says both (`meshOffsetMillimeters`, `markersOnMesh`: their size there, relative to the true one).

    Run it after `refine-poses` and before `fuse-depth` or `bake-texture`; a model in a national grid is scaled about the place that its \
    positions are relative to. To only check the scale use `check-scale`.
    """
  public static let example =
    #"{ "use": "set-scale", "with": { "markers": ["aruco-6x6-50 17mm"], "distances": ["3 to 12 = 1.25m"] } }"#
  public static let dataFlow = StageDataFlow(uses: [.frames, .depthMaps, .faces])
  public static let relativeCost = 10.0

  /// What the options of this stage and of `check-scale` mean.
  static let optionsNote = """
    - **`markers`** are a dictionary and the side of the black square: `"aruco-6x6-50 17mm"`. Dictionaries are those of \
    ArUco in OpenCV (`aruco-4x4-50` to `aruco-7x7-250`, `aruco-original`, `aruco-mip-36h12`) and AprilTags (`apriltag-16h5`, \
    `apriltag-25h9`, `apriltag-36h10`, `apriltag-36h11`). Measure the print, since printers scale; corners are found by all cells of a marker, so that \
    spread ink, blur and exposure don't matter. Each number may be there once.
    - **`boards`** are ChArUco boards: the dictionary, the squares across and down, and the side of a square: \
    `"aruco-6x6-50 11x8 22mm"`. The distances of their markers are a better measure than the size of one.
    - **`distances`** are between middles of markers, or points in coordinates of the scene: `"7 to 12 = 3.412m"`, \
    `"[0, 0, 1] to [2.5, 0, 1] = 2.512m"`, and with several dictionaries `"aruco-5x5-50/7 to aruco-6x6-50/3 = 2m"`. A mesh without photographs \
    can be scaled by points alone; each is taken for right within 3 mm.
    """

  public struct Parameters: StageParameters {
    @Parameter("Printed markers: a dictionary and the side of the black square.")
    public var markers: [MarkerSize] = []

    @Parameter(
      "ChArUco boards: a dictionary, the squares across and down, and the side of a square.")
    public var boards: [MarkerBoard] = []

    @Parameter("Known distances between markers, by their numbers, or points.")
    public var distances: [KnownDistance] = []

    @Parameter("Move a mesh that lies elsewhere than the markers onto them, before it is scaled.")
    public var fitMesh = true

    @Parameter(
      "Maximum change of the size, as a share, beyond which a given size must be wrong; 0 for any.",
      in: 0...1e6)
    public var maximumChange = 0.3

    public init() {}

    var known: KnownSizes {
      KnownSizes(
        markers: markers, boards: boards, distances: distances, maximumChange: maximumChange)
    }

    public func faults() -> [String] { known.faults }
  }

  /// Metres by which a mesh may be off the markers, since phones' meshes always are a little.
  static let leastOffset = 0.005

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    guard scene.capture != nil || scene.faceCount > 0 || scene.pointCount > 0 else {
      try context.progress(1)
      return scene
    }
    var known = parameters.known
    // A size that was never known may be wrong by any factor.
    let isUnknown =
      scene.interpretation[.unit]?.isDoubtful == true && scene.interpretation.isAssumed(.unit)
    if isUnknown { known.maximumChange = 0 }
    let measurement = try ScaleMeasurement(known, scene, in: context) {
      try context.progress(0.9 * $0)
    }
    measurement.note(to: context)
    let factor = measurement.estimate.scale
    var depthFactor = factor
    if let sightings = measurement.sightings {
      let before = MeshAtMarkers(copy scene, measurement.markers, sightings)
      depthFactor = Self.depthFactor(before, scale: factor)
      if let ratio = before.depthRatio {
        context.note("depthsAtMarkers", (ratio * depthFactor / factor).json(digits: 5))
      }
      fitMesh(of: &scene, before, measurement, sightings, in: context)
    }
    Self.scale(&scene, by: factor, depths: depthFactor)
    context.note("depthFactor", depthFactor.json(digits: 6))
    if isUnknown {
      scene.interpretation.set(
        .unit, scene.coordinateSystem.unitWords, .numbers, because: "'set-scale' measured it")
    }
    try context.progress(1)
    return scene
  }

  /// The factor of depth maps: that of the poses, or 1 if they agree better with the markers then.
  private static func depthFactor(_ agreement: MeshAtMarkers, scale: Double) -> Double {
    guard let ratio = agreement.depthRatio else { return scale }
    return abs(ratio / scale - 1) < abs(ratio - 1) ? 1 : scale
  }

  private static func scale(_ scene: inout Scene, by factor: Double, depths: Double) {
    var survey = scene.survey
    survey?.lattice = nil
    scene.apply(Transform(scale: SIMD3(repeating: factor)), relativeTo: scene.origin)
    scene.survey = survey
    scene.scaleDepths(by: depths)
  }

  // MARK: The mesh

  /// Moves the mesh onto the markers if it is elsewhere, and says how it was and is.
  private func fitMesh(
    of scene: inout Scene, _ before: MeshAtMarkers, _ measurement: ScaleMeasurement,
    _ sightings: MarkerSightings, in context: StageContext
  ) {
    guard let offset = before.offset, let size = before.sizeOnMesh else { return }
    let meters = offset * scene.coordinateSystem.metersPerUnit * measurement.estimate.scale
    context.note("meshOffsetMillimeters", Length(meters: meters).millimeters(digits: 1))
    context.note("markersOnMesh", size.json(digits: 5))
    guard abs(meters) > Self.leastOffset else { return }
    let found =
      "the mesh lies \(NumberText.fixed(abs(1000 * meters), digits: 0)) mm \(meters > 0 ? "before" : "behind") the markers, "
      + "so that photographs show things \(NumberText.fixed(abs(100 * (size - 1)), digits: 1)) % too "
      + "\(size < 1 ? "small" : "large") on it"
    guard parameters.fitMesh, let motion = before.motion(of: scene) else {
      context.warn(
        "\(found); 'fitMesh' moves it onto them, and 'fuse-depth' makes a new one from depth maps")
      return
    }
    for index in scene.meshes.indices { scene.meshes[index].apply(motion) }
    let after = MeshAtMarkers(scene, measurement.markers, sightings)
    if let left = after.sizeOnMesh { context.note("markersOnMovedMesh", left.json(digits: 5)) }
    context.warn("\(found): it was moved onto them")
  }
}

extension Scene {
  /// Makes what depth maps say longer.
  mutating func scaleDepths(by factor: Double) {
    guard var capture, factor != 1 else { return }
    for index in capture.frames.indices { capture.frames[index].depth?.scale *= factor }
    for index in capture.depthFrames.indices { capture.depthFrames[index].depth.scale *= factor }
    self.capture = capture
  }
}
