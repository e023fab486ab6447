package import MeshPipeline

/// A scene of Apple's ARKitScenes data set.
///
/// Each line of `lowres_wide.traj` has a time, an axis times an angle, and a translation, world to
/// camera with OpenCV's axes, ten times a second. A `.pincam` file has width, height, fx, fy, cx,
/// cy.
package enum ARKitScenes: CaptureLayout {
  package static let id = "arkitscenes"
  package static let summary =
    "A scene of ARKitScenes: `lowres_wide.traj` with `wide/`, `vga_wide/` or `lowres_wide/`, their "
    + "intrinsics, `lowres_depth/` and `confidence/`."
  package static let indexNames = [trajectory]

  static let trajectory = "lowres_wide.traj"
  /// Maximum difference between the rounded times of a pose and its image.
  private static let tolerance = 0.006

  private static let convention = PoseConvention(axes: .openCV, isWorldToCamera: true)

  package static func isPresent(in folder: CaptureFolder) -> Bool {
    folder.has(trajectory) && pictureFolder(in: folder) != nil
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    if folder.has(trajectory) {
      if pictureFolder(in: folder) != nil { return nil }
      return kinds.first(where: folder.has).map { "\($0)_intrinsics" } ?? "lowres_wide"
    }
    return pictureFolder(in: folder) == nil ? nil : trajectory
  }

  package static func meshPaths(in folder: CaptureFolder) -> [String] {
    folder.names.filter { $0.hasSuffix("_3dod_mesh.ply") }.map(folder.path(of:))
      + folder.usualMeshPaths
  }

  /// The folders of images, the finest first.
  private static let kinds = ["wide", "vga_wide", "lowres_wide"]

  /// The finest images that have intrinsics.
  private static func pictureFolder(in folder: CaptureFolder) -> String? {
    kinds.first {
      folder.has($0) && folder.has("\($0)_intrinsics")
    }
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let path = folder.path(of: trajectory)
    let poses = try poses(context.contents(of: path), path: path)
    let kind = pictureFolder(in: folder) ?? "lowres_wide"
    let pictures = try CaptureFolder(folder.path(of: kind))
    let cameras = try CaptureFolder(folder.path(of: "\(kind)_intrinsics"))
    let depths = DepthFiles(folder)
    var capture = Capture()
    var strays: [String] = []
    for name in pictures.names where name.hasSuffix(".png") || name.hasSuffix(".jpg") {
      try context.checkCancellation()
      guard let time = time(of: name) else { continue }
      guard let pose = nearest(to: time, in: poses) else {
        strays.append(FileSystem.stem(of: name))
        continue
      }
      do throws(FrameFault) {
        capture.frames.append(
          try frame(
            named: name, at: time, pose: pose, pictures: pictures, cameras: cameras, depths: depths,
            in: context))
      } catch {
        context.leaveOut(FileSystem.stem(of: name), because: error.reason)
      }
    }
    try readDepthFrames(
      depths, besides: pictures, poses: poses, folder: folder, into: &capture, in: context)
    // Images are recorded more often than poses: some without a pose are expected.
    if strays.count > 0, capture.frames.isEmpty, capture.depthFrames.isEmpty {
      for stray in strays {
        context.leaveOut(
          stray, because: "no pose of \(trajectory) is within \(tolerance) s of its time")
      }
    }
    // In the data set's world gravity points along −Z.
    return CapturedScan(capture: capture, coordinateSystem: nil, convention: convention)
  }

  /// Adds depth maps taken between the images; those without a pose or a camera are expected.
  private static func readDepthFrames(
    _ depths: DepthFiles, besides pictures: CaptureFolder, poses: [TimedPose],
    folder: CaptureFolder, into capture: inout Capture, in context: CaptureReadingContext
  ) throws {
    let known = Set(pictures.names.map(FileSystem.stem(of:)))
    let cameraFolders = kinds.map { "\($0)_intrinsics" }.filter(folder.has)
      .compactMap { try? CaptureFolder(folder.path(of: $0)) }
    for name in depths.names where !known.contains(FileSystem.stem(of: name)) {
      try context.checkCancellation()
      guard let time = time(of: name), let pose = nearest(to: time, in: poses),
        let cameras = cameraFolders.first(where: { $0.has("\(FileSystem.stem(of: name)).pincam") })
      else { continue }
      do throws(FrameFault) {
        let frame = try frame(
          named: name, at: time, pose: pose, pictures: pictures, cameras: cameras, depths: depths,
          in: context)
        if let depthFrame = frame.depthFrame { capture.depthFrames.append(depthFrame) }
      } catch {
        context.leaveOut(FileSystem.stem(of: name), because: error.reason)
      }
    }
  }

  /// The time in a file name: `42445173_1234.567.png`.
  private static func time(of name: String) -> Double? {
    guard let start = name.lastIndex(of: "_"), let end = name.lastIndex(of: "."), start < end else {
      return nil
    }
    return Double(name[name.index(after: start)..<end])
  }

  private typealias TimedPose = (time: Double, numbers: [Double])

  private static func poses(_ bytes: [UInt8], path: String) throws(CaptureError) -> [TimedPose] {
    var poses: [TimedPose] = []
    for (number, line) in PlainText.lines(bytes).enumerated()
    where line.contains(where: { $0 > 0x20 }) {
      guard let numbers = PlainText.numbers(line), numbers.count == 7, numbers[0].isFinite else {
        throw CaptureError(
          path, at: SourcePosition(line: number + 1, column: 1),
          "is not a time, a rotation and a translation (7 numbers)")
      }
      poses.append((numbers[0], numbers))
    }
    return poses.sorted { $0.time < $1.time }
  }

  private static func nearest(to time: Double, in poses: [TimedPose]) -> [Double]? {
    var (low, high) = (0, poses.count)
    while low < high {
      let middle = (low + high) / 2
      if poses[middle].time < time - tolerance { low = middle + 1 } else { high = middle }
    }
    let candidates = poses[low...].prefix { $0.time <= time + tolerance }
    return candidates.min { abs($0.time - time) < abs($1.time - time) }?.numbers
  }

  private static func frame(
    named name: String, at time: Double, pose: [Double], pictures: CaptureFolder,
    cameras: CaptureFolder, depths: DepthFiles, in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame {
    let stem = FileSystem.stem(of: name)
    let path = cameras.path(of: "\(stem).pincam")
    guard cameras.has("\(stem).pincam"), let bytes = try? context.contents(of: path) else {
      context.didMiss(path)
      throw FrameFault("its intrinsics (.pincam) are missing")
    }
    guard let numbers = PlainText.numbers(bytes.map { $0 < 0x20 ? 0x20 : $0 }[...]),
      numbers.count == 6, let width = Int(exactly: numbers[0]),
      let height = Int(exactly: numbers[1])
    else { throw FrameFault("its intrinsics (.pincam) are not 6 numbers") }
    let worldToCamera = try Transform(
      axisAngle: SIMD3(pose[1], pose[2], pose[3]), translation: SIMD3(pose[4], pose[5], pose[6]))
    return Capture.Frame(
      name: stem, image: .file(pictures.path(of: name)), imageSize: SIMD2(width, height),
      intrinsics: Capture.Intrinsics(
        focalLength: SIMD2(numbers[2], numbers[3]),
        principalPoint: PixelOrigin.firstPixelCenter.converted(SIMD2(numbers[4], numbers[5]))),
      pose: convention.cameraToWorld(worldToCamera), depth: depths.source(stem),
      timestamp: time)
  }

  /// Depth maps have the names of the images.
  private struct DepthFiles {
    let depths: CaptureFolder?
    let confidences: CaptureFolder?

    init(_ folder: CaptureFolder) {
      func open(_ name: String) -> CaptureFolder? {
        folder.has(name) ? try? CaptureFolder(folder.path(of: name)) : nil
      }
      depths = open("lowres_depth")
      confidences = open("confidence")
    }

    /// The names of the depth maps.
    var names: [String] { depths?.names.filter { $0.hasSuffix(".png") } ?? [] }

    func source(_ stem: String) -> Capture.DepthSource? {
      let name = "\(stem).png"
      guard let depths, depths.has(name) else { return nil }
      let confidence = confidences.flatMap { $0.has(name) ? $0.path(of: name) : nil }
      return Capture.DepthSource(
        path: depths.path(of: name), encoding: .png16(metersPerUnit: 0.001),
        confidence: confidence.map { .init(path: $0) })
    }
  }
}
