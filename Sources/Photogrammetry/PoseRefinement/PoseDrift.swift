package import MeshpipeScene

/// The errors of a capture's poses over time, as its refined frames show them.
///
/// A phone tracks its position continuously, so that errors grow and vanish slowly: a frame without
/// an image of its own is off by nearly what the frames before and after it in the same session are.
package struct PoseDrift {
  /// In ascending order of time, with the correction of the camera then.
  private let corrections: [(time: SessionTime, change: PoseChange)]

  /// Compares recorded poses with refined ones.
  ///
  /// Frames without a timestamp tell nothing.
  package init(of frames: [(recorded: Capture.Frame, refined: Transform)]) {
    self.init(
      frames.compactMap { frame, pose in
        guard let time = SessionTime(frame.timestamp, session: frame.session) else { return nil }
        return (time, PoseChange(from: frame.pose, to: pose))
      })
  }

  init(_ corrections: [(time: SessionTime, change: PoseChange)]) {
    self.corrections = corrections.sorted { $0.time < $1.time }
  }

  /// Corrects the cameras of depth maps.
  ///
  /// Between two frames, corrections are interpolated linearly; before the first and after the last
  /// one of a session theirs count. A depth map without a timestamp keeps its pose.
  /// - Returns: How many were moved.
  package func correct(_ frames: inout [Capture.DepthFrame]) -> Int {
    var count = 0
    for index in frames.indices {
      guard let time = SessionTime(frames[index].timestamp, session: frames[index].session),
        let change = correction(at: time),
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
  func correction(at time: SessionTime, skipsOwn: Bool = false) -> PoseChange? {
    let own = corrections.firstIndex { $0.time >= time } ?? corrections.count
    let isOwn = skipsOwn && own < corrections.count && corrections[own].time == time
    func ofSession(_ index: Int) -> (time: SessionTime, change: PoseChange)? {
      guard corrections.indices.contains(index), corrections[index].time.session == time.session
      else { return nil }
      return corrections[index]
    }
    let (last, next) = (ofSession(own - 1), ofSession(isOwn ? own + 1 : own))
    guard let before = last, let after = next else { return (last ?? next)?.change }
    // Never zero: only the one after may be at the time itself.
    let part =
      (time.seconds - before.time.seconds) / (after.time.seconds - before.time.seconds)
    return PoseChange(
      rotation: before.change.rotation + part * (after.change.rotation - before.change.rotation),
      translation: before.change.translation
        + part * (after.change.translation - before.change.translation))
  }
}

/// When a frame was taken: sessions have clocks of their own, and each drifts by itself.
struct SessionTime: Sendable, Comparable {
  var session = 0
  /// Finite, on the clock of the session.
  var seconds: Double

  static func < (left: SessionTime, right: SessionTime) -> Bool {
    (left.session, left.seconds) < (right.session, right.seconds)
  }
}

extension SessionTime {
  /// Nil without a finite time.
  init?(_ seconds: Double?, session: Int) {
    guard let seconds, seconds.isFinite else { return nil }
    self.init(session: session, seconds: seconds)
  }
}
