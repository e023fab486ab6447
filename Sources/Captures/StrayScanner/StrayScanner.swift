package import MeshPipeline
internal import NativeLibraries

/// A recording of the Stray Scanner app.
///
/// Poses are camera to world with OpenCV's axes in a world with Y up. `camera_matrix.csv` is for
/// the size of the video; newer versions also write intrinsics into each row of `odometry.csv`.
package enum StrayScanner: CaptureLayout {
  package static let id = "stray-scanner"
  package static let summary =
    "A recording of Stray Scanner: `rgb.mp4`, `odometry.csv`, `camera_matrix.csv`, `depth/` and "
    + "`confidence/`."
  package static let indexNames = ["odometry.csv"]

  private static let convention = PoseConvention(axes: .openCV)

  package static func isPresent(in folder: CaptureFolder) -> Bool {
    folder.has("odometry.csv") && folder.has("rgb.mp4")
  }

  package static func missingName(in folder: CaptureFolder) -> String? {
    let names = ["odometry.csv", "rgb.mp4"]
    let isLikely = (names + ["camera_matrix.csv"]).contains(where: folder.has)
    return isLikely ? names.first { !folder.has($0) } : nil
  }

  package static func read(
    _ folder: CaptureFolder, in context: CaptureReadingContext
  ) throws -> CapturedScan {
    let video = try VideoReader.shared(folder.path(of: "rgb.mp4"))
    let matrix = try matrix(folder, context)
    let path = folder.path(of: "odometry.csv")
    let lines = PlainText.lines(try context.contents(of: path))
    let columns = PlainText.fields(lines.first ?? []).map { PlainText.text($0).lowercased() }
    for name in poseColumns where !columns.contains(name) {
      throw CaptureError(
        path, at: SourcePosition(line: 1, column: 1), "the column '\(name)' is missing")
    }
    var capture = Capture()
    var index = 0
    for line in lines.dropFirst() where line.contains(where: { $0 > 0x20 }) {
      try context.checkCancellation()
      do throws(FrameFault) {
        let frame = try frame(
          index, row: row(line, columns), matrix: matrix, video: video, in: folder)
        if video.times.indices.contains(index) {
          capture.frames.append(frame)
        } else {
          capture.depthFrames.append(
            try context.depthAlone(
              of: frame, because: "the video has only \(video.times.count) frames"))
        }
      } catch {
        context.leaveOut(String(index, digits: 6), because: error.reason)
      }
      index += 1
    }
    video.expect(capture.frames.compactMap(\.image.videoIndex))
    return CapturedScan(capture: capture, convention: convention)
  }

  private static let poseColumns = ["x", "y", "z", "qx", "qy", "qz", "qw"]

  /// The numbers of a row by the names of their columns.
  ///
  /// Versions of the app add columns, and leave unknown values empty: only the pose is required.
  private static func row(
    _ line: ArraySlice<UInt8>, _ columns: [String]
  ) throws(FrameFault) -> [String: Double] {
    let numbers = zip(columns, PlainText.fields(line)).compactMap { name, field in
      PlainText.number(field).map { (name, $0) }
    }
    let row = Dictionary(numbers) { first, _ in first }
    for name in poseColumns where row[name] == nil {
      throw FrameFault("its row of odometry.csv has no number in the column '\(name)'")
    }
    return row
  }

  private static func matrix(
    _ folder: CaptureFolder, _ context: CaptureReadingContext
  ) throws -> [Double]? {
    let path = folder.path(of: "camera_matrix.csv")
    guard folder.has("camera_matrix.csv") else {
      context.didMiss(path)
      return nil
    }
    return PlainText.lines(try context.contents(of: path))
      .flatMap { PlainText.numbers($0, commas: true) ?? [.nan] }
  }

  private static func frame(
    _ index: Int, row: [String: Double], matrix: [Double]?, video: VideoReader,
    in folder: CaptureFolder
  ) throws(FrameFault) -> Capture.Frame {
    func number(_ name: String) -> Double { row[name] ?? .nan }
    let intrinsics: Capture.Intrinsics
    if let fx = row["fx"], let fy = row["fy"], let cx = row["cx"], let cy = row["cy"] {
      intrinsics = Capture.Intrinsics(
        focalLength: SIMD2(fx, fy),
        principalPoint: PixelOrigin.firstPixelCenter.converted(SIMD2(cx, cy)))
    } else if let matrix {
      intrinsics = try Capture.Intrinsics(matrix: matrix, origin: .firstPixelCenter)
    } else {
      throw FrameFault("there is no camera_matrix.csv")
    }
    let cameraToWorld = try Transform(
      quaternion: number("qw"), SIMD3(number("qx"), number("qy"), number("qz")),
      translation: SIMD3(number("x"), number("y"), number("z")))
    // Depth maps have the number of the frame, which is the row unless the app lost some.
    let digits = String(row["frame"].flatMap { Int(exactly: $0) } ?? index, digits: 6)
    return Capture.Frame(
      name: digits, image: .video(video.path, index: index), imageSize: video.size,
      intrinsics: intrinsics, pose: convention.cameraToWorld(cameraToWorld),
      depth: depth(digits, folder), timestamp: row["timestamp"])
  }

  private static func depth(_ digits: String, _ folder: CaptureFolder) -> Capture.DepthSource? {
    guard folder.has("depth/\(digits).png") else { return nil }
    let confidence = "confidence/\(digits).png"
    return Capture.DepthSource(
      path: folder.path(of: "depth/\(digits).png"), encoding: .png16(metersPerUnit: 0.001),
      confidence: folder.has(confidence) ? .init(path: folder.path(of: confidence)) : nil)
  }
}
