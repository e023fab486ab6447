/// The frames of a scan: pictures with the cameras that took them.
///
/// Poses share the coordinate system of the scene that holds the capture.
public struct Capture: Sendable, Equatable {
  public var frames: [Frame]

  public init(frames: [Frame] = []) {
    self.frames = frames
  }

  /// One picture with its camera.
  public struct Frame: Sendable, Equatable {
    public var name: String
    /// Path of the image file.
    public var imagePath: String
    /// Width and height of the image in pixels, in sensor orientation (landscape for ARKit).
    public var imageSize: SIMD2<Int>
    public var intrinsics: Intrinsics
    /// Camera to world; the camera is right-handed, +X right, +Y up, and looks along −Z.
    ///
    /// Its determinant is 1 in a right-handed world and −1 in a left-handed one.
    public var pose: Transform

    public init(
      name: String, imagePath: String, imageSize: SIMD2<Int>, intrinsics: Intrinsics,
      pose: Transform
    ) {
      self.name = name
      self.imagePath = imagePath
      self.imageSize = imageSize
      self.intrinsics = intrinsics
      self.pose = pose
    }
  }

  /// The pinhole projection, in pixels of the frame's image with the origin at its top left corner.
  ///
  /// The centre of the first pixel is at (0.5, 0.5); readers convert from the other convention.
  public struct Intrinsics: Sendable, Equatable {
    public var focalLength: SIMD2<Double>
    public var principalPoint: SIMD2<Double>

    public init(focalLength: SIMD2<Double>, principalPoint: SIMD2<Double>) {
      self.focalLength = focalLength
      self.principalPoint = principalPoint
    }
  }
}
