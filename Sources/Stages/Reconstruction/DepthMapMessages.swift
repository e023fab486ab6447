import MeshPipeline

/// What stages say about the depth maps of a capture.
enum DepthMapMessages {
  /// No frame has one.
  ///
  /// - Parameter unread: The number of frames with a depth map that is not read, of which reading has warned.
  static func noDepthMaps(frames: Int, unread: Int) -> String {
    guard unread == 0 else {
      return
        "no depth map is read: \(unread) of \(frames) frames name one that can't be, and a warning says why"
    }
    return
      "none of \(frames) frames has a depth map; measure them from photographs by 'estimate-depth', capture on a device "
      + "with LiDAR, or guard the stage with \"when\": \"depth\""
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
