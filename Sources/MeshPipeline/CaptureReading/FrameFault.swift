/// Why a frame can't be used, for ``CaptureReadingContext/leaveOut(_:because:at:)``.
package struct FrameFault: Error {
  /// The field and the problem: `it has no intrinsics`.
  package var reason: String
  /// The file concerned, which is named once for all frames with the same reason.
  package var path: String?

  package init(_ reason: String, at path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}
