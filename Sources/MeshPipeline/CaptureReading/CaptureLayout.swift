import MeshpipeScene

/// The folder structure in which an app or a tool stores a capture.
///
/// One layout is one file, or one folder; the list of built-in ones is the only shared line.
/// Readers convert to meshpipe's conventions: see ``Capture/Frame``.
package protocol CaptureLayout: Sendable {
  /// The name for messages: `polycam`.
  static var id: String { get }
  /// What writes such folders, in one sentence.
  static var summary: String { get }
  /// The names of files that identify a whole capture when given by the user: `transforms.json`.
  static var indexNames: [String] { get }
  /// The capture's usual paths in the folder that users name and that contains its mesh: `sparse/0`.
  static var usualFolders: [String] { get }

  /// Whether a folder has this layout, judged by its names and, at most, one small file.
  static func isPresent(in folder: CaptureFolder) -> Bool

  /// The missing file or folder that keeps a similar folder from being this layout: `rgb.mp4`; nil
  /// if the folder is not similar.
  static func missingName(in folder: CaptureFolder) -> String?

  /// The paths of the scan's own meshes, in the axes of the capture's poses.
  ///
  /// Apps store several of one scan; the first is taken where nothing is measured.
  static func meshPaths(in folder: CaptureFolder) -> [String]

  /// Reads cameras and file names, no pixels.
  ///
  /// Cameras and images are validated later for all layouts; a reader only skips frames that it
  /// can't interpret, with ``CaptureReadingContext/leaveOut(_:because:at:)``.
  /// - Throws: A ``UserError`` that names the file and the location in it.
  static func read(_ folder: CaptureFolder, in context: CaptureReadingContext) throws
    -> CapturedScan
}

extension CaptureLayout {
  package static var indexNames: [String] { [] }

  package static var usualFolders: [String] { [] }

  package static func missingName(in folder: CaptureFolder) -> String? { nil }

  /// The first of the scan's own meshes; nil if there is none.
  package static func meshPath(in folder: CaptureFolder) -> String? { meshPaths(in: folder).first }
}

