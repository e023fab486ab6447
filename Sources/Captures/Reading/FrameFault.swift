/// Why a frame can't be used, for ``CaptureReadingContext/leaveOut(_:because:)``.
struct FrameFault: Error {
  /// The field and the problem: `it has no intrinsics`.
  var reason: String
  /// The file concerned, which is named once for all frames with the same reason.
  var path: String?

  init(_ reason: String, at path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}
