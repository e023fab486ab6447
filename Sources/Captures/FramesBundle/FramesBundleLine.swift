package import MeshPipeline

/// A frame as a line of `frames.jsonl`.
///
/// A frame that was read from a bundle keeps its line: only what is no longer so is replaced, and
/// fields that meshpipe does not know stay.
package struct FramesBundleLine {
  /// With its pose in the axes and unit of the bundle's world.
  package let frame: Capture.Frame
  /// The frame's number in the bundle.
  package let number: Int
  /// The names of its files; nil for an image in a video, and for what the frame does not have.
  package var imageName: String?
  package var depthName: String?
  package var confidenceName: String?
  /// The frame's record, if it is a line of a bundle with the same manifest.
  package let record: FramesBundleRecord?

  package init(
    _ frame: Capture.Frame, number: Int, imageName: String? = nil, depthName: String? = nil,
    confidenceName: String? = nil, record: FramesBundleRecord? = nil
  ) {
    self.frame = frame
    self.number = number
    self.imageName = imageName
    self.depthName = depthName
    self.confidenceName = confidenceName
    self.record = record
  }

  /// The line, without a line break.
  ///
  /// - Parameter manifest: The conventions of the bundle.
  package func text(_ manifest: FramesBundleManifest) -> String {
    guard let text = frame.record, var object = JSONObjectText(text) else {
      return json(manifest).compactText
    }
    guard let old = record else { return newText(manifest, keeping: object) }
    if old.number != number { object.set("frame_idx", to: JSONValue(.number(Double(number)))) }
    updateCamera(of: &object, old, manifest)
    updateFiles(of: &object, old)
    return object.text
  }

  /// The line of a frame of another source, with the fields of its record that bundles do not know.
  private func newText(_ manifest: FramesBundleManifest, keeping object: JSONObjectText) -> String {
    let text = json(manifest).compactText
    guard var line = JSONObjectText(text) else { return text }
    for key in object.keys where !Self.knownKeys.contains(key) {
      if let value = object[key], line[key] == nil { line.set(key, toText: value) }
    }
    return line.text
  }

  /// All keys that ``json(_:)`` writes or the reader knows in their place.
  private static let knownKeys: Set<String> = [
    "frame_idx", "frame_index", "index", "name", "resolution", "width", "height", "intrinsics",
    "intrinsics_convention", "distortion", "camera_in_world_4x4", "camera_in_world", "rgb_path",
    "image_path", "image", "timestamp", "tracking_state", "tracking", "exposure",
    "exposure_duration", "exposure_duration_s", "iso", "depth_path", "confidence_path",
  ]

  // MARK: Lines that were read

  private func updateCamera(
    of object: inout JSONObjectText, _ old: FramesBundleRecord, _ manifest: FramesBundleManifest
  ) {
    let size = old.size ?? frame.imageSize
    let lens = old.intrinsics(manifest)?.scaled(from: size, to: frame.imageSize)
    if lens.map({ Self.isSame($0, frame.intrinsics) }) != true {
      object.set("intrinsics", to: matrix(manifest))
      object.set("resolution", to: resolution)
    }
    if old.pose(manifest).map({ Self.isSame($0, frame.pose) }) != true {
      let isNested = old.rowsJSON?.elements.first?.number == nil
      object.set(
        object["camera_in_world_4x4"] == nil && object["camera_in_world"] != nil
          ? "camera_in_world" : "camera_in_world_4x4",
        to: isNested ? rows(manifest).json : rows(manifest).flatMap(\.self).json)
    }
    if Capture.Distortion(bundle: old.json["distortion"]) != frame.distortion {
      object.remove("distortion")
      if frame.distortion != .none { object.set("distortion", to: frame.distortion.bundleJSON) }
    }
  }

  /// Whether a rewritten lens would differ by rounding alone.
  private static func isSame(_ one: Capture.Intrinsics, _ other: Capture.Intrinsics) -> Bool {
    let (focal, center) = (
      one.focalLength - other.focalLength, one.principalPoint - other.principalPoint
    )
    return (focal * focal).max() < 1e-12 && (center * center).max() < 1e-12
  }

  /// Whether two poses are less than a micrometre and a microradian apart, as after rounding to
  /// single precision and making the rotation one again.
  private static func isSame(_ one: Transform, _ other: Transform) -> Bool {
    [
      one.x - other.x, one.y - other.y, one.z - other.z, one.translation - other.translation,
    ].allSatisfy { $0.length < 1e-6 }
  }

  private func updateFiles(of object: inout JSONObjectText, _ old: FramesBundleRecord) {
    let isFound =
      old.imageName == nil
      && imageName.map { $0 == "images/\(old.name).\(fileExtension(of: $0))" } ?? false
    if old.imageName != imageName, !isFound {
      for key in ["image_path", "image"] { object.remove(key) }
      update("rgb_path", to: imageName, in: &object)
    }
    update("depth_path", to: depthName, in: &object)
    let usual = depthName.map { "confidence/\(FileSystem.name(of: $0))" }
    if old.json["confidence_path"] != nil || confidenceName != usual {
      update("confidence_path", to: confidenceName, in: &object)
    }
  }

  private func update(_ key: String, to name: String?, in object: inout JSONObjectText) {
    guard let name else { return object.remove(key) }
    if object.value[key]?.text != name { object.set(key, to: JSONValue(.string(name))) }
  }

  // MARK: Values

  private func rows(_ manifest: FramesBundleManifest) -> [[Double]] {
    frame.pose.cameraToWorldRows(axes: manifest.cameraAxes)
  }

  private func matrix(_ manifest: FramesBundleManifest) -> JSONValue {
    let focal = frame.intrinsics.focalLength
    let center = manifest.pixelOrigin.numbers(for: frame.intrinsics.principalPoint)
    return [[focal.x, 0, center.x], [0, focal.y, center.y], [0, 0, 1]].json
  }

  private var resolution: JSONValue {
    [Double(frame.imageSize.x), Double(frame.imageSize.y)].json
  }

  /// The line of a frame of another source.
  private func json(_ manifest: FramesBundleManifest) -> JSONValue {
    func number(_ value: Double) -> JSONValue { JSONValue(.number(value)) }
    var members: [JSONValue.Member] = [
      .init("frame_idx", number(Double(self.number))),
      .init("name", JSONValue(.string(frame.name))),
      .init("resolution", resolution), .init("intrinsics", matrix(manifest)),
    ]
    if manifest.pixelOrigin == .firstPixelCenter {
      members.append(.init("intrinsics_convention", "ARKit_pixels"))
    }
    if frame.distortion != .none {
      members.append(.init("distortion", frame.distortion.bundleJSON))
    }
    members.append(.init("camera_in_world_4x4", rows(manifest).flatMap(\.self).json))
    if let imageName { members.append(.init("rgb_path", JSONValue(.string(imageName)))) }
    if let time = frame.timestamp, time.isFinite {
      members.append(.init("timestamp", number(time)))
    }
    if let state = frame.tracking {
      members.append(.init("tracking_state", JSONValue(.string(state.rawValue))))
    }
    var exposure: [JSONValue.Member] = []
    if let duration = frame.exposure?.duration {
      exposure.append(.init("duration", number(duration)))
    }
    if let iso = frame.exposure?.iso { exposure.append(.init("iso", number(iso))) }
    if !exposure.isEmpty { members.append(.init("exposure", JSONValue(.object(exposure)))) }
    if let depthName { members.append(.init("depth_path", JSONValue(.string(depthName)))) }
    if let confidenceName {
      members.append(.init("confidence_path", JSONValue(.string(confidenceName))))
    }
    return JSONValue(.object(members))
  }
}

