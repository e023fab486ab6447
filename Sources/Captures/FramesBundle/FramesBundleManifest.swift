import MeshPipeline

/// The properties of the whole bundle in `manifest.json`, all of them optional.
struct FramesBundleManifest {
  /// ARKit's, unless specified otherwise.
  var pixelOrigin = PixelOrigin.firstPixelCenter
  var cameraAxes = PoseConvention.Axes.openGL
  var coordinateSystem = CoordinateSystem.arkit
  var metersPerDepthUnit = 0.001
  var videoName = "video.mov"
  var videoSize: SIMD2<Int>?
  /// Whether a frame's number is the index of its image in the video.
  var isVideoByNumber: Bool?

  init(_ folder: CaptureFolder, _ context: CaptureReadingContext) throws {
    let path = folder.path(of: "manifest.json")
    guard folder.has("manifest.json") else {
      context.didMiss(path)
      return
    }
    let json = try context.json(at: path)
    if let text = json["pixel_origin"]?.text {
      pixelOrigin = text.contains("0.5") ? .corner : .firstPixelCenter
    }
    if let text = json["camera_axes"]?.text?.lowercased() {
      cameraAxes = text.contains("down") || text.contains("opencv") ? .openCV : .openGL
    }
    let words = Words(path: path, context: context)
    readUp(json["world"]?["up"]?.text, words)
    coordinateSystem.metersPerUnit = words.meters(
      json["world"]?["unit"]?.text, or: 1, as: "world.unit")
    metersPerDepthUnit = words.meters(json["depth"]?["unit"]?.text, or: 0.001, as: "depth.unit")
    if let video = json["video"] { readVideo(video) }
  }

  /// Values of the manifest, with a warning for unknown ones.
  private struct Words {
    var path: String
    var context: CaptureReadingContext

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

    func warn(_ key: String, _ known: String) {
      context.warn("\(path): \(key) is not one of \(known)")
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

/// The hashes of `manifest.sha256.json`.
package enum FramesBundleChecksums {
  package static let name = "manifest.sha256.json"

  /// Warns about every file that was changed since the bundle was made.
  static func verify(_ folder: CaptureFolder, in context: CaptureReadingContext) throws {
    let path = folder.path(of: name)
    guard folder.has(name) else { return context.didMiss(path) }
    let json = try context.json(at: path)
    guard let hashes = FileHashes(manifest: json, path: { folder.path(of: $0) }) else {
      return context.warn("\(path): contains no file hashes")
    }
    let faults = hashes.faults()
    try context.checkCancellation()
    for fault in FileHashes.Fault.allCases {
      let names = zip(hashes.entries, faults).filter { $1 == fault }.map { "'\($0.0.name)'" }
      guard !names.isEmpty else { continue }
      let more = names.count > 3 ? " and \(names.count - 3) more" : ""
      context.warn("\(path): \(names.prefix(3).joined(separator: ", "))\(more) \(fault.rawValue)")
    }
  }
}
