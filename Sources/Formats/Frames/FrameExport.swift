import MeshPipeline

/// The common parts of formats for the frames of a capture.
struct FrameExport {
  /// A frame with the data for its entry in the file.
  struct Entry {
    var frame: Capture.Frame
    /// The image path, relative to the file's folder.
    var imageName: String
    /// The depth map in a form the format supports; nil if there is none.
    var depthName: String?
    var confidenceName: String?
    var maskName: String?
  }

  let entries: [Entry]

  /// Validates the frames and writes images that belong next to the file.
  ///
  /// - Parameter depths: The depth maps that the format supports; nil for none.
  /// - Throws: ``UnwritableScene`` if there are no frames, ``UnwritableFrames`` if their poses are
  ///   not rotations.
  init(
    of scene: Scene, to output: OutputSet, as format: any WritableFormat.Type,
    copying: FramePictures.Choice, depths: FramePictures.Depths?, in context: WritingContext
  ) throws {
    let frames = scene.capture?.frames ?? []
    guard !frames.isEmpty else {
      throw UnwritableScene.nothingToWrite(format: format.name, holds: "frames of a capture")
    }
    guard scene.coordinateSystem.handedness == .right else {
      throw UnwritableFrames.leftHanded(format: format.name)
    }
    var pictures = FramePictures(
      output, choice: copying, depths: depths, isPrivate: context.isPrivate)
    var entries: [Entry] = []
    for (index, frame) in frames.enumerated() {
      try context.stage.checkCancellation()
      entries.append(try pictures.entry(for: frame, index: index))
    }
    self.entries = entries
  }
}

/// Why the frames of a scene can't be written.
enum UnwritableFrames: UserError {
  case leftHanded(format: String)

  var exitCode: ExitCode { .data }

  var message: String {
    switch self {
    case .leftHanded(let format):
      "\(format) requires right-handed poses, but the scene is left-handed: put a 'convert-axes' stage "
        + "with handedness=right before the output"
    }
  }
}

extension Capture.Frame {
  /// World to camera for a camera with Y down, looking along +Z: the quaternion w, x, y, z and the
  /// translation.
  var worldToCamera: (rotation: [Double], translation: SIMD3<Double>) {
    let rigid = Transform(
      x: pose.x.normalized, y: pose.y.normalized, z: pose.z.normalized,
      translation: pose.translation)
    let map = PoseConvention(axes: .openCV, isWorldToCamera: true).numbers(for: rigid)
    let turn = map.linear.quaternion
    return ([turn.w, turn.x, turn.y, turn.z], map.translation)
  }
}
