/// Points without faces, with parallel attributes of the same length.
public struct PointCloud: Sendable, Equatable {
  public var name: String
  public var positions: [Vector3]
  public var normals: [Vector3]?
  public var colors: [Color]?
  public var confidences: [Float]?
  /// One label per point.
  public var classes: FaceClasses?

  public init(name: String = "", positions: [Vector3] = []) {
    self.name = name
    self.positions = positions
  }

  public var bounds: Box { Box(positions) }
}
