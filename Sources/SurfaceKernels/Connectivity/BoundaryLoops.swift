package import MeshpipeScene

/// The closed chains of edges with one face.
package struct BoundaryLoops {
  /// Each loop as the corners where its halfedges start, in the direction of the adjacent faces.
  ///
  /// A loop passes each vertex once: a border that touches itself is split into several loops.
  package private(set) var loops: [[Int]] = []

  /// Finds the loops; chains that end at an edge with more than two faces, or between
  /// inconsistently wound faces, are ignored.
  ///
  /// - Complexity: O(corners)
  package init(of mesh: Mesh, edges: Edges) {
    var isVisited = [Bool](repeating: false, count: mesh.cornerCount)
    let starts = edges.lazy.filter(\.isBoundary).map { Int(edges.halfedges[$0.places.lowerBound]) }
    for start in starts.sorted() where !isVisited[start] {
      var chain: [Int] = []
      var next: Int? = start
      while let corner = next, !isVisited[corner] {
        isVisited[corner] = true
        chain.append(corner)
        next = Self.nextBoundary(after: corner, mesh, edges)
      }
      if next == start { appendSimpleLoops(of: chain, mesh) }
    }
  }

  /// The boundary halfedge that starts where another ends, around the same fan of faces.
  private static func nextBoundary(after corner: Int, _ mesh: Mesh, _ edges: Edges) -> Int? {
    var outgoing = nextCorner(corner)
    while !edges.isBoundary(ofCorner: outgoing) {
      guard let opposite = edges.opposite(ofCorner: outgoing),
        mesh.indices[opposite] != mesh.indices[outgoing]
      else { return nil }
      outgoing = nextCorner(opposite)
    }
    return outgoing
  }

  /// Splits a closed chain where it returns to a vertex.
  private mutating func appendSimpleLoops(of chain: [Int], _ mesh: Mesh) {
    var path: [Int] = []
    var place: [UInt32: Int] = [:]
    for corner in chain {
      let vertex = mesh.indices[corner]
      if let first = place[vertex] {
        loops.append(Array(path[first...]))
        for left in path[first...] { place[mesh.indices[left]] = nil }
        path.removeSubrange(first...)
      }
      place[vertex] = path.count
      path.append(corner)
    }
    loops.append(path)
  }
}
