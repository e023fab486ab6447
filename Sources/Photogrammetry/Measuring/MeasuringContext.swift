package import MeshpipeBase

/// The caller of a measurement of a capture, which it informs while it works, and which may end it.
package protocol MeasuringContext: Cancellable {
  /// Warns the user of something suspicious that did not stop the measurement.
  func warn(_ message: String)
  /// Tells the user of a decision that needs no action.
  func advise(_ message: String)
}

/// The context of measurements that nothing ends, and whose warnings others have given.
struct SilentContext: MeasuringContext {
  func warn(_ message: String) {}
  func advise(_ message: String) {}
  func checkCancellation() {}
}
