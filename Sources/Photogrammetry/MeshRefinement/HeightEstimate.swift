/// The height along its normal that the images give a vertex.
struct HeightEstimate: BitwiseCopyable, Sendable {
  /// The height over the vertex, in units of the scene.
  var height: Float
  /// The inverse variance of the height per area of surface, as far as noise of the images decides on it; 0 if they
  /// say nothing.
  var information: Float
  /// The length over which the images differ by about half a pixel.
  var step: Float

  static let nothing = HeightEstimate(height: 0, information: 0, step: 1)
}
