extension Capture {
  /// Where a capture was read, and what its source holds that no frame has a field for.
  ///
  /// With it a capture can be written whole again. Paths are relative to ``folder``.
  public struct Origin: Sendable, Equatable, Codable {
    /// The folder of the capture.
    public var folder: String
    /// The identifier of the layout: `frames-bundle`.
    public var layout: String
    /// The text of the file that describes the capture, a JSON object; nil if there is none.
    public var manifest: String?
    /// Files beside frames and mesh: sound, motion, position and air pressure, reference pictures.
    public var attachments: [String] = []
    /// The files of the mesh, the one that was read first; empty if it is not in the folder.
    public var meshFiles: [String] = []
    /// Whether the scene's surface is the mesh that the app stored with the capture, and nothing else.
    public var hasOwnMesh = false
    /// The number of frames with an image that were read.
    public var frameCount = 0
    /// The number of frames with a depth map that is not read.
    public var unreadDepthCount = 0
    /// What the camera held constant.
    public var locks = Locks()
    /// How it was recorded; nil if the source does not tell.
    public var recipe: Recipe?

    /// Creates the origin of a capture of which only the place is known.
    public init(folder: String, layout: String) {
      self.folder = folder
      self.layout = layout
    }
  }

  /// What the camera held constant during a capture; nil where the source does not tell.
  public struct Locks: Sendable, Equatable, Codable {
    /// Exposure time and sensitivity.
    public var exposure: Bool?
    /// The distance of focus, on which the focal length depends.
    public var focus: Bool?
    /// The colour of the light that counts as white.
    public var whiteBalance: Bool?

    /// Creates locks of which nothing is known.
    public init() {}
  }
}
