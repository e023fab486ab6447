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
