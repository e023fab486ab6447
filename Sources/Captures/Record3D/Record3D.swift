public import MeshPipeline
internal import NativeLibraries

/// A recording of the Record3D app, unpacked from its `.r3d` file, which is a zip archive.
///
/// Poses are camera to world with ARKit's axes; K is written by columns, for the size of the pictures.
/// Depth maps and confidences are compressed with LZFSE.
public enum Record3D: CaptureLayout {
  public static let id = "record3d"
  public static let summary =
    "A `.r3d` recording of Record3D: `metadata` and `rgbd/` with `.jpg`, `.depth` and `.conf` files."
  public static let indexNames = ["metadata"]

  public static func isPresent(in folder: CaptureFolder) -> Bool {
    folder.has("metadata") && folder.has("rgbd")
  }

  public static func missingName(in folder: CaptureFolder) -> String? {
    // A file of the name 'metadata' may be anybody's.
    if folder.has("rgbd") { return folder.has("metadata") ? nil : "metadata" }
    return folder.names == ["metadata"] ? "rgbd" : nil
  }

  public static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let path = folder.path(of: "metadata")
    let json = try context.json(at: path)
    guard case .array(let poses) = json["poses"]?.content else {
      throw CaptureError(path, at: json.position, "has no poses")
    }
    let intrinsics = json["perFrameIntrinsicCoeffs"]?.elements ?? []
    let times = json["frameTimestamps"]?.elements ?? []
    let depthSize = try depthSize(json, folder, context)
    let rgbd = try CaptureFolder(folder.path(of: "rgbd"))
    var capture = Capture()
    for (index, pose) in poses.enumerated() {
      try context.checkCancellation()
      do throws(FrameFault) {
        let own = intrinsics.indices.contains(index) ? intrinsics[index] : nil
        var frame = try frame(index, pose, own, json, rgbd, context)
        frame.depth = depthSize.flatMap { depth(index, $0, rgbd) }
        if times.indices.contains(index) { frame.timestamp = times[index].number }
        capture.frames.append(frame)
      } catch {
        context.leaveOut(String(index), because: error.reason)
      }
    }
    return CapturedScan(capture: capture)
  }

  private static func frame(
    _ index: Int, _ pose: JSONValue, _ own: JSONValue?, _ json: JSONValue, _ rgbd: CaptureFolder,
    _ context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame {
    let name = ["jpg", "png"].map { "\(index).\($0)" }.first(where: rgbd.has)
    guard let name else {
      context.didMiss(rgbd.path(of: "\(index).jpg"))
      throw FrameFault("its image is missing")
    }
    guard let numbers = pose.numbers, numbers.count == 7 else {
      throw FrameFault("its pose is not 7 numbers")
    }
    let cameraToWorld = try Transform(
      quaternion: numbers[3], SIMD3(numbers[0], numbers[1], numbers[2]),
      translation: SIMD3(numbers[4], numbers[5], numbers[6]))
    let image = Capture.ImageSource.file(rgbd.path(of: name))
    let stated = json["w"]?.wholeNumber.flatMap { w in json["h"]?.wholeNumber.map { SIMD2(w, $0) } }
    guard let size = stated ?? image.headerSize else {
      throw FrameFault("its image is neither JPEG nor PNG")
    }
    return Capture.Frame(
      name: String(index), image: image, imageSize: size,
      intrinsics: try intrinsics(own, json), pose: cameraToWorld)
  }

  private static func intrinsics(
    _ own: JSONValue?, _ json: JSONValue
  ) throws(FrameFault) -> Capture.Intrinsics {
    if let numbers = own?.numbers, numbers.count == 4 {
      return Capture.Intrinsics(
        focalLength: SIMD2(numbers[0], numbers[1]),
        principalPoint: PixelOrigin.firstPixelCenter.converted(SIMD2(numbers[2], numbers[3])))
    }
    guard let matrix = json["K"]?.numbers else { throw FrameFault("it has no intrinsics (K)") }
    return try Capture.Intrinsics(matrix: matrix, origin: .firstPixelCenter)
  }

  /// Width and height of the depth maps: what the file says, or what fits the shape of the pictures.
  private static func depthSize(
    _ json: JSONValue, _ folder: CaptureFolder, _ context: CaptureReadingContext
  ) throws -> SIMD2<Int>? {
    if let width = json["dw"]?.wholeNumber, let height = json["dh"]?.wholeNumber {
      return (1...8192).contains(width) && (1...8192).contains(height)
        ? SIMD2(width, height) : nil
    }
    let first = folder.path(of: "rgbd/0.depth")
    guard folder.has("rgbd/0.depth"), let width = json["w"]?.number, let height = json["h"]?.number,
      width > 0, height > 0,
      let depths = try? LZFSE.decode(context.contents(of: first), limit: 1 << 26, path: first)
    else { return nil }
    let count = Double(depths.count / 4)
    let size = SIMD2((count * width / height).squareRoot(), (count * height / width).squareRoot())
      .rounded(.toNearestOrAwayFromZero)
    guard size.x * size.y == count, count > 0 else { return nil }
    return SIMD2(Int(size.x), Int(size.y))
  }

  private static func depth(
    _ index: Int, _ size: SIMD2<Int>, _ rgbd: CaptureFolder
  ) -> Capture.DepthSource? {
    guard rgbd.has("\(index).depth") else { return nil }
    let confidence = "\(index).conf"
    return Capture.DepthSource(
      path: rgbd.path(of: "\(index).depth"),
      encoding: .float32(width: size.x, height: size.y),
      confidence: rgbd.has(confidence) ? .init(path: rgbd.path(of: confidence)) : nil)
  }
}
