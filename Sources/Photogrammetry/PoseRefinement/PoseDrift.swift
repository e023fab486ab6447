package import MeshpipeScene

/// The errors of a capture's poses over time, as its refined frames show them.
///
/// A phone tracks its position continuously, so that errors grow and vanish slowly: a frame without
/// an image of its own is off by nearly what the frames before and after it are.
package struct PoseDrift {
  /// Seconds on the capture's clock, in ascending order, with the correction of the camera then.
  private let corrections: [(time: Double, change: PoseChange)]

  /// Compares recorded poses with refined ones.
  ///
  /// Frames without a timestamp tell nothing.
  package init(of frames: [(recorded: Capture.Frame, refined: Transform)]) {
    self.init(
      frames.compactMap { frame, pose in
        guard let time = frame.timestamp, time.isFinite else { return nil }
        return (time, PoseChange(from: frame.pose, to: pose))
      })
  }

  /// - Parameter corrections: Those of cameras at finite times.
  init(_ corrections: [(time: Double, change: PoseChange)]) {
    self.corrections = corrections.sorted { $0.time < $1.time }
  }

  /// Corrects the cameras of depth maps.
  ///
  /// Between two frames, corrections are interpolated linearly; before the first and after the last
  /// one theirs count. A depth map without a timestamp keeps its pose.
  /// - Returns: How many were moved.
  package func correct(_ frames: inout [Capture.DepthFrame]) -> Int {
    var count = 0
    for index in frames.indices {
      guard let time = frames[index].timestamp, time.isFinite, let change = correction(at: time),
        change != .none
      else { continue }
      frames[index].pose = frames[index].pose.moved(by: change)
      count += 1
    }
    return count
  }

  /// Interpolated between frames; nil without any.
  ///
  /// - Parameter skipsOwn: Whether a frame at the time itself does not count.
  func correction(at time: Double, skipsOwn: Bool = false) -> PoseChange? {
    let own = corrections.firstIndex { $0.time >= time } ?? corrections.count
    let isOwn = skipsOwn && own < corrections.count && corrections[own].time == time
    let next = isOwn ? own + 1 : own
    guard own > 0, next < corrections.count else {
      return own > 0 ? corrections[own - 1].change : corrections.dropFirst(next).first?.change
    }
    let (before, after) = (corrections[own - 1], corrections[next])
    // Never zero: only the one after may be at the time itself.
    let part = (time - before.time) / (after.time - before.time)
    return PoseChange(
      rotation: before.change.rotation + part * (after.change.rotation - before.change.rotation),
      translation: before.change.translation
        + part * (after.change.translation - before.change.translation))
  }
}
