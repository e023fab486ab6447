/// A way in which an app or a tool lays out a capture in a folder.
///
/// One layout is one file, or one folder of its own; the list of the built-in ones is the only shared
/// line. Readers convert to meshpipe's conventions: see ``Capture/Frame``.
public protocol CaptureLayout: Sendable {
  /// The name for messages: `polycam`.
  static var id: String { get }
  /// What writes such folders, in one sentence.
  static var summary: String { get }
  /// The names of files that stand for the whole capture when the user names one: `transforms.json`.
  static var indexNames: [String] { get }

  /// Whether a folder has this layout, by the names in it and, at most, a look into one small file.
  static func isPresent(in folder: CaptureFolder) -> Bool

  /// The path of the scan's own mesh, in the axes of the capture's poses; nil when there is none.
  static func meshPath(in folder: CaptureFolder) -> String?

  /// Reads cameras and names of files; no pixels.
  ///
  /// Cameras and pictures are looked over when all layouts are done; a reader only leaves out the
  /// frames that it can't make sense of, with ``CaptureReadingContext/leaveOut(_:because:)``.
  /// - Throws: A ``UserError`` that names the file and the place in it.
  static func read(_ folder: CaptureFolder, in context: CaptureReadingContext) throws
    -> CapturedScan
}

extension CaptureLayout {
  public static var indexNames: [String] { [] }

  public static func meshPath(in folder: CaptureFolder) -> String? { folder.usualMeshPath }
}

/// What a capture folder holds.
public struct CapturedScan: Sendable {
  public var capture: Capture
  /// The axes and unit of the poses; nil when they are those of the scan's mesh, whatever these are.
  public var coordinateSystem: CoordinateSystem?
  /// How the files gave the poses.
  public var convention: PoseConvention
  /// Maps of the world that may have been applied to the mesh and not to the poses; the mesh decides.
  public var worlds: [World] = []
  /// The map from the world of the files to that in which the poses are now.
  public private(set) var placement = Transform.identity

  /// Another world that the mesh may stand in.
  public struct World: Sendable, Equatable {
    /// For the report: `before applied_transform`.
    public var name: String
    /// From the world of the poses.
    public var transform: Transform

    public init(name: String, transform: Transform) {
      self.name = name
      self.transform = transform
    }
  }

  public init(
    capture: Capture, coordinateSystem: CoordinateSystem? = .arkit,
    convention: PoseConvention = PoseConvention()
  ) {
    self.capture = capture
    self.coordinateSystem = coordinateSystem
    self.convention = convention
  }

  /// Carries the cameras to another world.
  public mutating func move(by transform: Transform) {
    var scene = Scene(capture: capture)
    scene.apply(transform)
    if let moved = scene.capture { capture = moved }
    placement = transform * placement
    guard let back = transform.inverse else { return }
    for index in worlds.indices {
      worlds[index].transform = transform * worlds[index].transform * back
    }
  }

  /// Takes the numbers of the files' poses in another convention than the layout's.
  public mutating func reread(as other: PoseConvention) {
    for index in capture.frames.indices {
      let numbers = convention.numbers(for: capture.frames[index].pose)
      capture.frames[index].pose = other.cameraToWorld(numbers)
    }
    convention = other
  }
}

/// Compares frames with the mesh of their scan.
public protocol CaptureFitting: Sendable {
  /// Warns when the frames don't fit the mesh, and chooses the world that they fit it in.
  ///
  /// - Parameters:
  ///   - scan: A capture with poses in the scene's axes and unit.
  ///   - scene: The scene with the mesh.
  ///   - path: The capture's, for messages.
  static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, in context: CaptureReadingContext
  ) throws
}

/// A folder that may be a capture.
public struct CaptureFolder: Sendable {
  /// The path, without a slash at its end.
  public let path: String
  /// The names in the folder, sorted.
  public let names: [String]
  /// The name of the file in the folder that the user named as the capture; nil when it was the folder.
  public let fileName: String?
  private let nameSet: Set<String>

  public init(_ path: String, fileName: String? = nil) throws(FileError) {
    self.path = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    self.fileName = fileName
    names = try FileSystem.names(inFolder: self.path).sorted()
    nameSet = Set(names)
  }

  /// The path of a file in the folder.
  public func path(of name: String) -> String { path == "." ? name : "\(path)/\(name)" }

  /// Whether there is a file or folder of this name, which may be a path below the folder.
  public func has(_ name: String) -> Bool {
    if nameSet.contains(name) { return true }
    guard name.contains("/"), let status = try? FileSystem.status(of: path(of: name)) else {
      return false
    }
    return status.isFolder || status.isRegularFile
  }

  /// The names in the folder and in the folders in it.
  ///
  /// A file that is new among them may be a frame.
  public var deepNames: [String] {
    names.flatMap { name -> [String] in
      guard !name.contains("."), let inner = try? CaptureFolder(path(of: name)) else {
        return [name]
      }
      let below = inner.names.flatMap { child -> [String] in
        guard !child.contains("."),
          let names = try? FileSystem.names(inFolder: inner.path(of: child))
        else { return [child] }
        return [child] + names.map { "\(child)/\($0)" }
      }
      return [name] + below.map { "\(name)/\($0)" }
    }
  }

  /// The mesh that apps put beside their frames: one with classes first, then the finest.
  public var usualMeshPath: String? {
    let names = [
      "mesh.ply", "mesh.obj", "export_refined.obj", "export.obj", "textured_output.obj", "raw.glb",
      "mesh.glb", "scene.ply", "scene.obj",
    ]
    return names.first(where: has).map(path(of:))
  }
}
