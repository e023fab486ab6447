package import MeshPipeline
internal import NativeLibraries

/// A recording of the Record3D app: unpacked from its `.r3d` file, which is a zip archive, or
/// exported as "EXR + RGB".
///
/// Poses are camera to world with ARKit's axes; K is stored column by column, for the size of the
/// images. In a `.r3d` file depth maps and confidences are compressed with LZFSE.
package enum Record3D: CaptureLayout {
  package static let id = "record3d"
  package static let summary =
    "A recording of Record3D: a `.r3d` file (`metadata` and `rgbd/` with `.jpg`, `.depth` and `.conf` "
    + "files) or its export as EXR and RGB (`metadata.json`, `rgb/` and `depth/` with `.exr` files)."
  package static let indexNames = ["metadata", "metadata.json"]

  /// The file names of a kind of recording.
  private struct Kind {
    var metadata: String
    var pictures: String
    var depths: String
    var depthEnding: String

    static let archive = Kind(
      metadata: "metadata", pictures: "rgbd", depths: "rgbd", depthEnding: "depth")
    static let export = Kind(
      metadata: "metadata.json", pictures: "rgb", depths: "depth", depthEnding: "exr")
  }

  package static func isPresent(in folder: CaptureFolder) -> Bool { kind(of: folder) != nil }

  private static func kind(of folder: CaptureFolder) -> Kind? {
    if folder.has("metadata"), folder.has("rgbd") { return .archive }
    // These names are common: one of the first depth maps must exist; numbers have gaps.
    guard folder.has("metadata.json"), folder.has("rgb"), folder.has("depth") else { return nil }
    return (0..<100).contains { folder.has("depth/\($0).exr") } ? .export : nil
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    // A file named 'metadata' could be anything.
    if folder.has("rgbd") { return folder.has("metadata") ? nil : "metadata" }
    return folder.names == ["metadata"] ? "rgbd" : nil
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let kind = kind(of: folder) ?? .archive
    let path = folder.path(of: kind.metadata)
    let json = try context.json(at: path)
    guard case .array(let poses) = json["poses"]?.content else {
      throw CaptureError(path, at: json.position, "has no poses")
    }
    let intrinsics = json["perFrameIntrinsicCoeffs"]?.elements ?? []
    let times = json["frameTimestamps"]?.elements ?? []
    let pictures = try CaptureFolder(folder.path(of: kind.pictures))
    let depths = try CaptureFolder(folder.path(of: kind.depths))
    let encoding = try encoding(of: kind, metadata: json, folder: folder, in: context)
    var capture = Capture()
    for (index, pose) in poses.enumerated() {
      try context.checkCancellation()
      do throws(FrameFault) {
        let own = intrinsics.indices.contains(index) ? intrinsics[index] : nil
        let picture = pictureExtensions.map { "\(index).\($0)" }.first(where: pictures.has)
        let path = pictures.path(of: picture ?? "\(index).jpg")
        var frame = try frame(
          index, pose: pose, intrinsics: own, metadata: json, image: .file(path))
        frame.depth = encoding.flatMap {
          depth(named: "\(index).\(kind.depthEnding)", encoding: $0, index: index, in: depths)
        }
        if times.indices.contains(index) { frame.timestamp = times[index].number }
        if picture != nil {
          capture.frames.append(frame)
        } else {
          context.didMiss(path)
          capture.depthFrames.append(
            try context.depthAlone(of: frame, because: "its image is missing", at: path))
        }
      } catch {
        context.leaveOut(String(index), because: error.reason, at: error.path)
      }
    }
    return CapturedScan(capture: capture)
  }

  private static func frame(
    _ index: Int, pose: JSONValue, intrinsics own: JSONValue?, metadata json: JSONValue,
    image: Capture.ImageSource
  ) throws(FrameFault) -> Capture.Frame {
    guard let numbers = pose.numbers, numbers.count == 7 else {
      throw FrameFault("its pose is not 7 numbers")
    }
    let cameraToWorld = try Transform(
      quaternion: numbers[3], SIMD3(numbers[0], numbers[1], numbers[2]),
      translation: SIMD3(numbers[4], numbers[5], numbers[6]))
    let stated = json["w"]?.wholeNumber.flatMap { w in json["h"]?.wholeNumber.map { SIMD2(w, $0) } }
    guard let size = stated ?? image.headerSize else {
      throw FrameFault("its image is of an unsupported kind", at: image.path)
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

  /// Width and height of the depth maps: as in the file, or matching the aspect ratio of the
  /// images.
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

  /// The encoding of the depth maps; nil if unknown.
  private static func encoding(
    of kind: Kind, metadata json: JSONValue, folder: CaptureFolder,
    in context: CaptureReadingContext
  ) throws -> Capture.DepthSource.Encoding? {
    if kind.depthEnding == "exr" { return .exr }
    return try depthSize(json, folder, context).map { .float32(width: $0.x, height: $0.y) }
  }

  private static func depth(
    named name: String, encoding: Capture.DepthSource.Encoding, index: Int, in depths: CaptureFolder
  ) -> Capture.DepthSource? {
    guard depths.has(name) else { return nil }
    let confidence = "\(index).conf"
    return Capture.DepthSource(
      path: depths.path(of: name), encoding: encoding,
      confidence: depths.has(confidence) ? .init(path: depths.path(of: confidence)) : nil)
  }
}
