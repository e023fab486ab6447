package import MeshPipeline
import NativeLibraries

/// Counts and measurements of a capture, for `meshpipe info`.
package struct CaptureSummary: Sendable {
  /// The number of frames with images of one size.
  package struct SizeShare: Sendable, Equatable {
    /// Width and height in pixels.
    package var size: SIMD2<Int>
    package var frames: Int
  }

  /// The id of the capture's layout.
  package let layout: String
  /// The path of the capture.
  package let folder: String
  package let frames: [Capture.Frame]
  /// The number of images without poses.
  package let photographs: Int
  /// The most frequent first.
  package private(set) var sizes: [SizeShare] = []
  /// Seconds from the first frame to the last; nil if frames have no times.
  package let duration: Double?
  /// The length of the path along the cameras, in metres.
  package private(set) var pathLength = 0.0
  /// The number of frames with a depth map.
  package let framesWithDepth: Int
  /// The number of depth maps without an image.
  package let depthMapsAlone: Int
  /// The number of frames whose depth map has confidences.
  package let framesWithConfidence: Int
  /// The number of depth maps with confidences, with and without an image.
  package let depthMapsWithConfidence: Int
  /// The size of the first depth map; nil if there is none, or none with a header.
  package let depthSize: SIMD2<Int>?
  /// The number of frames with a mask, and of those in which it is the opacity of the image.
  package let framesWithMask: Int
  package let framesWithAlpha: Int
  /// The number of frames whose image is in a video.
  package let framesInVideo: Int
  /// The number of frames with a distorted lens.
  package let framesWithDistortion: Int
  /// The shortest and longest, in seconds.
  package let exposure: ClosedRange<Double>?
  /// The lowest and highest sensitivity.
  package let iso: ClosedRange<Double>?
  /// The horizontal field of view, narrowest and widest, as focal length divided by image width.
  package let relativeFocalLength: ClosedRange<Double>?
  /// What the camera held constant: exposure, focus, white balance.
  package let locks: [(name: String, isLocked: Bool)]
  /// The files beside frames and mesh.
  package let attachments: [String]
  /// The number of frames in each tracking state.
  package private(set) var tracking: [(state: Capture.Tracking, frames: Int)] = []

  /// - Parameter metersPerUnit: The unit of the poses.
  package init(_ capture: Capture, layout: String, folder: String, metersPerUnit: Double) {
    self.layout = layout
    self.folder = folder
    let frames = capture.frames
    self.frames = frames
    photographs = capture.photographs.count
    let cameras =
      frames.isEmpty
      ? capture.depthFrames.map { ($0.pose, $0.timestamp) } : frames.map { ($0.pose, $0.timestamp) }
    duration = Self.range(cameras.compactMap { $0.1 }).map { $0.upperBound - $0.lowerBound }
    framesWithDepth = frames.count { $0.depth != nil }
    framesWithConfidence = frames.count { $0.depth?.confidence != nil }
    depthMapsAlone = capture.depthFrames.count
    depthMapsWithConfidence =
      framesWithConfidence + capture.depthFrames.count { $0.depth.confidence != nil }
    depthSize = capture.allDepthFrames.first?.depth.headerSize
    framesWithMask = frames.count { !$0.masks.isEmpty }
    framesWithAlpha = frames.count { $0.masks.contains { $0.hidden == .transparent } }
    framesInVideo = frames.count { if case .video = $0.image { true } else { false } }
    framesWithDistortion = frames.count { $0.distortion != .none }
    let locks = capture.origin?.locks
    self.locks = [
      ("exposure", locks?.exposure), ("focus", locks?.focus),
      ("white balance", locks?.whiteBalance),
    ].compactMap { name, isLocked in isLocked.map { (name, $0) } }
    attachments = capture.origin?.attachments ?? []
    exposure = Self.range(frames.compactMap(\.exposure?.duration))
    iso = Self.range(frames.compactMap(\.exposure?.iso))
    relativeFocalLength = Self.range(
      frames.map { $0.intrinsics.focalLength.x / Double(max($0.imageSize.x, 1)) })
    for (camera, next) in zip(cameras, cameras.dropFirst()) {
      let step = next.0.translation - camera.0.translation
      pathLength += step.dot(step).squareRoot() * metersPerUnit
    }
    var counts: [SIMD2<Int>: Int] = [:]
    for frame in frames { counts[frame.imageSize, default: 0] += 1 }
    for photograph in capture.photographs { counts[photograph.imageSize, default: 0] += 1 }
    sizes = counts.map { SizeShare(size: $0.key, frames: $0.value) }.sorted { left, right in
      (right.frames, left.size.x, left.size.y) < (left.frames, right.size.x, right.size.y)
    }
    for state in Capture.Tracking.allCases {
      let count = frames.count { $0.tracking == state }
      if count > 0 { tracking.append((state, count)) }
    }
  }

  private static func range(_ values: [Double]) -> ClosedRange<Double>? {
    guard let low = values.min(), let high = values.max(), low <= high else { return nil }
    return low...high
  }
}

