import MeshPipeline
import POSIX

/// An element of `frames`, which may override values of the whole file.
struct TransformsFrame {
  let json: JSONValue
  let root: JSONValue
  /// Whether the cameras are ARKit's own, with its pixel origin.
  let isRaw: Bool
  /// The length of the axes of poses to which a transform with a scale was applied.
  let appliedScale: Double
  let folder: CaptureFolder
  let context: CaptureReadingContext

  private func value(_ key: String) -> JSONValue? { json[key] ?? root[key] }
  private func number(_ key: String) -> Double? { value(key)?.number }

  private var rows: [Double]? { json["transform_matrix"]?.numbers }

  /// Whether the pose was stored column by column.
  var isByColumns: Bool { rows.map(Transform.isByColumns) ?? false }

  func frame(
    named name: String, relocated: inout RelocatedFiles, depthUnit: inout DepthUnit
  ) throws(FrameFault) -> Capture.Frame {
    guard let rows else {
      throw FrameFault("it has no transform_matrix")
    }
    guard let file = json["file_path"]?.text?.withSlashes else {
      throw FrameFault("it has no file_path")
    }
    let image = Capture.ImageSource.file(
      try picture(file, ofFrame: name, relocated: &relocated))
    guard let size = size ?? image.headerSize else { throw FrameFault("it has no size (w, h)") }
    var frame = Capture.Frame(
      name: name, image: image, imageSize: size, intrinsics: try intrinsics(size),
      distortion: try distortion(), pose: try pose(rows),
      depth: depth(ofFrame: name, relocated: &relocated, unit: &depthUnit),
      timestamp: number("timestamp"))
    frame.masks = mask(relocated: &relocated).map { [$0] } ?? []
    return frame
  }

  private func pose(_ rows: [Double]) throws(FrameFault) -> Transform {
    var pose = try Transform(cameraToWorld: rows, axes: .openGL)
    let axes = [pose.x, pose.y, pose.z]
    if appliedScale != 1, axes.allSatisfy({ abs($0.length / appliedScale - 1) < 0.01 }) {
      (pose.x, pose.y, pose.z) = (pose.x.normalized, pose.y.normalized, pose.z.normalized)
    }
    return pose
  }

  /// The mask that the file names, in which black is left out, as in nerfstudio.
  ///
  /// One that is missing or outside the capture is reported with those that can't be used.
  private func mask(relocated: inout RelocatedFiles) -> Capture.MaskSource? {
    guard let name = json["mask_path"]?.text?.withSlashes, !name.isEmpty else { return nil }
    let path =
      (try? folder.path(ofNamed: name, extensions: ["png"], in: context))
      ?? relocated.sideFile(named: name)
    let named = name.hasPrefix("/") ? name : folder.path(of: name)
    return Capture.MaskSource(path: path ?? named)
  }

  /// The path of the image: as named in the file, or inside the capture's folder if the file has a
  /// path of another machine.
  private func picture(
    _ file: String, ofFrame frame: String, relocated: inout RelocatedFiles
  ) throws(FrameFault) -> String {
    var fault = FrameFault(
      "its image is missing, and no image in the capture has its name", at: file)
    do throws(FrameFault) {
      let path = try folder.path(ofNamed: file, extensions: pictureExtensions, in: context)
      if let path { return path }
    } catch {
      fault = error
    }
    context.didMiss(file.hasPrefix("/") ? file : folder.path(of: file))
    guard let path = relocated.picture(named: file, ofFrame: frame) else { throw fault }
    let (named, found) = (FileSystem.folder(of: file), FileSystem.folder(of: path))
    context.note(
      frame,
      "the image is not in '\(named)' as the file says; the one with its name in '\(found)' is used"
    )
    return path
  }

  private var size: SIMD2<Int>? {
    guard let width = value("w")?.wholeNumber, let height = value("h")?.wholeNumber else {
      return nil
    }
    return SIMD2(width, height)
  }

  private func intrinsics(_ size: SIMD2<Int>) throws(FrameFault) -> Capture.Intrinsics {
    let extent = SIMD2<Double>(size)
    func focal(_ key: String, _ angle: String, _ extent: Double) -> Double? {
      number(key) ?? number(angle).map { extent / 2 / tan($0 / 2) }
    }
    guard let x = focal("fl_x", "camera_angle_x", extent.x) ?? focal("fl_y", "", 0) else {
      throw FrameFault("it has neither fl_x nor camera_angle_x")
    }
    let y = focal("fl_y", "camera_angle_y", extent.y) ?? x
    let origin: PixelOrigin = isRaw ? .firstPixelCenter : .corner
    var center = extent / 2
    if let cx = number("cx"), let cy = number("cy") { center = origin.converted(SIMD2(cx, cy)) }
    return Capture.Intrinsics(focalLength: SIMD2(x, y), principalPoint: center)
  }

  /// The lens; nerfstudio's models are named like COLMAP's.
  private func distortion() throws(FrameFault) -> Capture.Distortion {
    func k(_ index: Int) -> Double { number("k\(index)") ?? 0 }
    let model =
      value("camera_model")?.text ?? (value("is_fisheye")?.isTrue == true ? "FISHEYE" : "")
    switch model.uppercased() {
    case "PINHOLE", "SIMPLE_PINHOLE", "PERSPECTIVE": return .none
    case "OPENCV_FISHEYE", "FISHEYE":
      return .fisheye(SIMD4(k(1), k(2), k(3), k(4)))
    case "", "OPENCV", "FULL_OPENCV", "SIMPLE_RADIAL", "RADIAL":
      // nerfstudio's k4 belongs to another model unless the file says FULL_OPENCV.
      let isFull = model.uppercased() == "FULL_OPENCV"
      let lens = (
        SIMD3(k(1), k(2), k(3)), isFull ? SIMD3(k(4), k(5), k(6)) : .zero,
        SIMD2(number("p1") ?? 0, number("p2") ?? 0)
      )
      if lens == (.zero, .zero, .zero) { return .none }
      return .radialTangential(numerator: lens.0, denominator: lens.1, tangential: lens.2)
    default: throw FrameFault("its camera_model '\(model)' is unknown")
    }
  }

  /// The extensions of readable depth maps, the usual one first.
  private static let depthExtensions = ["png", "npy", "exr"]

  private func depth(
    ofFrame frame: String, relocated: inout RelocatedFiles, unit: inout DepthUnit
  ) -> Capture.DepthSource? {
    guard let name = (json["depth_file_path"] ?? json["depth_path"])?.text else { return nil }
    let extensions = Self.depthExtensions
    let isThere =
      (try? folder.path(ofNamed: name, extensions: extensions, in: context)) ?? nil != nil
    let path =
      (isThere ? nil : relocated.sideFile(named: name))
      ?? folder.path(ofDepth: name, extensions: extensions, frame: frame, in: context)
    guard let path else { return nil }
    let declared = number("integer_depth_scale") ?? number("depth_unit_scale_factor")
    let encoding: Capture.DepthSource.Encoding
    switch fileExtension(of: path) {
    case "png":
      return Capture.DepthSource(path: path, encoding: .png16(metersPerUnit: declared ?? 0.001))
    case "npy": encoding = .npy
    case "exr": encoding = .exr
    case let other:
      context.note(
        depthMapOf: frame,
        "its depth map is there, but .\(other) files are not read as depth: save it as .npy, OpenEXR or a 16-bit "
          + "grey PNG")
      return nil
    }
    var map = Capture.DepthSource(path: path, encoding: encoding)
    map.scale = unit.factor(of: map, declared: declared, in: context)
    return map
  }
}
