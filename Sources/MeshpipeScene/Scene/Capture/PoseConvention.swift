/// The convention of the numbers of a pose, which differs between files.
public struct PoseConvention: Sendable, Equatable {
  /// The directions of a camera's axes.
  public enum Axes: String, Sendable, CaseIterable {
    /// +X right, +Y up, looks along −Z: ARKit's and OpenGL's.
    case openGL = "gl"
    /// +X right, +Y down, looks along +Z: OpenCV's and COLMAP's.
    case openCV = "cv"
  }

  /// The directions of the camera's axes.
  public var axes: Axes
  /// Whether the rotation is stored column by column.
  public var isByColumns: Bool
  /// Whether the pose maps the world to the camera.
  public var isWorldToCamera: Bool

  /// Creates a convention; by default ARKit's.
  public init(axes: Axes = .openGL, isByColumns: Bool = false, isWorldToCamera: Bool = false) {
    self.axes = axes
    self.isByColumns = isByColumns
    self.isWorldToCamera = isWorldToCamera
  }

  /// Reads `cv,w2c`: any of gl or cv, rows or columns, c2w or w2c; the default is ARKit's.
  ///
  /// - Returns: Nil for an unknown word, or two contradictory ones.
  public init?(text: String) {
    self.init()
    var topics: Set<Int> = []
    for word in text.split(separator: ",") {
      let topic: Int
      switch word {
      case "gl", "cv": (topic, axes) = (0, word == "gl" ? .openGL : .openCV)
      case "rows", "columns": (topic, isByColumns) = (1, word == "columns")
      case "c2w", "w2c": (topic, isWorldToCamera) = (2, word == "w2c")
      default: return nil
      }
      guard topics.insert(topic).inserted else { return nil }
    }
    guard !topics.isEmpty else { return nil }
  }

  /// The convention in the form read by ``init(text:)``.
  public var text: String {
    "\(axes.rawValue),\(isByColumns ? "columns" : "rows"),\(isWorldToCamera ? "w2c" : "c2w")"
  }

  /// All eight conventions.
  package static let all: [PoseConvention] = Axes.allCases.flatMap { axes in
    [false, true].flatMap { isByColumns in
      [false, true].map {
        PoseConvention(axes: axes, isByColumns: isByColumns, isWorldToCamera: $0)
      }
    }
  }

  /// A camera's pose in meshpipe's convention from the numbers of a file.
  package func cameraToWorld(_ numbers: Transform) -> Transform {
    var pose = isByColumns ? numbers.withTransposedRotation : numbers
    if isWorldToCamera { pose = pose.rigidInverse }
    return axes == .openCV ? pose.withTurnedCamera : pose
  }

  /// The numbers of a file in this convention for a pose in meshpipe's.
  package func numbers(for cameraToWorld: Transform) -> Transform {
    var pose = axes == .openCV ? cameraToWorld.withTurnedCamera : cameraToWorld
    if isWorldToCamera { pose = pose.rigidInverse }
    return isByColumns ? pose.withTransposedRotation : pose
  }
}

extension Transform {
  /// The same with the camera's Y and Z negated.
  fileprivate var withTurnedCamera: Transform {
    Transform(x: x, y: -y, z: -z, translation: translation)
  }

  fileprivate var withTransposedRotation: Transform {
    Transform(
      x: SIMD3(x.x, y.x, z.x), y: SIMD3(x.y, y.y, z.y), z: SIMD3(x.z, y.z, z.z),
      translation: translation)
  }

  /// The inverse of a rotation with a translation.
  fileprivate var rigidInverse: Transform {
    var result = withTransposedRotation
    result.translation = .zero
    result.translation = -result.apply(toVector: translation)
    return result
  }
}
