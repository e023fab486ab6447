/// The edges of a mesh with their faces, ordered by their lower, then higher vertex.
///
/// The halfedge of corner `3 * face + i` runs from that corner's vertex to the next one of the face;
/// an edge joins all halfedges between the same two vertices, in either direction. One is a
/// *boundary* edge, two a regular edge, more a *non-manifold* edge. A halfedge that begins and ends
/// at one vertex (a degenerate face) belongs to no edge.
///
/// Only the order of the halfedges is stored, twelve bytes per face and four per vertex; their ends
/// are looked up in the indices. Release it before the indices change, or they are copied.
public struct Edges: Sendable, Sequence {
  private let indices: [UInt32]
  /// Where the halfedges of each lower vertex begin; one entry more than there are vertices.
  private let groups: [UInt32]
  /// All halfedges by the corner where they start, grouped by edge, ascending within an edge.
  public let halfedges: [UInt32]

  /// The halfedges between two vertices.
  public struct Edge: Sendable {
    /// The vertex with the lower index.
    public let lower: UInt32
    /// The vertex with the higher index.
    public let higher: UInt32
    /// The range of its halfedges in ``Edges/halfedges``.
    public let places: Range<Int>

    /// The number of halfedges: 1 at a boundary, 2 inside, more if non-manifold.
    public var valence: Int { places.count }

    /// Whether it has only one face.
    public var isBoundary: Bool { valence == 1 }
  }

  /// Finds the edges of a mesh.
  public init(_ mesh: Mesh) {
    self.init(indices: mesh.indices, vertexCount: mesh.vertexCount)
  }

  /// Finds the edges.
  ///
  /// - Parameter indices: Three vertices per face, each below `vertexCount`.
  /// - Complexity: O(corners), as long as no vertex has very many edges.
  public init(indices: [UInt32], vertexCount: Int) {
    // Each group ends at the sum of the counts so far.
    var groups = [UInt32](repeating: 0, count: vertexCount + 1)
    for corner in indices.indices {
      let (lower, higher) = ends(ofCorner: corner, indices)
      if lower != higher { groups[Int(lower)] += 1 }
    }
    var sum: UInt32 = 0
    for vertex in groups.indices {
      sum += groups[vertex]
      groups[vertex] = sum
    }
    // Filled from the end, so that each group's end becomes its start.
    var halfedges = [UInt32](repeating: 0, count: Int(sum))
    for corner in indices.indices.reversed() {
      let (lower, higher) = ends(ofCorner: corner, indices)
      guard lower != higher else { continue }
      groups[Int(lower)] -= 1
      halfedges[Int(groups[Int(lower)])] = UInt32(truncatingIfNeeded: corner)
    }
    /// The higher vertex in the upper half, the corner in the lower: sorts by vertex, then corner.
    var keys: [UInt64] = []
    for vertex in 0..<vertexCount {
      let group = Int(groups[vertex])..<Int(groups[vertex + 1])
      keys.removeAll(keepingCapacity: true)
      for index in group {
        let corner = halfedges[index]
        let (_, higher) = ends(ofCorner: Int(corner), indices)
        keys.append(UInt64(higher) << 32 | UInt64(corner))
      }
      keys.sortFew()
      for (index, key) in zip(group, keys) { halfedges[index] = UInt32(truncatingIfNeeded: key) }
    }
    self.indices = indices
    self.groups = groups
    self.halfedges = halfedges
  }

  /// Whether an edge has two faces that are wound inconsistently: their halfedges run in the same direction.
  public func isInconsistent(_ edge: Edge) -> Bool {
    guard edge.valence == 2 else { return false }
    let (one, other) = (halfedges[edge.places.lowerBound], halfedges[edge.places.lowerBound + 1])
    return indices[Int(one)] == indices[Int(other)]
  }

  // MARK: Edges of a corner

  /// The other halfedge at the edge of a corner's halfedge, by the corner where it starts.
  ///
  /// Nil at a boundary and where more than two meet. It may run in the same direction if the two
  /// faces are wound inconsistently.
  public func opposite(ofCorner corner: Int) -> Int? {
    let (lower, higher) = ends(ofCorner: corner, indices)
    let places = places(from: lower, to: higher, limit: 3)
    guard places.count == 2 else { return nil }
    let one = Int(halfedges[places.lowerBound])
    return one == corner ? Int(halfedges[places.lowerBound + 1]) : one
  }

  /// Whether the halfedge of a corner is the only one at its edge.
  public func isBoundary(ofCorner corner: Int) -> Bool {
    let (lower, higher) = ends(ofCorner: corner, indices)
    return places(from: lower, to: higher, limit: 2).count == 1
  }

  /// Whether there is an edge between two vertices.
  public func contains(_ a: UInt32, _ b: UInt32) -> Bool {
    !places(from: Swift.min(a, b), to: Swift.max(a, b), limit: 1).isEmpty
  }

  /// The positions of the first halfedges between two vertices, at most `limit` of them.
  private func places(from lower: UInt32, to higher: UInt32, limit: Int) -> Range<Int> {
    let end = Int(groups[Int(lower) + 1])
    var (first, last) = (Int(groups[Int(lower)]), end)
    while first < last {
      let middle = (first + last) / 2
      if higherEnd(at: middle) < higher { first = middle + 1 } else { last = middle }
    }
    while last < end, last < first + limit, higherEnd(at: last) == higher { last += 1 }
    return first..<last
  }

  private func higherEnd(at index: Int) -> UInt32 {
    ends(ofCorner: Int(halfedges[index]), indices).higher
  }

  // MARK: All edges

  /// Goes through the edges, ordered by their vertices.
  public struct Iterator: IteratorProtocol {
    fileprivate let indices: [UInt32]
    fileprivate let halfedges: [UInt32]
    fileprivate var place = 0

    /// The next edge; nil after the last.
    public mutating func next() -> Edge? {
      guard place < halfedges.count else { return nil }
      let first = place
      let (lower, higher) = ends(ofCorner: Int(halfedges[first]), indices)
      repeat {
        place += 1
      } while place < halfedges.count
        && ends(ofCorner: Int(halfedges[place]), indices) == (lower, higher)
      return Edge(lower: lower, higher: higher, places: first..<place)
    }
  }

  /// Begins with the first edge.
  public func makeIterator() -> Iterator { Iterator(indices: indices, halfedges: halfedges) }
}

/// The lower and the higher vertex of a corner's halfedge.
@inline(__always)
private func ends(ofCorner corner: Int, _ indices: [UInt32]) -> (lower: UInt32, higher: UInt32) {
  let (a, b) = (indices[corner], indices[nextCorner(corner)])
  return a < b ? (a, b) : (b, a)
}

/// The next corner of the same face.
@inlinable
public func nextCorner(_ corner: Int) -> Int { corner % 3 == 2 ? corner - 2 : corner + 1 }

/// The previous corner of the same face.
@inlinable
public func previousCorner(_ corner: Int) -> Int { corner % 3 == 0 ? corner + 2 : corner - 1 }

extension [UInt64] {
  /// Sorts a range of usually only a few elements.
  fileprivate mutating func sortFew() {
    guard count <= 24 else { return sort() }
    for end in indices.dropFirst() {
      let value = self[end]
      var index = end
      while index > 0, self[index - 1] > value {
        self[index] = self[index - 1]
        index -= 1
      }
      self[index] = value
    }
  }
}
