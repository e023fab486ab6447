package import MeshpipeScene
import NativeLibraries

/// All meshes of a scene as one welded surface for the frames of a capture to observe.
///
/// Scanners export pieces whose borders coincide; welding makes their vertices neighbours.
package struct ObservedSurface: Sendable {
  /// Vertices at distinct positions.
  package let positions: [Vector3]
  /// Area-weighted normals of the vertices.
  package let normals: [Vector3]
  /// Three vertices per face; all faces of all meshes, in order.
  package let indices: [UInt32]
  let tracer: RayTracer
  /// The unit of the positions.
  package let scale: MetricScale

  var faceCount: Int { indices.count / 3 }

  /// Joins the meshes of a scene and builds the bounding volume hierarchy for rays.
  package init(_ scene: borrowing Scene) throws {
    let (positions, indices) = scene.meshes.joinedSurface
    try self.init(
      positions: positions, indices: indices,
      scale: MetricScale(scene.coordinateSystem))
  }

  /// - Parameter indices: All less than the number of positions.
  init(positions: [Vector3], indices: [UInt32], scale: MetricScale = .meters) throws {
    let (firstPoints, vertices) = PositionWelder.weld(positions)
    self.positions = firstPoints.map { positions[Int($0)] }
    self.indices = indices.map { vertices[Int($0)] }
    normals = Self.normals(self.positions, self.indices)
    tracer = try RayTracer(positions: self.positions, indices: self.indices)
    self.scale = scale
  }

  private static func normals(_ positions: [Vector3], _ indices: [UInt32]) -> [Vector3] {
    var sums = [Vector3](repeating: .zero, count: positions.count)
    for corner in stride(from: 0, to: indices.count - 2, by: 3) {
      let (a, b, c) = (Int(indices[corner]), Int(indices[corner + 1]), Int(indices[corner + 2]))
      let origin = positions[a].simd
      let normal = (positions[b].simd - origin).cross(positions[c].simd - origin)
      sums[a].simd += normal
      sums[b].simd += normal
      sums[c].simd += normal
    }
    return sums.map(\.normalized)
  }

  @inline(__always)
  func vertices(ofFace face: Int) -> (Int, Int, Int) {
    (Int(indices[3 * face]), Int(indices[3 * face + 1]), Int(indices[3 * face + 2]))
  }
}
