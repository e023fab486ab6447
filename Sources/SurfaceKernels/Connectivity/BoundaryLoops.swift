package import MeshpipeScene

/// The closed chains of edges with one face.
package struct BoundaryLoops: Sendable {
  /// Each loop as the corners where its halfedges start, in the direction of the adjacent faces.
  ///
  /// A loop passes each vertex once: a border that touches itself is split into several loops.
  package private(set) var loops: [[Int]] = []
  /// The loops along which faces are wound both ways, so that some of the halfedges run against the others.
  package private(set) var mixedLoops: [[Int]] = []

  /// Finds the loops; chains that end at an edge with more than two faces are ignored.
  ///
  /// - Complexity: O(corners)
  package init(of mesh: Mesh, edges: Edges) {
    var isVisited = [Bool](repeating: false, count: mesh.cornerCount)
    let starts = edges.lazy.filter(\.isBoundary).map { Int(edges.halfedges[$0.places.lowerBound]) }
    for start in starts.sorted() where !isVisited[start] {
      var chain: [Step] = []
      var next: Step? = Step(corner: start, isForward: true)
      while let step = next, !isVisited[step.corner] {
        isVisited[step.corner] = true
        chain.append(step)
        next = step.next(mesh.indices, edges)
      }
      if next?.corner == start { appendSimpleLoops(of: chain, mesh.indices) }
    }
  }

  /// A boundary edge of a chain.
  private struct Step {
    /// Where its halfedge starts.
    var corner: Int
    /// Whether the chain runs in the direction of the halfedge.
    var isForward: Bool

    /// The vertex from which the chain comes.
    func origin(_ indices: [UInt32]) -> UInt32 {
      indices[isForward ? corner : nextCorner(corner)]
    }

    /// The boundary edge after this one, around the same fan of faces.
    func next(_ indices: [UInt32], _ edges: Edges) -> Step? {
      // The corner of the fan's faces at the vertex that they share, and whether the face is left by the halfedge that
      // starts there rather than by the one that ends there.
      var pivot = isForward ? nextCorner(corner) : corner
      var leavesByOutgoing = isForward
      while true {
        let side = leavesByOutgoing ? pivot : previousCorner(pivot)
        if edges.isBoundary(ofCorner: side) {
          return Step(corner: side, isForward: leavesByOutgoing)
        }
        guard let opposite = edges.opposite(ofCorner: side),
          indices[opposite] != indices[nextCorner(opposite)]
        else { return nil }
        let startsThere = indices[opposite] == indices[pivot]
        pivot = startsThere ? opposite : nextCorner(opposite)
        leavesByOutgoing = !startsThere
      }
    }
  }

  /// Splits a closed chain where it returns to a vertex.
  private mutating func appendSimpleLoops(of chain: [Step], _ indices: [UInt32]) {
    var path: [Step] = []
    var index: [UInt32: Int] = [:]
    for step in chain {
      let vertex = step.origin(indices)
      if let first = index[vertex] {
        append(path[first...])
        for left in path[first...] { index[left.origin(indices)] = nil }
        path.removeSubrange(first...)
      }
      index[vertex] = path.count
      path.append(step)
    }
    append(path[...])
  }

  private mutating func append(_ loop: ArraySlice<Step>) {
    let corners = loop.map(\.corner)
    if loop.allSatisfy(\.isForward) {
      loops.append(corners)
    } else if loop.contains(where: \.isForward) {
      mixedLoops.append(corners)
    } else {
      loops.append(corners.reversed())
    }
  }
}
