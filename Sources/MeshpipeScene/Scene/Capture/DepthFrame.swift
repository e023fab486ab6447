extension Capture {
  /// A depth map with the camera that took it.
  ///
  /// Sensors measure depth more often than apps store images.
  public struct DepthFrame: Sendable, Equatable, Codable {
    /// Identifies the frame in messages; unique within a capture.
    public var name: String
    /// The source of the depths.
    public var depth: DepthSource
    /// Width and height in pixels of the images for which ``intrinsics`` are given, not of the depth map.
    public var imageSize: SIMD2<Int>
    /// In pixels of an image of ``imageSize``.
    public var intrinsics: Intrinsics
    /// The lens's deviation from the pinhole of ``intrinsics``.
    public var distortion: Distortion
    /// Camera to world, as in ``Frame/pose``.
    public var pose: Transform
    /// The number of the session that took it, as in ``Frame/session``.
    public var session = 0
    /// Time in seconds on the clock of the session.
    public var timestamp: Double?
    /// The phone's tracking state; nil if the source does not specify it.
    public var tracking: Tracking?
    /// The source's own record, as in ``Frame/record``.
    public var record: String?

    /// Creates a frame; what is not given is unknown.
    public init(
      name: String, depth: DepthSource, imageSize: SIMD2<Int>, intrinsics: Intrinsics,
      distortion: Distortion = .none, pose: Transform, timestamp: Double? = nil,
      tracking: Tracking? = nil
    ) {
      self.name = name
      self.depth = depth
      self.imageSize = imageSize
      self.intrinsics = intrinsics
      self.distortion = distortion
      self.pose = pose
      self.timestamp = timestamp
      self.tracking = tracking
    }
  }

  /// Whether there is a depth map.
  public var hasDepth: Bool { !depthFrames.isEmpty || frames.contains { $0.depth != nil } }

  /// All depth maps, of frames with and without an image, in the order of sessions, then of time, then of names.
  public var allDepthFrames: [DepthFrame] {
    func time(_ frame: DepthFrame) -> Double { frame.timestamp?.ifFinite ?? -.infinity }
    return (frames.compactMap(\.depthFrame) + depthFrames).sorted {
      ($0.session, time($0), $0.name) < ($1.session, time($1), $1.name)
    }
  }
}

extension Capture.Frame {
  /// The frame's depth map with its camera; nil if it has none.
  public var depthFrame: Capture.DepthFrame? {
    depth.map {
      var frame = Capture.DepthFrame(
        name: name, depth: $0, imageSize: imageSize, intrinsics: intrinsics,
        distortion: distortion, pose: pose, timestamp: timestamp, tracking: tracking)
      frame.session = session
      frame.record = record
      return frame
    }
  }
}

extension Double {
  /// The number; nil for infinity and NaN, such as a time that a file claims.
  package var ifFinite: Double? { isFinite ? self : nil }
}
