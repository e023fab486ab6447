/// The frames of a scan: images with the cameras that took them.
///
/// Poses use the coordinate system of the scene that contains the capture. Images stay in their
/// files until their pixels are needed, since hundreds of them do not fit into memory.
public struct Capture: Sendable, Equatable, Codable {
  /// In the order of the source.
  public var frames: [Frame]
  /// Depth maps without an image, in the order of the source.
  public var depthFrames: [DepthFrame]
  /// Images that have no pose yet, in the order of the source.
  public var photographs: [Photograph] = []
  /// Whether the capture or the user specifies the up axis of the poses.
  ///
  /// Otherwise the scene's axes are a guess, as for reconstructions in arbitrary axes.
  public var saysUp = true
  /// Where the capture was read; nil if it was made or joined.
  public var origin: Origin?
  /// The names of the sessions that the frames are of, by their numbers; empty if all are of one.
  public internal(set) var sessions: [String] = []

  /// Creates a capture.
  public init(frames: [Frame] = [], depthFrames: [DepthFrame] = []) {
    self.frames = frames
    self.depthFrames = depthFrames
  }

  /// One image with its camera.
  public struct Frame: Sendable, Equatable, Codable {
    /// Identifies the frame in messages and exports; unique within a capture.
    public var name: String
    /// The source of the pixels.
    public var image: ImageSource
    /// Width and height of the image in pixels, in sensor orientation (landscape for ARKit).
    public var imageSize: SIMD2<Int>
    /// In pixels of an image of ``imageSize``, whatever image size the source used.
    public var intrinsics: Intrinsics
    /// The lens's deviation from the pinhole of ``intrinsics``.
    public var distortion: Distortion
    /// Camera to world; the camera is right-handed, +X right, +Y up, and looks along −Z.
    ///
    /// Its determinant is 1 in a right-handed world and −1 in a left-handed one.
    public var pose: Transform
    /// The sensor's depth map; nil if there is none.
    public var depth: DepthSource?
    /// What of the image is not to be used: people, tripods, backgrounds.
    public var masks: [MaskSource] = []
    /// The number of the session that took it: sessions have clocks, and drift, of their own.
    public var session = 0
    /// Time in seconds on the clock of the session.
    public var timestamp: Double?
    /// Recorded exposure; nil if the source has none.
    public var exposure: Exposure?
    /// The phone's tracking state; nil if the source does not specify it.
    public var tracking: Tracking?
    /// The image's deviation from pose and lens model; nil if unknown.
    public var warp: ImageWarp?
    /// The source's own record of the frame, the text of a JSON object, with fields unknown to meshpipe.
    ///
    /// Its known fields are those of the source, whatever became of the frame since.
    public var record: String?

    /// Creates a frame; what is not given is unknown.
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

  /// The source of a frame's pixels.
  public enum ImageSource: Sendable, Hashable, Codable {
    /// A file in a readable format, such as JPEG, PNG or HEIC.
    case file(String)
    /// A frame of a video, counted from 0 in presentation order.
    case video(String, index: Int)

    /// The index in a video; nil for a separate file.
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

  /// The depth map of a frame, and the meaning of its values.
  ///
  /// A depth map shares the field of view of the frame's image, at a lower resolution. Depth is the
  /// distance from the plane of the camera, not along the ray.
  public struct DepthSource: Sendable, Hashable, Codable {
    /// The file of the depths.
    public var path: String
    /// The meaning of the file's values.
    public var encoding: Encoding
    /// The file of confidences, and their encoding.
    public var confidence: Confidence?
    /// The factor of all depths, beside the unit of the encoding.
    public var scale = 1.0
    /// What of the map is not to be used, as in ``Frame/masks``.
    public var masks: [MaskSource] = []
    /// What measured the depths, which tells how they may be wrong.
    public var origin = Origin.sensor

    /// Describes a depth map in a file.
    public init(path: String, encoding: Encoding, confidence: Confidence? = nil) {
      self.path = path
      self.encoding = encoding
      self.confidence = confidence
    }

    /// What measures depths.
    public enum Origin: String, Sendable, Hashable, Codable {
      /// A depth sensor: smooth, coarse, and off as a whole.
      case sensor
      /// Stereo over several photographs, with the sensor's depths where there is no texture: sharp, with outliers. High
      /// confidence is that of stereo, medium that of a sensor or of little texture.
      case photographs
    }

    /// The encodings of depths.
    public enum Encoding: Sendable, Hashable, Codable {
      /// A 16-bit greyscale PNG; 1 is this many metres, 0 where nothing was measured.
      case png16(metersPerUnit: Double)
      /// Little-endian single-precision metres without a header, row by row.
      case float32(width: Int, height: Int)
      /// Metres in the depth channel of an OpenEXR file, or in its only channel.
      case exr
      /// Metres in an array of NumPy (`.npy`), row by row, of integers or floating-point numbers.
      case npy
    }

    /// The sensor's confidence in each depth.
    public struct Confidence: Sendable, Hashable, Codable {
      /// An 8-bit greyscale PNG.
      public var path: String
      /// The value for high confidence: 2 in ARKit, 255 in Polycam.
      public var highest: Int

      /// Describes a file of confidences.
      public init(path: String, highest: Int = 2) {
        self.path = path
        self.highest = highest
      }
    }
  }

  /// Exposure time and sensitivity.
  public struct Exposure: Sendable, Equatable, Codable {
    /// Seconds.
    public var duration: Double?
    /// Sensitivity as an ISO number.
    public var iso: Double?

    /// Creates an exposure of which one value may be unknown.
    public init(duration: Double? = nil, iso: Double? = nil) {
      self.duration = duration
      self.iso = iso
    }
  }

  /// ARKit's tracking states.
  public enum Tracking: String, Sendable, CaseIterable, Codable {
    /// The names in ARKit's `ARCamera.TrackingState`.
    case normal, limited, unavailable
  }

  /// The pinhole projection, in pixels of the frame's image with the origin at its top left corner.
  ///
  /// The centre of the first pixel is at (0.5, 0.5); readers convert from the other convention.
  public struct Intrinsics: Sendable, Equatable, Codable {
    /// Horizontal and vertical, in pixels.
    public var focalLength: SIMD2<Double>
    /// In pixels from the top left corner.
    public var principalPoint: SIMD2<Double>

    /// Creates a projection from values in pixels.
    public init(focalLength: SIMD2<Double>, principalPoint: SIMD2<Double>) {
      self.focalLength = focalLength
      self.principalPoint = principalPoint
    }

    /// The same projection for an image of another size with the same field of view.
    public func scaled(from old: SIMD2<Int>, to new: SIMD2<Int>) -> Intrinsics {
      let factor = SIMD2<Double>(new) / SIMD2<Double>(old)
      return Intrinsics(
        focalLength: focalLength * factor, principalPoint: principalPoint * factor)
    }
  }

  /// Lens distortion on the plane at distance 1 with Y down (OpenCV's model).
  public enum Distortion: Sendable, Equatable, Codable {
    /// A pinhole.
    case none
    /// Brown and Conrady: radial numerator k1 k2 k3, radial denominator k4 k5 k6, tangential p1 p2.
    case radialTangential(
      numerator: SIMD3<Double>, denominator: SIMD3<Double>, tangential: SIMD2<Double>)
    /// Kannala and Brandt: θ(1 + k1θ² + k2θ⁴ + k3θ⁶ + k4θ⁸).
    case fisheye(SIMD4<Double>)
  }
}
