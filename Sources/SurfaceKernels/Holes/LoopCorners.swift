import MeshpipeScene

/// The corners around each vertex of the loops of holes, and of no other vertex.
struct LoopCorners: Sendable {
  private let vertices: RankedSet
  private let corners: [UInt32]
  /// The indices in ``corners``, by the rank of their vertex.
  private let places: VertexCorners

  /// - Parameter loops: The corners at which their halfedges start.
  init(of loops: [[Int]], in mesh: Mesh) {
    let indices = mesh.indices
    let vertices = RankedSet(below: mesh.vertexCount) { insert in
      for corner in loops.joined() { insert(indices[corner]) }
    }
    let corners = (0..<UInt32(indices.count)).filter { vertices.contains(indices[Int($0)]) }
    self.vertices = vertices
    self.corners = corners
    places = VertexCorners(
      indices: corners.map { UInt32(vertices.rank(of: indices[Int($0)])) },
      vertexCount: loops.reduce(0) { $0 + $1.count })
  }

  /// The corners of a vertex of a loop, in ascending order.
  subscript(vertex: UInt32) -> some Sequence<UInt32> {
    places[vertices.rank(of: vertex)].lazy.map { corners[Int($0)] }
  }
}
