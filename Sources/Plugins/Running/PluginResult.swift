import MeshPipeline

/// Combines a plugin's result with what was never sent to it.
enum PluginResult {
  /// A mismatch between a result and the input.
  struct Fault: Error {
    var message: String
  }

  /// What is not sent to a plugin, or need not come back.
  struct Unsent {
    let capture: Capture?
    let origin: SIMD3<Double>
    let scale: Double?
    let coordinateSystem: CoordinateSystem
    let survey: Survey?

    init(_ scene: borrowing Scene) {
      capture = scene.capture
      origin = scene.origin
      scale = scene.scale
      coordinateSystem = scene.coordinateSystem
      survey = scene.survey
    }
  }

  /// The scene with its original capture, origin and survey.
  ///
  /// Images, depth maps and lenses of frames stay here. A plugin that returns frames keeps those,
  /// with the poses, focal lengths and principal points that it gives them; one that returns none
  /// leaves all unchanged. Depth maps without an image are never sent, and can't follow poses that
  /// the plugin changes: then they are left out.
  ///
  /// - Parameter givesOrigin: Whether an origin of zero is what the plugin says.
  static func joined(
    _ result: consuming Scene, givingOrigin givesOrigin: Bool = false, with original: Unsent
  ) throws(Fault) -> Scene {
    result.scale = original.scale
    // A plugin that does not know of the origin works on positions near it.
    if result.origin == .zero, !givesOrigin { result.origin = original.origin }
    result.survey = survey(of: result, original)
    let capture = original.capture
    guard let frames = result.capture?.frames else {
      result.capture = capture
      return result
    }
    guard var capture else { throw Fault(message: "it sent frames, but was given none") }
    let known = Dictionary(capture.frames.map { ($0.name, $0) }, uniquingKeysWith: { $1 })
    var kept: [Capture.Frame] = []
    for frame in frames {
      guard var own = known[frame.name] else {
        throw Fault(message: "it sent the frame '\(frame.name)', which it was not given")
      }
      if own.pose != frame.pose { capture.depthFrames = [] }
      own.pose = frame.pose
      own.intrinsics = frame.intrinsics
      kept.append(own)
    }
    capture.frames = kept
    result.capture = capture
    return result
  }

  /// What the scene is surveyed to be, as far as it is still where it was, or the plugin says so.
  private static func survey(of result: Scene, _ original: Unsent) -> Survey? {
    let hasItsAxes = result.coordinateSystem == original.coordinateSystem
    guard var survey = result.survey else {
      return hasItsAxes && result.origin == original.origin ? original.survey : nil
    }
    var named = Survey()
    named.referenceSystem = survey.referenceSystem
    if survey == named, let own = original.survey {
      survey = own
      survey.referenceSystem = named.referenceSystem
    }
    // The origin of other axes is another one.
    if !hasItsAxes, result.origin == original.origin, result.origin != .zero { survey.leaveGrid() }
    return survey
  }
}
