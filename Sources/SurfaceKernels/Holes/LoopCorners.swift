import MeshpipeScene

/// The corners around each vertex of the loops of holes, and of no other vertex.
struct LoopCorners: Sendable {
  private let vertices: RankedSet
  /// Where the corners of each vertex end, by rank.
  private let ends: [UInt32]
  private let corners: [UInt32]

  /// - Parameter loops: The corners at which their halfedges start.
  init(of loops: [[Int]], in mesh: Mesh) {
    let indices = mesh.indices
    let vertices = RankedSet(below: mesh.vertexCount) { insert in
      for corner in loops.joined() { insert(indices[corner]) }
    }
    // First the number of corners of each vertex, then where they begin, and finally where they end.
    var ends = [UInt32](repeating: 0, count: loops.reduce(0) { $0 + $1.count })
    for vertex in indices where vertices.contains(vertex) { ends[vertices.rank(of: vertex)] += 1 }
    var count: UInt32 = 0
    for rank in ends.indices { (ends[rank], count) = (count, count + ends[rank]) }
    var corners = [UInt32](repeating: 0, count: Int(count))
    for (corner, vertex) in indices.enumerated() where vertices.contains(vertex) {
      let rank = vertices.rank(of: vertex)
      corners[Int(ends[rank])] = UInt32(truncatingIfNeeded: corner)
      ends[rank] += 1
    }
    self.vertices = vertices
    self.ends = ends
    self.corners = corners
  }

  /// The corners of a vertex of a loop, in ascending order.
  subscript(vertex: UInt32) -> ArraySlice<UInt32> {
    let rank = vertices.rank(of: vertex)
    return corners[(rank == 0 ? 0 : Int(ends[rank - 1]))..<Int(ends[rank])]
  }
}
