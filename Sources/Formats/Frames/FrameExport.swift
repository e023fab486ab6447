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
    var pictures = FramePictures(output, choice: copying, depths: depths)
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
    let rows = (0..<3).map { SIMD3(map.x[$0], map.y[$0], map.z[$0]) }
    return (Self.quaternion(rows), map.translation)
  }

  /// The quaternion of a rotation, computed from its largest component for accuracy.
  ///
  /// After Shepperd, *Quaternion from rotation matrix* (1978).
  private static func quaternion(_ m: [SIMD3<Double>]) -> [Double] {
    let trace = m[0].x + m[1].y + m[2].z
    let squares = [trace, m[0].x, m[1].y, m[2].z].map { 2 * $0 - trace + 1 }
    let largest = squares.indices.max { squares[$0] < squares[$1] } ?? 0
    let differences = [m[2].y - m[1].z, m[0].z - m[2].x, m[1].x - m[0].y]
    let sums = [m[2].y + m[1].z, m[0].z + m[2].x, m[1].x + m[0].y]
    let parts: [Double] =
      switch largest {
      case 0: [squares[0], differences[0], differences[1], differences[2]]
      case 1: [differences[0], squares[1], sums[2], sums[1]]
      case 2: [differences[1], sums[2], squares[2], sums[0]]
      default: [differences[2], sums[1], sums[0], squares[3]]
      }
    let sign: Double = parts[0] < 0 ? -1 : 1
    return parts.map { sign * $0 / (2 * squares[largest].squareRoot()) }
  }
}
