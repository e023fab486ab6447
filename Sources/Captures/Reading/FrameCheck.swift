package import MeshPipeline
import NativeLibraries

/// Detects unusable frames, and corrects small problems.
package struct FrameCheck: FrameChecking {
  /// The tolerance for axes of length 1 at right angles.
  private static let tolerance = 0.02
  /// The maximum distance of a camera from the origin, in the unit of the poses: more than once
  /// around the earth in metres, and small enough for products of distances in single precision.
  private static let largestDistance = 1e8
  /// More pixels than a camera has, which a small malicious file can claim.
  private static let mostPixels = (image: PictureHeader.mostPixels, depth: 64_000_000)

  private let context: CaptureReadingContext
  private let videoSizes: [String: SIMD2<Int>]

  package static func checked(
    _ frame: Capture.Frame, videoSizes: [String: SIMD2<Int>], in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame {
    try FrameCheck(context: context, videoSizes: videoSizes).checked(frame)
  }

  package static func checked(
    _ frame: Capture.DepthFrame, in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.DepthFrame {
    try FrameCheck(context: context, videoSizes: [:]).checked(frame)
  }

  package static func addMasks(
    to capture: inout Capture, of folder: CaptureFolder, in context: CaptureReadingContext
  ) {
    var masks = FrameMasks(folder, context)
    masks.add(to: &capture)
  }

  private func checked(_ frame: Capture.Frame) throws(FrameFault) -> Capture.Frame {
    var frame = frame
    try Self.checkCamera(frame.intrinsics, frame.distortion, frame.imageSize)
    frame.pose = try Self.rigid(frame.pose)
    try fitPicture(&frame)
    guard let depth = frame.depthFrame else { return frame }
    do throws(FrameFault) {
      frame.depth = try checkedDepth(of: depth)
    } catch {
      context.note(depthMapOf: frame.name, error.reason)
      frame.depth = nil
    }
    return frame
  }

  private func checked(_ frame: Capture.DepthFrame) throws(FrameFault) -> Capture.DepthFrame {
    var frame = frame
    try Self.checkCamera(frame.intrinsics, frame.distortion, frame.imageSize)
    frame.pose = try Self.rigid(frame.pose)
    frame.depth = try checkedDepth(of: frame)
    return frame
  }

  // MARK: Cameras

  private static func checkCamera(
    _ intrinsics: Capture.Intrinsics, _ distortion: Capture.Distortion, _ imageSize: SIMD2<Int>
  ) throws(FrameFault) {
    let size = SIMD2<Double>(imageSize)
    guard size.min() >= 1, size.max() <= 65_535 else {
      throw FrameFault("its size is \(imageSize.x) x \(imageSize.y)")
    }
    let focal = intrinsics.focalLength
    for length in [focal.x, focal.y] where !(length > 0) || !length.isFinite {
      throw FrameFault("its focal length is \(length == 0 ? "zero" : "\(length)")")
    }
    guard (focal / size).min() > 0.02, (focal / size).max() < 100 else {
      throw FrameFault("its focal length is impossible for the size of its image")
    }
    let center = intrinsics.principalPoint
    guard center.x.isFinite, center.y.isFinite else {
      throw FrameFault("its principal point is not a number")
    }
    let place = center / size
    guard place.min() > -0.5, place.max() < 1.5 else {
      throw FrameFault("its principal point lies far outside its image")
    }
    try checkLens(intrinsics, distortion, size)
  }

  /// Rejects coefficients that displace the image corner farthest from the axis by more than a
  /// hundred times its distance.
  private static func checkLens(
    _ intrinsics: Capture.Intrinsics, _ distortion: Capture.Distortion, _ imageSize: SIMD2<Double>
  ) throws(FrameFault) {
    let center = intrinsics.principalPoint
    let reach = pointwiseMax(center, imageSize - center)
    let corner = reach / intrinsics.focalLength
    let radius = (corner * corner).sum().squareRoot()
    for (name, value, power) in distortion.coefficients {
      let isFisheye = if case .fisheye = distortion { true } else { false }
      var size = abs(value)
      for _ in 0..<power { size *= min(radius, isFisheye ? .pi / 2 : 10) }
      guard size < 100 else { throw FrameFault("its lens distortion \(name) is \(value)") }
    }
  }

  /// The rotation nearest to a pose that is nearly one.
  private static func rigid(_ pose: Transform) throws(FrameFault) -> Transform {
    let columns = [pose.x, pose.y, pose.z, pose.translation]
    guard columns.allSatisfy({ $0.x.isFinite && $0.y.isFinite && $0.z.isFinite }) else {
      throw FrameFault("its pose contains a non-finite number")
    }
    let place = pose.translation
    guard max(abs(place.x), abs(place.y), abs(place.z)) < largestDistance else {
      throw FrameFault("its position is impossible: more than 100 million units from the origin")
    }
    let lengths = columns[..<3].map { $0.dot($0).squareRoot() }
    let angles = [pose.x.dot(pose.y), pose.y.dot(pose.z), pose.z.dot(pose.x)]
    guard lengths.allSatisfy({ abs($0 - 1) < tolerance }),
      angles.allSatisfy({ abs($0) < tolerance })
    else { throw FrameFault("its pose is not a rigid motion: it scales or shears") }
    guard pose.determinant > 0 else {
      throw FrameFault("its pose is not a rigid motion: it mirrors")
    }
    // Newton's iteration for the polar factor; from here it converges in two or three steps.
    var result = pose
    for _ in 0..<4 {
      let cofactors = result.normalTransform
      let scale = 1 / result.determinant
      result.x = (result.x + cofactors.x * scale) / 2
      result.y = (result.y + cofactors.y * scale) / 2
      result.z = (result.z + cofactors.z * scale) / 2
    }
    return result
  }

  // MARK: Files

  private func fitPicture(_ frame: inout Capture.Frame) throws(FrameFault) {
    let size: SIMD2<Int>
    switch frame.image {
    case .file(let path): size = try Self.size(of: Self.open(path))
    case .video(let path, index: _):
      guard (try? FileSystem.status(of: path))?.isRegularFile == true else {
        throw FrameFault("its video is missing")
      }
      size = videoSizes[path] ?? frame.imageSize
    }
    let old = frame.imageSize
    guard size != old else { return }
    if size == SIMD2(old.y, old.x) {
      throw FrameFault(
        "its image is \(size.x) x \(size.y), rotated relative to its intrinsics, which are for "
          + "\(old.x) x \(old.y)")
    }
    let factor = SIMD2<Double>(size) / SIMD2<Double>(old)
    if abs(factor.x / factor.y - 1) > 0.01 {
      context.note(
        frame.name,
        "the image is \(size.x) x \(size.y), but the intrinsics are for \(old.x) x \(old.y), "
          + "which has another aspect ratio; the image is treated as stretched")
    }
    frame.intrinsics = frame.intrinsics.scaled(from: old, to: size)
    frame.imageSize = size
  }

  static func open(_ path: String) throws(FrameFault) -> MappedFile {
    do throws(FileError) {
      return try MappedFile(path: path, allowsPipes: false)
    } catch {
      throw FrameFault(
        (try? FileSystem.status(of: path)) == .some(nil)
          ? "its image is missing" : "its image can't be read: \(FileError.reason(error.code))")
    }
  }

  /// The size of an image whose file is complete, as far as can be determined without decoding it.
  static func size(of file: MappedFile) throws(FrameFault) -> SIMD2<Int> {
    if file.count == 0 { throw FrameFault("its image is empty") }
    let header = PictureHeader(file)
    if file.hasChanged { throw FrameFault("its image changed while it was read") }
    if let fault = PictureKind.fault(of: header.kind) { throw FrameFault("its image \(fault)") }
    guard header.isWhole, let size = header.size, size.min() > 0 else {
      throw FrameFault("its image is truncated")
    }
    // Both sides of a PNG may be so large that their product overflows.
    guard size.x <= mostPixels.image / max(size.y, 1) else {
      throw FrameFault(
        "its image claims to be \(size.x) x \(size.y), more than \(mostPixels.image / 1_000_000) "
          + "megapixels")
    }
    return size
  }

  /// The depth map of a frame, without confidences that can't belong to it.
  private func checkedDepth(
    of frame: Capture.DepthFrame
  ) throws(FrameFault) -> Capture.DepthSource {
    let depth = frame.depth
    if case .png16(let scale) = depth.encoding, !(scale > 0 && scale.isFinite) {
      throw FrameFault("the scale of the depth map is \(scale)")
    }
    let size = depth.headerSize ?? .zero
    guard (try? FileSystem.status(of: depth.path))?.isRegularFile == true else {
      context.didMiss(depth.path)
      throw FrameFault("the depth map is missing")
    }
    guard depth.scale > 0, depth.scale.isFinite else {
      throw FrameFault("the scale of the depth map is \(depth.scale)")
    }
    guard size.min() > 0 else {
      let kind =
        switch depth.encoding {
        case .exr: "not a supported OpenEXR file"
        case .npy: "not a NumPy array of rows and columns of numbers"
        case .png16, .float32: "not a 16-bit grey PNG"
        }
      throw FrameFault("the depth map is truncated or \(kind)")
    }
    guard size.x <= Self.mostPixels.depth / size.y else {
      throw FrameFault(
        "the depth map claims to be \(size.x) x \(size.y), more than "
          + "\(Self.mostPixels.depth / 1_000_000) megapixels")
    }
    // Sensors round the shape of small maps: 256 x 192, 320 x 180.
    let shape = SIMD2<Double>(size) / SIMD2<Double>(frame.imageSize)
    guard abs(shape.x / shape.y - 1) < 0.05 else {
      throw FrameFault(
        "the depth map is \(size.x) x \(size.y), which has another aspect ratio than the image")
    }
    return checkedConfidence(of: depth, size: size, frame: frame.name)
  }

  private func checkedConfidence(
    of depth: Capture.DepthSource, size: SIMD2<Int>, frame: String
  ) -> Capture.DepthSource {
    guard let confidence = depth.confidence else { return depth }
    if PictureHeader.greyPNGSize(ofFile: confidence.path, bits: 8) == size { return depth }
    let isThere = (try? FileSystem.status(of: confidence.path))?.isRegularFile == true
    // Confidences of headerless depth maps are headerless too, so their size is unknown.
    if isThere, case .float32 = depth.encoding { return depth }
    if !isThere { context.didMiss(confidence.path) }
    context.note(
      frame,
      (isThere ? "the confidences don't belong to the depth map" : "the confidences are missing")
        + "; all depths are assumed to be reliable")
    var depth = depth
    depth.confidence = nil
    return depth
  }
}

extension Capture.Distortion {
  /// Each coefficient with its name and the power of the distance that it multiplies.
  var coefficients: [(name: String, value: Double, power: Int)] {
    switch self {
    case .none: []
    case .radialTangential(let k, let d, let t):
      [("k1", k.x, 2), ("k2", k.y, 4), ("k3", k.z, 6), ("k4", d.x, 2), ("k5", d.y, 4)]
        + [("k6", d.z, 6), ("p1", t.x, 1), ("p2", t.y, 1)]
    case .fisheye(let k): [("k1", k.x, 2), ("k2", k.y, 4), ("k3", k.z, 6), ("k4", k.w, 8)]
    }
  }
}
