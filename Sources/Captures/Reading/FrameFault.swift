/// What makes a frame useless, for ``CaptureReadingContext/leaveOut(_:because:)``.
struct FrameFault: Error {
  /// The field and what is wrong with it: `it has no intrinsics`.
  var reason: String

  init(_ reason: String) { self.reason = reason }
}
