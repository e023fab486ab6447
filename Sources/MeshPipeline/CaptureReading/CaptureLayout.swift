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
  /// What scenes may have of it, beside a mesh.
  static var brings: Set<SceneFeature> { get }

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

  package static var brings: Set<SceneFeature> { [.frames, .depthMaps] }

  package static func missingName(in folder: CaptureFolder) -> String? { nil }

  /// The first of the scan's own meshes; nil if there is none.
  package static func meshPath(in folder: CaptureFolder) -> String? { meshPaths(in: folder).first }
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

/// Why a frame can't be used, for ``CaptureReadingContext/leaveOut(_:because:at:)``.
package struct FrameFault: Error {
  /// The field and the problem: `it has no intrinsics`.
  package var reason: String
  /// The file concerned, which is named once for all frames with the same reason.
  package var path: String?

  package init(_ reason: String, at path: String? = nil) {
    self.reason = reason
    self.path = path
  }
}
