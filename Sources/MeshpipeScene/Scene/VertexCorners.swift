/// The corners around each vertex, in one array (compressed sparse rows).
///
/// The corners of vertex `v` are `corners[offsets[v]..<offsets[v + 1]]`, in ascending order; the face
/// of a corner is `corner / 3`. Building it costs two passes over the indices.
public struct VertexCorners: Sendable {
  /// The start of each vertex's corners; one entry more than there are vertices.
  public let offsets: [UInt32]
  /// All corners, grouped by vertex.
  public let corners: [UInt32]

  /// Groups the corners of a mesh by vertex.
  ///
  /// - Parameter indices: Three vertices per face, each below `vertexCount`.
  public init(indices: [UInt32], vertexCount: Int) {
    offsets = rowOffsets(of: indices, rowCount: vertexCount)
    var next = offsets
    var corners = [UInt32](repeating: 0, count: indices.count)
    for corner in indices.indices {
      let vertex = Int(indices[corner])
      corners[Int(next[vertex])] = UInt32(truncatingIfNeeded: corner)
      next[vertex] += 1
    }
    self.corners = corners
  }

  /// Groups the corners of a mesh by vertex.
  public init(_ mesh: Mesh) {
    self.init(indices: mesh.indices, vertexCount: mesh.vertexCount)
  }

  /// The corners of a vertex, in ascending order.
  @inlinable
  public subscript(vertex: Int) -> ArraySlice<UInt32> {
    corners[Int(offsets[vertex])..<Int(offsets[vertex + 1])]
  }
}

/// The start of each row when elements are grouped by row: prefix sums, one entry more than rows.
func rowOffsets(of rows: [UInt32], rowCount: Int) -> [UInt32] {
  var offsets = [UInt32](repeating: 0, count: rowCount + 1)
  for row in rows { offsets[Int(row) + 1] += 1 }
  for row in 0..<rowCount { offsets[row + 1] += offsets[row] }
  return offsets
}
