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
  /// Paths at which it lies in the folder that people name, and beside whose mesh it belongs: `sparse/0`.
  static var usualFolders: [String] { get }

  /// Whether a folder has this layout, by the names in it and, at most, a look into one small file.
  static func isPresent(in folder: CaptureFolder) -> Bool

  /// The file or folder for want of which a folder that looks like this layout is none: `rgb.mp4`; nil
  /// when it does not look like it.
  static func missingName(in folder: CaptureFolder) -> String?

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

  public static var usualFolders: [String] { [] }

  public static func missingName(in folder: CaptureFolder) -> String? { nil }
}

/// What a capture folder holds.
public struct CapturedScan: Sendable {
  public var capture: Capture
  /// The axes and unit of the poses; nil when they are those of the scan's mesh, whatever these are.
  public var coordinateSystem: CoordinateSystem?
  /// How the files gave the poses.
  public var convention: PoseConvention
  /// The names of frames whose pose was written by columns, as its numbers show, and turned in reading.
  public var framesByColumns: Set<String> = []
  /// Width and height of the pictures of videos that were looked into, by path.
  public var videoSizes: [String: SIMD2<Int>] = [:]
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
    /// The axes and unit that the poses are in then; nil when they are those of the mesh.
    public var coordinateSystem: CoordinateSystem?

    public init(
      name: String, transform: Transform, coordinateSystem: CoordinateSystem? = nil
    ) {
      self.name = name
      self.transform = transform
      self.coordinateSystem = coordinateSystem
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

  /// Carries the cameras to the axes and unit of the mesh.
  ///
  /// Poses that say nothing of theirs are numbers of the mesh's file. They may as well have its axes and
  /// be in metres, or be as ARKit gives them, or with Z up as nerfstudio and Blender do: that is for the
  /// mesh to decide.
  mutating func place(in mesh: CoordinateSystem, as reading: PoseReading) {
    coordinateSystem =
      reading.coordinateSystem(otherwise: coordinateSystem ?? mesh) ?? coordinateSystem
    if let coordinateSystem {
      if coordinateSystem != mesh { move(by: coordinateSystem.transform(to: mesh)) }
      return
    }
    let known = worlds
    var others = [mesh]
    for system in [mesh.reread(up: nil, metersPerUnit: 1), .arkit, .blender]
    where !others.contains(system) {
      others.append(system)
      let (name, transform) = ("\(system.up.rawValue) up, metres", system.transform(to: mesh))
      worlds.append(World(name: name, transform: transform, coordinateSystem: system))
      worlds += known.map { world in
        World(
          name: "\(world.name), \(name)", transform: transform * world.transform,
          coordinateSystem: system)
      }
    }
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
  ///
  /// Of ``framesByColumns`` the order of the numbers is certain, and stays.
  public mutating func reread(as other: PoseConvention) {
    for index in capture.frames.indices {
      var (old, new) = (convention, other)
      if framesByColumns.contains(capture.frames[index].name) {
        (old.isByColumns, new.isByColumns) = (true, true)
      }
      let numbers = old.numbers(for: capture.frames[index].pose)
      capture.frames[index].pose = new.cameraToWorld(numbers)
    }
    convention = other
  }
}

/// Compares frames with the mesh of their scan.
public protocol CaptureFitting: Sendable {
  /// Chooses the world in which the frames fit the mesh, and leaves out those that don't belong to it.
  ///
  /// - Parameters:
  ///   - scan: A capture with poses in the scene's axes and unit.
  ///   - scene: The scene with the mesh.
  ///   - path: The capture's, for messages.
  ///   - keepsMisfits: Whether frames that don't fit are used all the same.
  /// - Throws: When the frames clearly don't fit the mesh, unless misfits are kept.
  static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, keepsMisfits: Bool,
    in context: CaptureReadingContext
  ) throws
}
