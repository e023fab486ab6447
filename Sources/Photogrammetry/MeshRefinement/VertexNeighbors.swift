import MeshpipeScene

/// The neighbours of each vertex along edges, in one array (compressed sparse rows).
struct VertexNeighbors: Sendable {
  /// The start of each vertex's neighbours; one more entry than there are vertices.
  let starts: [UInt32]
  /// All neighbours, grouped by vertex and ascending.
  let neighbors: [UInt32]
  /// Whether a vertex is inside the surface: two faces meet at each of its edges.
  let isInner: [Bool]

  var count: Int { starts.count - 1 }

  /// - Parameter indices: Three vertices per face, all below `vertexCount`.
  init(indices: [UInt32], vertexCount: Int) {
    let around = VertexCorners(indices: indices, vertexCount: vertexCount)
    let parts = Parallel.mapChunks(of: vertexCount, chunkSize: 1 << 13) { vertices in
      Part(vertices, around, indices)
    }
    neighbors = Parallel.joined(parts.map(\.neighbors))
    isInner = parts.flatMap(\.isInner)
    var starts: [UInt32] = [0]
    starts.reserveCapacity(vertexCount + 1)
    var sum: UInt32 = 0
    for count in parts.lazy.map(\.counts).joined() {
      sum += count
      starts.append(sum)
    }
    self.starts = starts
  }

  /// The indices of a vertex's neighbours in the list of all vertices' neighbours.
  @inline(__always)
  func places(of vertex: Int) -> Range<Int> { Int(starts[vertex])..<Int(starts[vertex + 1]) }

  /// The neighbours of a range of vertices.
  private struct Part: Sendable {
    var counts: [UInt32] = []
    var neighbors: [UInt32] = []
    var isInner: [Bool] = []

    init(_ vertices: Range<Int>, _ around: VertexCorners, _ indices: [UInt32]) {
      var ends: [UInt32] = []
      for vertex in vertices {
        ends.removeAll(keepingCapacity: true)
        for corner in around[vertex] {
          for other in [nextCorner(Int(corner)), previousCorner(Int(corner))]
          where indices[other] != vertex { ends.append(indices[other]) }
        }
        ends.sort()
        append(ends)
      }
    }

    /// Adds a vertex: each neighbour is named once for each face at the edge to it.
    private mutating func append(_ ends: [UInt32]) {
      let first = neighbors.count
      var isInner = !ends.isEmpty
      var index = 0
      while index < ends.count {
        let end = ends[index]
        var faces = 0
        while index < ends.count, ends[index] == end { (index, faces) = (index + 1, faces + 1) }
        neighbors.append(end)
        if faces != 2 { isInner = false }
      }
      counts.append(UInt32(truncatingIfNeeded: neighbors.count - first))
      self.isInner.append(isInner)
    }
  }
}
