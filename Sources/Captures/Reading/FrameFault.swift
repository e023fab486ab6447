/// What makes a frame useless, for ``CaptureReadingContext/leaveOut(_:because:)``.
struct FrameFault: Error {
  /// The field and what is wrong with it: `it has no intrinsics`.
  var reason: String
  /// The file that it is about, which is named once for all frames with the same reason.
  var path: String?

  init(_ reason: String, at path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}
