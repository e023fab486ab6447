/// The frames of a scan: pictures with the cameras that took them.
///
/// Poses share the coordinate system of the scene that holds the capture. Pictures stay in their files
/// until somebody needs their pixels: hundreds of them do not fit into memory.
public struct Capture: Sendable, Equatable {
  public var frames: [Frame]
  /// Whether the capture or the user says which way is up in the world of the poses; else the scene's
  /// axes are a guess, as they are for reconstructions in arbitrary ones.
  public var saysUp = true

  public init(frames: [Frame] = []) {
    self.frames = frames
  }

  /// One picture with its camera.
  public struct Frame: Sendable, Equatable {
    /// Names the frame in messages and in what is exported; unique within a capture.
    public var name: String
    public var image: ImageSource
    /// Width and height of the image in pixels, in sensor orientation (landscape for ARKit).
    public var imageSize: SIMD2<Int>
    /// In pixels of an image of ``imageSize``, whatever size the source gave them for.
    public var intrinsics: Intrinsics
    public var distortion: Distortion
    /// Camera to world; the camera is right-handed, +X right, +Y up, and looks along −Z.
    ///
    /// Its determinant is 1 in a right-handed world and −1 in a left-handed one.
    public var pose: Transform
    public var depth: DepthSource?
    /// Seconds on the clock of the capture.
    public var timestamp: Double?
    public var exposure: Exposure?
    /// What the tracker of the phone thought of the pose; nil when the source does not say.
    public var tracking: Tracking?
    /// Where the picture departs from what pose and lens say; nil where that is not known.
    public var warp: ImageWarp?

    public init(
      name: String, image: ImageSource, imageSize: SIMD2<Int>, intrinsics: Intrinsics,
      distortion: Distortion = .none, pose: Transform, depth: DepthSource? = nil,
      timestamp: Double? = nil, exposure: Exposure? = nil, tracking: Tracking? = nil
    ) {
      self.name = name
      self.image = image
      self.imageSize = imageSize
      self.intrinsics = intrinsics
      self.distortion = distortion
      self.pose = pose
      self.depth = depth
      self.timestamp = timestamp
      self.exposure = exposure
      self.tracking = tracking
    }
  }

  /// Where the pixels of a frame are.
  public enum ImageSource: Sendable, Hashable {
    /// A file of a ``PictureKind`` that is read.
    case file(String)
    /// A picture of a video, counted from 0 in the order in which they are shown.
    case video(String, index: Int)

    /// The number of the picture in a video; nil for a file of its own.
    public var videoIndex: Int? {
      if case .video(_, index: let index) = self { index } else { nil }
    }

    /// The file.
    public var path: String {
      switch self {
      case .file(let path), .video(let path, index: _): path
      }
    }
  }

  /// Where the depth map of a frame is, and how its numbers are meant.
  ///
  /// A depth map shares the field of view of the frame's image, at a lower resolution. Depth is the
  /// distance from the plane of the camera, not along the ray.
  public struct DepthSource: Sendable, Hashable {
    public var path: String
    public var encoding: Encoding
    /// The file of confidences, and how they are numbered.
    public var confidence: Confidence?

    public init(path: String, encoding: Encoding, confidence: Confidence? = nil) {
      self.path = path
      self.encoding = encoding
      self.confidence = confidence
    }

    public enum Encoding: Sendable, Hashable {
      /// A 16-bit greyscale PNG, with this many metres for 1; 0 where nothing was measured.
      case png16(metersPerUnit: Double)
      /// Little-endian single-precision metres without a header, row by row.
      case float32(width: Int, height: Int)
      /// Metres in the channel of depths of an OpenEXR file, or in its only one.
      case exr
    }

    public struct Confidence: Sendable, Hashable {
      /// An 8-bit greyscale PNG.
      public var path: String
      /// The value of the file that stands for high confidence: 2 in ARKit, 255 in Polycam.
      public var highest: Int

      public init(path: String, highest: Int = 2) {
        self.path = path
        self.highest = highest
      }
    }
  }

  /// How long and how sensitive the sensor was exposed.
  public struct Exposure: Sendable, Equatable {
    /// Seconds.
    public var duration: Double?
    public var iso: Double?

    public init(duration: Double? = nil, iso: Double? = nil) {
      self.duration = duration
      self.iso = iso
    }
  }

  public enum Tracking: String, Sendable, CaseIterable {
    case normal, limited, unavailable
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

    /// The same projection onto an image of another size, for the same field of view.
    public func scaled(from old: SIMD2<Int>, to new: SIMD2<Int>) -> Intrinsics {
      let factor = SIMD2<Double>(new) / SIMD2<Double>(old)
      return Intrinsics(
        focalLength: focalLength * factor, principalPoint: principalPoint * factor)
    }
  }

  /// How a lens bends what a pinhole would see, on the plane at distance 1 with Y down (OpenCV's model).
  public enum Distortion: Sendable, Equatable {
    case none
    /// Brown and Conrady: radial numerator k1 k2 k3, radial denominator k4 k5 k6, tangential p1 p2.
    case radialTangential(
      numerator: SIMD3<Double>, denominator: SIMD3<Double>, tangential: SIMD2<Double>)
    /// Kannala and Brandt: θ(1 + k1θ² + k2θ⁴ + k3θ⁶ + k4θ⁸).
    case fisheye(SIMD4<Double>)
  }
}
