package import MeshPipeline

/// Polycam's raw export, "Developer mode".
///
/// Polycam's own optimised cameras and the corresponding images are used if all of them exist.
package enum Polycam: CaptureLayout {
  package static let id = "polycam"
  package static let summary =
    "Polycam's raw export: `keyframes/` with `images/` and `cameras/`, and `corrected_images/` and "
    + "`corrected_cameras/` if it has optimised them; `raw.glb` is the mesh."
  /// Corrected images have black borders of this width, according to Polycam's documentation.
  static let rimOfCorrectedImages = 15

  package static func isPresent(in folder: CaptureFolder) -> Bool {
    camerasFolders.contains { folder.has("keyframes/\($0)") || folder.has($0) }
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    let isLikely = folder.has("keyframes/images") || folder.has("keyframes/corrected_images")
    return !isPresent(in: folder) && isLikely ? "keyframes/cameras" : nil
  }

  private static let camerasFolders = ["corrected_cameras", "cameras"]

  package static func meshPaths(in folder: CaptureFolder) -> [String] {
    folder.has("keyframes") ? folder.usualMeshPaths : folder.parent?.usualMeshPaths ?? []
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let keyframes =
      folder.has("keyframes") ? try CaptureFolder(folder.path(of: "keyframes")) : folder
    let corrected = try Files(keyframes, cameras: "corrected_cameras", images: "corrected_images")
    let plain = try Files(keyframes, cameras: "cameras", images: "images")
    let isCorrected = !corrected.stems.isEmpty && corrected.stems.count >= plain.stems.count
    let files = isCorrected ? corrected : plain
    if isCorrected {
      context.report("framesBlackRim", JSONValue(.number(Double(rimOfCorrectedImages))))
    }
    var capture = Capture()
    for stem in files.cameraStems {
      try context.checkCancellation()
      do {
        let json = try context.json(at: files.cameras.path(of: "\(stem).json"))
        let image = files.image(stem)
        let frame = try frame(
          stem, json: json, image: image ?? .file(files.images.path(of: "\(stem).jpg")),
          in: keyframes)
        if image != nil {
          capture.frames.append(frame)
        } else {
          capture.depthFrames.append(
            try context.depthAlone(of: frame, because: "its image is missing"))
          context.didMiss(frame.image.path)
        }
      } catch let error as FrameFault {
        context.leaveOut(stem, because: error.reason)
      } catch let error as any UserError {
        context.leaveOut(stem, because: error.message)
      }
    }
    var scan = CapturedScan(capture: capture)
    try align(&scan, folder, context)
    return scan
  }

  /// The cameras and images of one kind.
  private struct Files {
    var cameras: CaptureFolder
    var images: CaptureFolder
    /// The names of frames with a camera.
    var cameraStems: [String]
    /// Those that also have an image.
    var stems: [String]

    init(_ folder: CaptureFolder, cameras: String, images: String) throws {
      self.cameras = try CaptureFolder(folder.path(of: cameras))
      self.images = try CaptureFolder(folder.path(of: images))
      cameraStems = self.cameras.names.filter { $0.hasSuffix(".json") && !$0.hasPrefix(".") }
        .map { String($0.dropLast(5)) }
      let names = Set(self.images.names.map(FileSystem.stem(of:)))
      stems = cameraStems.filter(names.contains)
    }

    func image(_ stem: String) -> Capture.ImageSource? {
      pictureExtensions.map { "\(stem).\($0)" }.first(where: images.has)
        .map { .file(images.path(of: $0)) }
    }
  }

  private static func frame(
    _ stem: String, json: JSONValue, image: Capture.ImageSource, in keyframes: CaptureFolder
  ) throws(FrameFault) -> Capture.Frame {
    func number(_ key: String) throws(FrameFault) -> Double {
      guard let value = json[key]?.number else { throw FrameFault("it has no \(key)") }
      return value
    }
    var rows: [Double] = []
    for row in 0..<3 {
      for column in 0..<4 { rows.append(try number("t_\(row)\(column)")) }
    }
    let width = json["width"]?.wholeNumber
    guard
      let size = width.flatMap({ w in json["height"]?.wholeNumber.map { SIMD2(w, $0) } })
        ?? image.headerSize
    else { throw FrameFault("it has no size (width, height)") }
    return Capture.Frame(
      name: stem, image: image, imageSize: size,
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(try number("fx"), try number("fy")),
        principalPoint: PixelOrigin.firstPixelCenter.converted(
          SIMD2(try number("cx"), try number("cy")))),
      pose: try Transform(cameraToWorld: rows), depth: depth(stem, keyframes),
      // Names are microseconds.
      timestamp: (json["timestamp"]?.number ?? Double(stem)).map { $0 / 1e6 })
  }

  private static func depth(_ stem: String, _ keyframes: CaptureFolder) -> Capture.DepthSource? {
    guard keyframes.has("depth/\(stem).png") else { return nil }
    let confidence = "confidence/\(stem).png"
    return Capture.DepthSource(
      path: keyframes.path(of: "depth/\(stem).png"), encoding: .png16(metersPerUnit: 0.001),
      confidence: keyframes.has(confidence)
        ? .init(path: keyframes.path(of: confidence), highest: 255) : nil)
  }

  /// Polycam transformed `raw.glb` but not the cameras; `mesh_info.json` has the transform.
  private static func align(
    _ scan: inout CapturedScan, _ folder: CaptureFolder, _ context: CaptureReadingContext
  ) throws {
    let root =
      folder.has("keyframes") ? folder : try CaptureFolder(FileSystem.folder(of: folder.path))
    guard root.has("mesh_info.json") else { return }
    let path = root.path(of: "mesh_info.json")
    let json = try context.json(at: path)
    guard let columns = json["alignmentTransform"]?.numbers, columns.count == 16 else { return }
    let rows = (0..<16).map { columns[$0 % 4 * 4 + $0 / 4] }
    guard let alignment = try? Transform(cameraToWorld: rows), let back = alignment.inverse else {
      return context.warn("\(path): alignmentTransform is not a valid transform")
    }
    guard root.has("raw.glb") else {
      scan.worlds = [.init(name: "after alignmentTransform", transform: alignment)]
      return
    }
    scan.move(by: alignment)
    scan.worlds = [.init(name: "before alignmentTransform", transform: back)]
  }
}
