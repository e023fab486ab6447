/// Points without faces, with parallel attributes of the same length.
public struct PointCloud: Sendable, Equatable {
  /// Identifies the point cloud in messages and files; need not be unique.
  public var name: String
  /// In the units of the scene's coordinate system.
  public var positions: [Vector3]
  /// Unit normals.
  public var normals: [Vector3]?
  /// sRGB-encoded.
  public var colors: [Color]?
  /// ``colors`` as a file with 16 bits per channel has them; a point whose colour was changed since keeps only the new one.
  public var wideColors: [WideColor]?
  /// The sensor's confidence; ARKit's scale is 0 low, 1 medium, 2 high.
  public var confidences: [Float]?
  /// One label per point.
  public var classes: FaceClasses?
  /// Attributes of the file that meshpipe has no meaning for.
  public var attributes: [CustomAttribute] = []

  /// Creates a cloud without attributes.
  public init(name: String = "", positions: [Vector3] = []) {
    self.name = name
    self.positions = positions
  }

  /// The smallest box around the finite points.
  public var bounds: Box { Box(positions) }
}

extension PointCloud {
  /// Removes the points for which `keep` is false, with their attributes; the order stays.
  ///
  /// - Parameter keep: One entry per point.
  public mutating func keepPoints(_ keep: [Bool]) {
    precondition(keep.count == positions.count)
    guard keep.contains(false) else { return }
    positions.compact(keep)
    apply(KeptElements(keep: keep), to: .point)
  }

  /// A cloud of the given points, in the given order, with their attributes.
  public func selecting(points: [Int]) -> PointCloud {
    var result = self
    result.positions = points.map { positions[$0] }
    result.apply(ChosenElements(points.map { UInt32(truncatingIfNeeded: $0) }), to: .point)
    return result
  }
}
