/// The vertices that share an edge with each vertex: its one-ring, in one array (compressed rows).
public struct VertexNeighbors: Sendable {
  /// Where the neighbours of each vertex begin; one entry more than there are vertices.
  public let offsets: [UInt32]
  /// All neighbours, grouped by vertex, ascending within a vertex, each once.
  public let neighbors: [UInt32]

  public init(_ mesh: Mesh) {
    self.init(Edges(mesh), vertexCount: mesh.vertexCount)
  }

  /// Gathers the neighbours from the edges of a mesh.
  public init(_ edges: Edges, vertexCount: Int) {
    offsets = rowOffsets(of: edges.vertices, rowCount: vertexCount)
    var next = offsets
    var neighbors = [UInt32](repeating: 0, count: edges.vertices.count)
    func add(_ neighbor: UInt32, to vertex: UInt32) {
      neighbors[Int(next[Int(vertex)])] = neighbor
      next[Int(vertex)] += 1
    }
    // Edges ascend by lower, then higher vertex: first all lower neighbours, then all higher ones.
    for edge in 0..<edges.count {
      let (lower, higher) = edges.vertices(of: edge)
      add(lower, to: higher)
    }
    for edge in 0..<edges.count {
      let (lower, higher) = edges.vertices(of: edge)
      add(higher, to: lower)
    }
    self.neighbors = neighbors
  }

  /// The neighbours of a vertex, ascending.
  public subscript(vertex: Int) -> ArraySlice<UInt32> {
    neighbors[Int(offsets[vertex])..<Int(offsets[vertex + 1])]
  }
}
