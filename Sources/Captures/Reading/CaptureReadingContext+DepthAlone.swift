import MeshPipeline

extension CaptureReadingContext {
  /// The depth map of a frame whose image is unexpectedly missing, with a warning.
  ///
  /// - Throws: The reason, if there is no depth map either.
  func depthAlone(
    of frame: Capture.Frame, because reason: String, at path: String? = nil
  ) throws(FrameFault) -> Capture.DepthFrame {
    guard let depthFrame = frame.depthFrame else { throw FrameFault(reason, at: path) }
    note(frame.name, "\(reason); only its depth map is used")
    return depthFrame
  }
}