extension FramesBundleRecord {
  func intrinsics(_ manifest: FramesBundleManifest) -> Capture.Intrinsics? {
    json["intrinsics"]?.numbers.flatMap {
      try? Capture.Intrinsics(matrix: $0, origin: manifest.pixelOrigin)
    }
  }

  func pose(_ manifest: FramesBundleManifest) -> Transform? {
    rows.flatMap { try? Transform(cameraToWorld: $0, axes: manifest.cameraAxes) }
  }
}

extension Capture.Distortion {
  /// OpenCV's coefficients by name, as in a line of a bundle.
  fileprivate var bundleJSON: JSONValue {
    let model =
      switch self {
      case .none: "none"
      case .fisheye: "fisheye"
      case .radialTangential: "radial_tangential"
      }
    let members = coefficients.map { JSONValue.Member($0.name, JSONValue(.number($0.value))) }
    return JSONValue(.object([.init("model", JSONValue(.string(model)))] + members))
  }

  /// Reads the result of ``bundleJSON``; no distortion if there is none, or none of these models.
  init(bundle json: JSONValue?) {
    func value(_ key: String) -> Double { json?[key]?.number ?? 0 }
    switch json?["model"]?.text {
    case "fisheye": self = .fisheye(SIMD4(value("k1"), value("k2"), value("k3"), value("k4")))
    case "radial_tangential":
      self = .radialTangential(
        numerator: SIMD3(value("k1"), value("k2"), value("k3")),
        denominator: SIMD3(value("k4"), value("k5"), value("k6")),
        tangential: SIMD2(value("p1"), value("p2")))
    default: self = .none
    }
  }
}