extension CaptureSummary {
  /// The summary as JSON, for programs, with an entry for each frame.
  package var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("layout", text(layout)), .init("folder", text(folder)),
      .init("frameCount", number(frames.count)),
      .init(
        "sizes",
        JSONValue(
          .array(
            sizes.map {
              [
                "width": number($0.size.x), "height": number($0.size.y),
                "frames": number($0.frames),
              ]
            }))),
      .init("duration", duration.map { JSONValue(.number($0)) } ?? JSONValue(.null)),
      .init("pathLength", JSONValue(.number(pathLength))),
      .init("framesWithDepth", number(framesWithDepth)),
      .init("depthMapsAlone", number(depthMapsAlone)),
      .init("framesWithConfidence", number(framesWithConfidence)),
      .init("framesWithMask", number(framesWithMask)),
      .init("framesInVideo", number(framesInVideo)),
      .init("framesWithDistortion", number(framesWithDistortion)),
    ]
    if photographs > 0 { members.append(.init("photographCount", number(photographs))) }
    if let exposure { members.append(.init("exposure", range(exposure))) }
    if let iso { members.append(.init("iso", range(iso))) }
    if !locks.isEmpty {
      members.append(
        .init(
          "locks",
          JSONValue(.object(locks.map { .init($0.name, JSONValue(.bool($0.isLocked))) }))))
    }
    if !attachments.isEmpty {
      members.append(.init("files", JSONValue(.array(attachments.map(text)))))
    }
    members.append(
      .init(
        "tracking",
        JSONValue(.object(tracking.map { .init($0.state.rawValue, number($0.frames)) }))))
    members.append(.init("frames", JSONValue(.array(frames.map(entry)))))
    return JSONValue(.object(members))
  }

  private func entry(_ frame: Capture.Frame) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("name", text(frame.name)), .init("image", text(frame.image.path)),
    ]
    if case .video(_, let index) = frame.image { members.append(.init("index", number(index))) }
    let (focal, center) = (frame.intrinsics.focalLength, frame.intrinsics.principalPoint)
    members += [
      .init("width", number(frame.imageSize.x)), .init("height", number(frame.imageSize.y)),
      .init("focalLength", numbers([focal.x, focal.y])),
      .init("principalPoint", numbers([center.x, center.y])),
      .init(
        "cameraToWorld",
        JSONValue(.array(frame.pose.rows.map { numbers($0) }))),
    ]
    if let depth = frame.depth { members.append(.init("depth", text(depth.path))) }
    if let path = frame.depth?.confidence?.path { members.append(.init("confidence", text(path))) }
    if let mask = frame.masks.first { members.append(.init("mask", text(mask.path))) }
    if let time = frame.timestamp { members.append(.init("timestamp", JSONValue(.number(time)))) }
    if let exposure = frame.exposure?.duration {
      members.append(.init("exposure", JSONValue(.number(exposure))))
    }
    if let iso = frame.exposure?.iso { members.append(.init("iso", JSONValue(.number(iso)))) }
    if let tracking = frame.tracking { members.append(.init("tracking", text(tracking.rawValue))) }
    return JSONValue(.object(members))
  }

  private func text(_ string: String) -> JSONValue { JSONValue(.string(string)) }
  private func number(_ value: Int) -> JSONValue { JSONValue(.number(Double(value))) }
  private func numbers(_ values: [Double]) -> JSONValue {
    JSONValue(.array(values.map { JSONValue(.number($0)) }))
  }
  private func range(_ range: ClosedRange<Double>) -> JSONValue {
    numbers([range.lowerBound, range.upperBound])
  }
}
