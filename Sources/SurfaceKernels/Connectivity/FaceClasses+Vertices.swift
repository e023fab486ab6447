package import MeshpipeScene

extension FaceClasses {
  /// Instead of a label, for vertices without one.
  package static let unknown = UInt16.max

  /// The label of a face whose vertices have some: what two of them say, or the first that is known.
  ///
  /// - Parameter labels: Of all vertices.
  /// - Returns: 0 if none is known.
  @inline(__always)
  package static func label(
    ofFaceWith vertices: (UInt32, UInt32, UInt32), _ labels: [UInt16]
  ) -> UInt16 {
    let (a, b, c) = (labels[Int(vertices.0)], labels[Int(vertices.1)], labels[Int(vertices.2)])
    if b == c, b != unknown { return b }
    return a != unknown ? a : b != unknown ? b : c != unknown ? c : 0
  }
}
