import MeshPipeline

/// A line of `frames.jsonl`.
package struct FramesBundleRecord {
  let json: JSONValue
  /// The line.
  let text: String
  let name: String
  /// The number of the frame in the recording; its position in the file if the line has none.
  package let number: Int
  /// The position of the line among non-empty ones.
  let place: Int
  let timestamp: Double?

  init(json: JSONValue, text: String, place: Int) {
    self.json = json
    self.text = text
    self.place = place
    number = json.first(of: "frame_idx", "frame_index", "index")?.wholeNumber ?? place
    name = Self.name(ofFrame: number)
    timestamp = json["timestamp"]?.number
  }

  /// Reads a line that needs no messages; nil if it is not valid JSON.
  package init?(line: String, place: Int) {
    let result = JSONReader.read(Array(line.utf8), takesNonFiniteNumbers: true)
    guard let json = result.value else { return nil }
    self.init(json: json, text: line, place: place)
  }

  /// The name of a frame, and of its files without their endings.
  package static func name(ofFrame number: Int) -> String { "frame_\(String(number, digits: 6))" }

  var finiteTimestamp: Double? { timestamp?.ifFinite }

  var rowsJSON: JSONValue? { json.first(of: "camera_in_world_4x4", "camera_in_world") }
  var rows: [Double]? { rowsJSON?.numbers }

  /// Whether the pose was stored column by column.
  var isByColumns: Bool { rows.map(Transform.isByColumns) ?? false }

  /// The name of the line's own image; nil if it has none.
  package var imageName: String? { json.first(of: "rgb_path", "image_path", "image")?.text }
  /// The names of the line's depth map and confidences; nil if it has none.
  package var depthName: String? { json["depth_path"]?.text }
  package var confidenceName: String? { json["confidence_path"]?.text }
  /// Whether the line names a depth map.
  var namesDepth: Bool { depthName != nil }

  /// - Parameters:
  ///   - image: Nil if the frame has a depth map alone; the result then names an image that isn't there.
  ///   - usualSize: The size of the images where neither the line nor the image tells it.
  func frame(
    manifest: FramesBundleManifest, image: Capture.ImageSource?, usualSize: SIMD2<Int>?,
    folder: CaptureFolder, in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame {
    guard let matrix = json["intrinsics"]?.numbers else {
      throw FrameFault("it has no intrinsics")
    }
    guard let rows else {
      throw FrameFault("it has no camera_in_world_4x4")
    }
    guard let size = size ?? image?.headerSize ?? manifest.videoSize ?? usualSize else {
      throw FrameFault("it has no resolution")
    }
    var frame = Capture.Frame(
      name: name, image: image ?? .file(folder.path(of: "images/\(name).jpg")), imageSize: size,
      intrinsics: try Capture.Intrinsics(matrix: matrix, origin: manifest.pixelOrigin),
      distortion: Capture.Distortion(bundle: json["distortion"]),
      pose: try Transform(cameraToWorld: rows, axes: manifest.cameraAxes),
      depth: try depth(folder, manifest, isAlone: image == nil, context), timestamp: timestamp,
      exposure: exposure, tracking: tracking(context))
    frame.record = text
    return frame
  }

  var size: SIMD2<Int>? {
    let pair =
      json["resolution"]?.numbers ?? ["width", "height"].compactMap { json[$0]?.number }
    guard pair.count == 2, let width = Int(exactly: pair[0]), let height = Int(exactly: pair[1])
    else { return nil }
    return SIMD2(width, height)
  }

  /// - Parameter isAlone: Whether the frame is nothing without its depth map.
  private func depth(
    _ folder: CaptureFolder, _ manifest: FramesBundleManifest, isAlone: Bool,
    _ context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.DepthSource? {
    guard let name = depthName else { return nil }
    let found =
      isAlone
      ? try folder.path(ofNamed: name, in: context)
      : folder.path(ofDepth: name, frame: self.name, in: context)
    guard let path = found else {
      guard isAlone else { return nil }
      context.didMiss(folder.path(of: name))
      throw FrameFault("it has no image, and its depth map is missing")
    }
    let named = confidenceName
    let confidence = named ?? "confidence/\(FileSystem.name(of: path))"
    return Capture.DepthSource(
      path: path, encoding: .png16(metersPerUnit: manifest.metersPerDepthUnit),
      confidence: folder.path(
        ofConfidences: confidence, isNamed: named != nil, frame: self.name, in: context
      )
      .map { .init(path: $0) })
  }

  private var exposure: Capture.Exposure? {
    let object = json["exposure"]
    let duration =
      object?.number ?? object?.first(of: "duration", "duration_s", "exposure_duration")?.number
      ?? json.first(of: "exposure_duration", "exposure_duration_s")?.number
    let iso = (object?["iso"] ?? json["iso"])?.number
    return duration == nil && iso == nil ? nil : Capture.Exposure(duration: duration, iso: iso)
  }

  /// The tracking state; nil, with a warning, for words that are not ARKit's.
  private func tracking(_ context: CaptureReadingContext) -> Capture.Tracking? {
    let text = json.first(of: "tracking_state", "tracking")?.text ?? ""
    if let state = Capture.Tracking(words: text) { return state }
    if !text.isEmpty {
      context.note(name, "the tracking state is not one of ARKit's and is ignored")
    }
    return nil
  }
}

extension Capture.Tracking {
  /// ARKit's words in any spelling: `.normal`, `limited(excessiveMotion)`, `TrackingStateNotAvailable`.
  init?(words: String) {
    var letters = words.lowercased().filter(\.isLetter)
    for prefix in ["arcamera", "ar", "trackingstate", "trackingquality", "tracking"]
    where letters.hasPrefix(prefix) {
      letters.removeFirst(prefix.count)
    }
    let reasons = ["initializing", "relocalizing", "excessivemotion", "insufficientfeatures"]
    if letters == "normal" {
      self = .normal
    } else if letters.hasPrefix("limited") || reasons.contains(letters) {
      self = .limited
    } else if ["notavailable", "unavailable"].contains(letters) {
      self = .unavailable
    } else {
      return nil
    }
  }
}
