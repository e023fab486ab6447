package import MeshPipeline

/// The properties of the whole bundle in `manifest.json`, all of them optional.
package struct FramesBundleManifest {
  package static let name = "manifest.json"

  /// ARKit's, unless specified otherwise.
  package var pixelOrigin = PixelOrigin.firstPixelCenter
  package var cameraAxes = PoseConvention.Axes.openGL
  package var coordinateSystem = CoordinateSystem.arkit
  package var metersPerDepthUnit = 0.001
  package var videoName = "video.mov"
  var videoSize: SIMD2<Int>?
  /// Whether a frame's number is the index of its image in the video.
  package var isVideoByNumber: Bool?
  /// What the camera held constant.
  var locks = Capture.Locks()
  /// The text; nil if there is none.
  package internal(set) var text: String?
  private(set) var json: JSONValue = [:]

  init(_ folder: CaptureFolder, _ context: CaptureReadingContext) throws {
    let path = folder.path(of: Self.name)
    let isThere = folder.has(Self.name)
    if !isThere { context.didMiss(path) }
    let bytes = isThere ? try context.contents(of: path) : Array("{}".utf8)
    self.init(try JSONReader.captureValue(of: bytes, file: path)) { key, known in
      context.warn("\(path): \(key) is not one of \(known)")
    }
    if isThere { text = String(decoding: bytes, as: UTF8.self) }
  }

  /// - Parameter warn: Receives the key of an unknown value, and what is known for it.
  package init(_ json: JSONValue, warn: @escaping (_ key: String, _ known: String) -> Void) {
    self.json = json
    if let text = json["pixel_origin"]?.text {
      pixelOrigin = text.contains("0.5") ? .corner : .firstPixelCenter
    }
    if let text = json["camera_axes"]?.text?.lowercased() {
      cameraAxes = text.contains("down") || text.contains("opencv") ? .openCV : .openGL
    }
    let words = Words(warn: warn)
    readUp(json["world"]?["up"]?.text, words)
    coordinateSystem.metersPerUnit = words.meters(
      json["world"]?["unit"]?.text, or: 1, as: "world.unit")
    metersPerDepthUnit = words.meters(json["depth"]?["unit"]?.text, or: 0.001, as: "depth.unit")
    if let video = json["video"] { readVideo(video) }
    locks = Capture.Locks(json)
  }

  /// Values of the manifest, with a warning for unknown ones.
  private struct Words {
    var warn: (_ key: String, _ known: String) -> Void

    func meters(_ text: String?, or standard: Double, as key: String) -> Double {
      switch text?.lowercased() {
      case nil: return standard
      case "metre", "meter", "metres", "meters", "m": return 1
      case "centimetre", "centimeter", "centimetres", "centimeters", "cm": return 0.01
      case "millimetre", "millimeter", "millimetres", "millimeters", "mm": return 0.001
      default:
        let taken = standard == 1 ? "metres" : "millimetres"
        warn(key, "metre, centimetre or millimetre; assuming \(taken)")
        return standard
      }
    }
  }

  private mutating func readUp(_ text: String?, _ words: Words) {
    guard let text else { return }
    let name = text.lowercased()
    if let axis = SignedAxis(rawValue: name.hasPrefix("+") ? String(name.dropFirst()) : name) {
      coordinateSystem = coordinateSystem.with(up: axis)
    } else {
      words.warn("world.up", "x, y, z, -x, -y or -z; assuming y")
    }
  }

  private mutating func readVideo(_ json: JSONValue) {
    let file = json.first(of: "path", "file")
    if let name = json.text ?? file?.text { videoName = name }
    if let width = json["width"]?.wholeNumber, let height = json["height"]?.wholeNumber {
      videoSize = SIMD2(width, height)
    }
    if let key = json["frame_index"]?.text { isVideoByNumber = key.hasPrefix("frame") }
  }
}

