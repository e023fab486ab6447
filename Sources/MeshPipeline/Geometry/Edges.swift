/// The edges of a mesh with the faces at each of them, in flat arrays.
///
/// The halfedge of corner `3 * face + i` runs from that corner's vertex to the next one of the face;
/// an edge joins all halfedges between the same two vertices, in either direction. One is a
/// *boundary* edge, two a regular edge, more a *non-manifold* edge. A halfedge that begins and ends
/// at one vertex (a degenerate face) belongs to no edge. Edges are ordered by lower, then higher
/// vertex.
public struct Edges: Sendable {
  /// The lower and the higher vertex of each edge: entries `2 * edge` and `2 * edge + 1`.
  public let vertices: [UInt32]
  /// Where the halfedges of each edge begin; one entry more than there are edges.
  public let offsets: [UInt32]
  /// All halfedges by the corner where they start, grouped by edge, ascending within an edge.
  public let halfedges: [UInt32]
  /// The edge of each corner's halfedge, or ``none``.
  public let edgeOfCorner: [UInt32]

  /// In place of an edge or a corner that does not exist.
  public static let none = UInt32.max

  public init(_ mesh: Mesh) {
    self.init(indices: mesh.indices, vertexCount: mesh.vertexCount)
  }

  /// Finds the edges.
  ///
  /// - Parameter indices: Three vertices per face, each below `vertexCount`.
  /// - Complexity: O(corners), as long as no vertex has very many edges.
  public init(indices: [UInt32], vertexCount: Int) {
    // Group the halfedges by their lower vertex, then order each small group by the higher one.
    var lower: [UInt32] = []
    lower.reserveCapacity(indices.count)
    for corner in indices.indices {
      lower.append(min(indices[corner], indices[nextCorner(corner)]))
    }
    let groups = rowOffsets(of: lower, rowCount: vertexCount)
    var next = groups
    /// The higher vertex in the upper half, the corner in the lower: orders by vertex, then corner.
    var keys = [UInt64](repeating: 0, count: indices.count)
    for corner in indices.indices {
      let group = Int(lower[corner])
      let higher = max(indices[corner], indices[nextCorner(corner)])
      keys[Int(next[group])] = UInt64(higher) << 32 | UInt64(corner)
      next[group] += 1
    }

    var vertices: [UInt32] = []
    vertices.reserveCapacity(indices.count)
    var offsets: [UInt32] = []
    offsets.reserveCapacity(indices.count / 2 + 1)
    var halfedges: [UInt32] = []
    halfedges.reserveCapacity(indices.count)
    var edgeOfCorner = [UInt32](repeating: Self.none, count: indices.count)
    for vertex in 0..<vertexCount {
      let group = Int(groups[vertex])..<Int(groups[vertex + 1])
      keys.sortRange(group)
      var previous = UInt32(truncatingIfNeeded: vertex)  // equal ends are no edge
      for key in keys[group] {
        let higher = UInt32(key >> 32)
        guard higher != vertex else { continue }
        if higher != previous {
          previous = higher
          vertices.append(UInt32(truncatingIfNeeded: vertex))
          vertices.append(higher)
          offsets.append(UInt32(truncatingIfNeeded: halfedges.count))
        }
        let corner = UInt32(truncatingIfNeeded: key)
        edgeOfCorner[Int(corner)] = UInt32(truncatingIfNeeded: offsets.count - 1)
        halfedges.append(corner)
      }
    }
    offsets.append(UInt32(truncatingIfNeeded: halfedges.count))
    self.vertices = vertices
    self.offsets = offsets
    self.halfedges = halfedges
    self.edgeOfCorner = edgeOfCorner
  }

  /// The number of edges.
  public var count: Int { offsets.count - 1 }

  /// The lower and the higher vertex of an edge.
  public func vertices(of edge: Int) -> (UInt32, UInt32) {
    (vertices[2 * edge], vertices[2 * edge + 1])
  }

  /// The halfedges of an edge, each by the corner where it starts, ascending.
  public func halfedges(of edge: Int) -> ArraySlice<UInt32> {
    halfedges[Int(offsets[edge])..<Int(offsets[edge + 1])]
  }

  /// The number of halfedges of an edge: 1 at a boundary, 2 inside, more where it is not manifold.
  public func valence(of edge: Int) -> Int { Int(offsets[edge + 1] - offsets[edge]) }

  /// Whether an edge has a face on one side only.
  public func isBoundary(_ edge: Int) -> Bool { valence(of: edge) == 1 }

  /// The edges with a face on one side only.
  public var boundaryEdges: [Int] { (0..<count).filter { isBoundary($0) } }

  /// The edges with more than two faces.
  public var nonManifoldEdges: [Int] { (0..<count).filter { valence(of: $0) > 2 } }

  /// The one other halfedge at the edge of a corner's halfedge, by the corner where it starts.
  ///
  /// Nil at a boundary and where more than two meet. It may run in the same direction, when the two
  /// faces are wound differently.
  public func opposite(ofCorner corner: Int) -> Int? {
    let edge = edgeOfCorner[corner]
    guard edge != Self.none, valence(of: Int(edge)) == 2 else { return nil }
    let first = Int(offsets[Int(edge)])
    let one = Int(halfedges[first])
    return one == corner ? Int(halfedges[first + 1]) : one
  }
}

/// The next corner of the same face.
@inlinable
public func nextCorner(_ corner: Int) -> Int { corner % 3 == 2 ? corner - 2 : corner + 1 }

/// The previous corner of the same face.
@inlinable
public func previousCorner(_ corner: Int) -> Int { corner % 3 == 0 ? corner + 2 : corner - 1 }

extension [UInt64] {
  /// Sorts a part of the array in place, which is mostly a handful of elements.
  fileprivate mutating func sortRange(_ range: Range<Int>) {
    guard range.count <= 24 else { return self[range].sort() }
    for end in range.dropFirst() {
      let value = self[end]
      var place = end
      while place > range.lowerBound, self[place - 1] > value {
        self[place] = self[place - 1]
        place -= 1
      }
      self[place] = value
    }
  }
}
