extension Capture {
  /// A photograph of which it is not known where it was taken.
  ///
  /// It becomes a ``Frame`` when its pose is found.
  public struct Photograph: Sendable, Equatable, Codable {
    /// Identifies the photograph in messages, and the frame that is made of it; unique within a capture.
    public var name: String
    /// The file.
    public var path: String
    /// Width and height of the stored pixels.
    public var imageSize: SIMD2<Int>
    /// The device that took it, in words; empty if the file does not say.
    public var device = ""
    /// In pixels of an image of ``imageSize``; nil if the file does not say.
    public var focalLength: Double?
    /// The side of the stored image that was up.
    public var top = Side.top
    /// When it was taken, in seconds on the clock of its device; nil if the file does not say.
    public var timestamp: Double?
    /// Exposure time and sensitivity; nil if the file does not say.
    public var exposure: Exposure?

    /// Creates a photograph of which only file and size are known.
    public init(name: String, path: String, imageSize: SIMD2<Int>) {
      self.name = name
      self.path = path
      self.imageSize = imageSize
    }

    /// A side of the stored image.
    public enum Side: String, Sendable, Codable, CaseIterable {
      /// As the rows are stored, from the first to the last.
      case top, right, bottom, left

      /// The direction to this side in the camera's axes: +X right, +Y up.
      public var direction: SIMD2<Double> {
        switch self {
        case .top: SIMD2(0, 1)
        case .right: SIMD2(1, 0)
        case .bottom: SIMD2(0, -1)
        case .left: SIMD2(-1, 0)
        }
      }
    }
  }
}
