package import MeshPipeline

/// "All data" of the 3D Scanner App by Laan Labs.
///
/// Poses are ARKit's by rows; the pixel origin was measured on real scans: the projection matrix in
/// the same files implies cx + 0.5.
package enum ScannerApp: CaptureLayout {
  package static let id = "3d-scanner-app"
  package static let summary =
    "\"All data\" of the 3D Scanner App: `frame_00000.json` with `.jpg`, `depth_00000.png`, "
    + "`conf_00000.png` and `export.obj`. Every third to sixth frame has an image, the others a depth map alone."

  package static func isPresent(in folder: CaptureFolder) -> Bool {
    folder.names.contains { number(of: $0, ".json") != nil }
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    let isLikely = folder.names.contains { number(of: $0, ".jpg") != nil }
    return !isPresent(in: folder) && isLikely ? "frame_00000.json" : nil
  }

  /// The digits of a frame's file: `00012` in `frame_00012.json`.
  private static func number(of name: String, _ ending: String) -> String? {
    guard name.hasPrefix("frame_"), name.hasSuffix(ending) else { return nil }
    let digits = name.dropFirst(6).dropLast(ending.count)
    return !digits.isEmpty && digits.allSatisfy(\.isNumber) ? String(digits) : nil
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    var scan = CapturedScan(capture: Capture())
    var bare: [String] = []
    // Without a projection matrix, intrinsics are for images of this size.
    lazy var pictureSize = firstPictureSize(folder)
    for name in folder.names {
      guard let digits = number(of: name, ".json") else { continue }
      try context.checkCancellation()
      let picture = folder.path(of: "frame_\(digits).jpg")
      let hasPicture = folder.has("frame_\(digits).jpg")
      if !hasPicture { context.didMiss(picture) }
      guard hasPicture || folder.has("depth_\(digits).png") else {
        bare.append("frame_\(digits)")
        continue
      }
      do {
        let json = try context.json(at: folder.path(of: name))
        let frame = try frame(digits, json, picture: picture, folder) { pictureSize }
        if hasPicture {
          scan.capture.frames.append(frame)
        } else if let depthFrame = frame.depthFrame {
          scan.capture.depthFrames.append(depthFrame)
        }
        if let rows = json["cameraPoseARFrame"]?.numbers, Transform.isByColumns(rows) {
          scan.framesByColumns.insert("frame_\(digits)")
        }
      } catch let error as FrameFault {
        context.leaveOut("frame_\(digits)", because: error.reason)
      } catch let error as any UserError {
        context.leaveOut("frame_\(digits)", because: error.message)
      }
    }
    // Most frames never had an image: that is expected, unless none has one.
    if scan.capture.frames.isEmpty, scan.capture.depthFrames.isEmpty {
      for name in bare { context.leaveOut(name, because: "it has no image") }
    }
    return scan
  }

  private static func frame(
    _ digits: String, _ json: JSONValue, picture: String, _ folder: CaptureFolder,
    usualSize: () -> SIMD2<Int>?
  ) throws(FrameFault) -> Capture.Frame {
    guard let matrix = json["intrinsics"]?.numbers else { throw FrameFault("it has no intrinsics") }
    guard let rows = json["cameraPoseARFrame"]?.numbers else {
      throw FrameFault("it has no cameraPoseARFrame")
    }
    let intrinsics = try Capture.Intrinsics(matrix: matrix, origin: .firstPixelCenter)
    let image = Capture.ImageSource.file(picture)
    guard let size = referenceSize(json, intrinsics) ?? image.headerSize ?? usualSize() else {
      throw FrameFault(
        folder.has("frame_\(digits).jpg")
          ? "its image is of an unsupported kind" : "it has no image, and no projectionMatrix")
    }
    let exposure = json["exposureDuration"]?.number
    return Capture.Frame(
      name: "frame_\(digits)", image: image, imageSize: size, intrinsics: intrinsics,
      pose: try Transform(cameraToWorld: rows, axes: .openGL), depth: depth(digits, folder),
      timestamp: json["time"]?.number,
      exposure: exposure.map { Capture.Exposure(duration: $0) })
  }

  /// The image size of the intrinsics, from the projection matrix: 2 fx / P00.
  private static func referenceSize(
    _ json: JSONValue, _ intrinsics: Capture.Intrinsics
  ) -> SIMD2<Int>? {
    guard let projection = json["projectionMatrix"]?.numbers, projection.count == 16 else {
      return nil
    }
    let size = intrinsics.focalLength * 2 / SIMD2(projection[0], projection[5])
    guard let width = Int(exactly: size.x.rounded()), let height = Int(exactly: size.y.rounded()),
      width > 0, height > 0
    else { return nil }
    return SIMD2(width, height)
  }

  /// The size of the first image with a readable header.
  private static func firstPictureSize(_ folder: CaptureFolder) -> SIMD2<Int>? {
    folder.names.lazy.filter { number(of: $0, ".jpg") != nil }
      .compactMap { Capture.ImageSource.file(folder.path(of: $0)).headerSize }.first
  }

  private static func depth(_ digits: String, _ folder: CaptureFolder) -> Capture.DepthSource? {
    guard folder.has("depth_\(digits).png") else { return nil }
    let confidence = "conf_\(digits).png"
    return Capture.DepthSource(
      path: folder.path(of: "depth_\(digits).png"), encoding: .png16(metersPerUnit: 0.001),
      confidence: folder.has(confidence) ? .init(path: folder.path(of: confidence)) : nil)
  }
}