extension Capture.Locks {
  /// The locks that a manifest tells: in `locks`, or by themselves as `focus_locked`.
  init(_ manifest: JSONValue) {
    self.init()
    func lock(_ names: String...) -> Bool? {
      for name in names {
        let told =
          manifest["locks"]?[name] ?? manifest["\(name)_locked"] ?? manifest["\(name)_lock"]
        switch told?.content {
        case .bool(let isLocked): return isLocked
        case .string(let word): return ["locked", "auto"].contains(word) ? word == "locked" : nil
        default: continue
        }
      }
      return nil
    }
    exposure = lock("exposure", "ae")
    focus = lock("focus", "af")
    whiteBalance = lock("white_balance", "whiteBalance", "awb", "wb")
  }
}

/// What is in a bundle that is written.
package struct FramesBundleContents: Sendable {
  /// Frames with an image, and depth maps without one.
  package var frameCount = 0
  package var depthMapsAlone = 0
  /// The video of the images; nil if they are files.
  package var video: (name: String, size: SIMD2<Int>, isByNumber: Bool)?
  package var hasDepth = false
  package var hasConfidence = false
  /// The mesh that was written; nil if there is none, or the source's own.
  package var meshName: String?
  /// Whether the mesh's files are those of the source.
  package var keepsMesh = false

  package init() {}
}

extension FramesBundleManifest {
  /// The conventions of a bundle that is written.
  ///
  /// - Parameter text: The manifest that the capture was read with; nil if there is none.
  package init(writing text: String?) {
    self.init(text.flatMap(JSONObjectText.init)?.value ?? [:]) { _, _ in }
    self.text = text
  }

  /// The manifest with what is in the bundle, changed in as few places as possible.
  package func text(of contents: FramesBundleContents) -> String {
    guard let text, var object = JSONObjectText(text) else { return json(of: contents).prettyText }
    for key in ["frame_count", "frameCount", "num_frames"] {
      if let number = json[key]?.number, number != Double(contents.frameCount) {
        object.set(key, to: JSONValue(.number(Double(contents.frameCount))))
      }
    }
    // A video that stays is under the name that the manifest has for it.
    if contents.video == nil { object.remove("video") }
    if !contents.keepsMesh {
      object.remove("mesh")
      if let name = contents.meshName { object.set("mesh", to: Self.mesh(name)) }
    }
    return object.text
  }

  private static func json(of video: (name: String, size: SIMD2<Int>, isByNumber: Bool))
    -> JSONValue
  {
    [
      "path": JSONValue(.string(video.name)), "width": JSONValue(.number(Double(video.size.x))),
      "height": JSONValue(.number(Double(video.size.y))),
      "frame_index": JSONValue(.string(video.isByNumber ? "frame_idx" : "timestamp")),
    ]
  }

  private static func mesh(_ name: String) -> JSONValue {
    [
      "path": JSONValue(.string(name)), "unit": "metre",
      "classification": "ARMeshClassification raw value",
    ]
  }

  private func json(of contents: FramesBundleContents) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("schema_version", 1), .init("frames", JSONValue(.string(FramesBundle.index))),
      .init("frame_count", JSONValue(.number(Double(contents.frameCount)))),
      .init("pixel_origin", "the centre of the first pixel is (0, 0)"),
      .init("camera_axes", "+X right, +Y up, looks along -Z"),
      .init("world", ["up": "y", "handedness": "right", "unit": "metre"]),
    ]
    if let video = contents.video { members.append(.init("video", Self.json(of: video))) }
    if contents.hasDepth {
      members.append(
        .init(
          "depth",
          ["dir": "depth", "format": "png16", "unit": "millimetre", "zero": "no reading"]))
    }
    if contents.hasConfidence {
      members.append(
        .init(
          "confidence",
          ["dir": "confidence", "values": ["0": "low", "1": "medium", "2": "high"]]))
    }
    if let name = contents.meshName { members.append(.init("mesh", Self.mesh(name))) }
    return JSONValue(.object(members))
  }
}
