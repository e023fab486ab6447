import MeshPipeline

/// What `manifest.json` says of the whole bundle; all of it may be missing.
struct FramesBundleManifest {
  /// ARKit's, unless it says otherwise.
  var pixelOrigin = PixelOrigin.firstPixelCenter
  var cameraAxes = PoseConvention.Axes.openGL
  var coordinateSystem = CoordinateSystem.arkit
  var metersPerDepthUnit = 0.001
  var videoName = "video.mov"
  var videoSize: SIMD2<Int>?
  /// Whether a frame's number is that of its picture in the video.
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
    readWorld(json["world"])
    switch json["depth"]?["unit"]?.text?.lowercased() {
    case "metre", "meter", "m": metersPerDepthUnit = 1
    case "centimetre", "centimeter", "cm": metersPerDepthUnit = 0.01
    default: break
    }
    if let video = json["video"] { readVideo(video) }
  }

  private mutating func readWorld(_ json: JSONValue?) {
    if let up = json?["up"]?.text?.lowercased() {
      let name = up.hasPrefix("+") ? String(up.dropFirst()) : up
      if let axis = SignedAxis(rawValue: name) {
        coordinateSystem = coordinateSystem.with(up: axis)
      }
    }
    switch json?["unit"]?.text?.lowercased() {
    case "millimetre", "millimeter", "mm": coordinateSystem.metersPerUnit = 0.001
    case "centimetre", "centimeter", "cm": coordinateSystem.metersPerUnit = 0.01
    default: break
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
enum FramesBundleChecksums {
  static let name = "manifest.sha256.json"

  /// Warns of every file that is not as it was when the bundle was made.
  static func verify(_ folder: CaptureFolder, in context: CaptureReadingContext) throws {
    let path = folder.path(of: name)
    guard folder.has(name) else { return context.didMiss(path) }
    let json = try context.json(at: path)
    guard case .object(let members) = (json["files"] ?? json).content else {
      return context.warn("\(path): holds no hashes of files")
    }
    let files = members.filter { $0.value.text?.utf8.count == 64 }
    let verdicts = Parallel.map(count: files.count) { index in
      verdict(on: files[index].key, hash: files[index].value.text ?? "", in: folder)
    }
    try context.checkCancellation()
    for kind in ["is not the file that was hashed", "is missing"] {
      let names = zip(files, verdicts).filter { $0.1 == kind }.map { "'\($0.0.key)'" }
      guard !names.isEmpty else { continue }
      let more = names.count > 3 ? " and \(names.count - 3) more" : ""
      context.warn("\(path): \(names.prefix(3).joined(separator: ", "))\(more) \(kind)")
    }
  }

  /// What is wrong with a file; nil when nothing is.
  private static func verdict(on name: String, hash: String, in folder: CaptureFolder) -> String? {
    let file = folder.path(of: name)
    let isPlain = !name.hasPrefix("/") && !name.split(separator: "/").contains("..")
    guard isPlain, let status = try? FileSystem.status(of: file), status.isRegularFile else {
      return "is missing"
    }
    let found = try? SHA256.hexadecimal(ofFile: file)
    return found == hash.lowercased() ? nil : "is not the file that was hashed"
  }
}
