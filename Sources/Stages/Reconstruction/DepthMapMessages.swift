import MeshPipeline

/// What stages say about the depth maps of a capture.
enum DepthMapMessages {
  /// No frame has one.
  static func noDepthMaps(frames: Int) -> String {
    "none of \(frames) frames has a depth map; capture on a device with LiDAR, or guard the stage "
      + "with \"when\": \"depth\""
  }

  /// None can be read, or none has depths in range.
  static func noDepth(reason: String) -> String { "no depth map can be used: \(reason)" }
}

extension StageContext {
  /// Warns of frames whose depth map is not used, or without its confidences.
  func warn(ofDepthMaps faults: [(frame: String, reason: String)]) {
    guard let first = faults.first else { return }
    warn(
      "depth is not used, or without its confidences, of frames (\(faults.count)); the first one, "
        + "'\(first.frame)': \(first.reason)")
  }
}