/// The contents of a capture folder.
package struct CapturedScan: Sendable {
  /// The frames, with poses in ``coordinateSystem``.
  package var capture: Capture
  /// The axes and unit of the poses; nil if they are those of the scan's mesh.
  package var coordinateSystem: CoordinateSystem?
  /// The pose convention of the files.
  package var convention: PoseConvention
  /// The names of frames whose pose was stored column by column, as its numbers show, and was
  /// transposed.
  package var framesByColumns: Set<String> = []
  /// Width and height of the videos that were opened, by path.
  package var videoSizes: [String: SIMD2<Int>] = [:]
  /// World transforms that may have been applied to the mesh but not to the poses; fitting to the
  /// mesh decides.
  package var worlds: [World] = []
  /// Where the poses were found to be, if files of the capture declare how they were moved.
  package var settledWorld: SettledWorld?
  /// The map from the files' world to the current world of the poses.
  package private(set) var placement = Transform.identity

  /// The world that was chosen among those which files declare, and why.
  package struct SettledWorld: Sendable, Equatable {
    /// As in ``World/name``.
    package var name: String
    /// What was measured; nil where nothing shows the world, so that the declared one is assumed.
    package var reason: String?

    package init(name: String, reason: String?) {
      self.name = name
      self.reason = reason
    }
  }

  /// An alternative world of the mesh.
  package struct World: Sendable, Equatable {
    /// For the report, after "the world": `before applied_transform`.
    package var name: String
    /// The map from the world of the poses.
    package var transform: Transform
    /// The axes and unit of the poses in this world; nil if they are those of the mesh.
    package var coordinateSystem: CoordinateSystem?
    /// How files of the capture declare the world; nil for a guess.
    package var declared: Declaration?
    /// The length of a metre of the depth maps in this world, in its unit.
    package var lengthOfMeter: Double

    /// The kinds of worlds that files declare.
    package enum Declaration: Sendable, Equatable {
      /// The one in which the capture was recorded.
      case original
      /// One into which a program moved it.
      case derived
    }

    package init(
      name: String, transform: Transform, coordinateSystem: CoordinateSystem? = nil,
      declared: Declaration? = nil, lengthOfMeter: Double = 1
    ) {
      self.name = name
      self.transform = transform
      self.coordinateSystem = coordinateSystem
      self.declared = declared
      self.lengthOfMeter = lengthOfMeter
    }
  }

  package init(
    capture: Capture, coordinateSystem: CoordinateSystem? = .arkit,
    convention: PoseConvention = PoseConvention()
  ) {
    self.capture = capture
    self.coordinateSystem = coordinateSystem
    self.convention = convention
  }

  /// Converts the cameras to the axes and unit of the mesh.
  ///
  /// Poses without axes and unit are assumed to use the coordinates of the mesh's file. They may
  /// also have its axes in metres, ARKit's axes, or Z up as in nerfstudio and Blender; fitting to
  /// the mesh decides.
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
          coordinateSystem: system, declared: world.declared, lengthOfMeter: world.lengthOfMeter)
      }
    }
  }

  /// Transforms the cameras to another world.
  package mutating func move(by transform: Transform) {
    var scene = Scene(capture: capture)
    scene.apply(transform)
    if let moved = scene.capture { capture = moved }
    placement = transform * placement
    guard let back = transform.inverse else { return }
    for index in worlds.indices {
      worlds[index].transform = transform * worlds[index].transform * back
    }
  }

  /// Reinterprets the files' poses in another convention than the layout's.
  ///
  /// The storage order of ``framesByColumns`` is certain, and is kept.
  package mutating func reread(as other: PoseConvention) {
    for index in capture.frames.indices {
      let frame = capture.frames[index]
      capture.frames[index].pose = reread(frame.pose, of: frame.name, as: other)
    }
    for index in capture.depthFrames.indices {
      let frame = capture.depthFrames[index]
      capture.depthFrames[index].pose = reread(frame.pose, of: frame.name, as: other)
    }
    convention = other
  }

  private func reread(_ pose: Transform, of name: String, as other: PoseConvention) -> Transform {
    var (old, new) = (convention, other)
    if framesByColumns.contains(name) { (old.isByColumns, new.isByColumns) = (true, true) }
    return new.cameraToWorld(old.numbers(for: pose))
  }
}

/// Checks frames one by one, alike for all layouts.
package protocol FrameChecking: Sendable {
  /// The validated frame.
  ///
  /// Intrinsics are converted to the actual size of the image, and the pose is a rotation.
  /// - Parameter videoSizes: Width and height of the videos that were opened, by path.
  /// - Throws: When the frame can't be used; what is only unusual is a note to `context`.
  static func checked(
    _ frame: Capture.Frame, videoSizes: [String: SIMD2<Int>], in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.Frame

  /// The validated depth map without an image, likewise.
  static func checked(
    _ frame: Capture.DepthFrame, in context: CaptureReadingContext
  ) throws(FrameFault) -> Capture.DepthFrame

  /// Adds the masks that are found beside images or in them, and removes those that can't be used, with a note
  /// to `context`.
  static func addMasks(
    to capture: inout Capture, of folder: CaptureFolder, in context: CaptureReadingContext
  )
}

/// Compares frames with the mesh of their scan.
package protocol CaptureFitting: Sendable {
  /// Chooses the world in which the frames fit the mesh, corrects cameras that are off it, and removes frames that don't
  /// belong to it.
  ///
  /// - Parameters:
  ///   - scan: A capture with poses in the scene's axes and unit.
  ///   - scene: The scene with the mesh.
  ///   - path: The capture's path, for messages.
  ///   - misfits: What happens to frames that don't fit.
  /// - Throws: When the frames clearly don't fit the mesh, if misfits are refused.
  static func fit(
    _ scan: inout CapturedScan, to scene: Scene, path: String, misfits: Misfits,
    in context: CaptureReadingContext
  ) throws

  /// The share of the measured depths that lie on the surface of a scene; nil if none was measured.
  static func depthShare(on scene: Scene) -> Double?
}
