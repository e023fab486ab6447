import MeshPipeline

extension EdgeCollapse {
  /// The faces around one vertex, and where it could go: working memory, filled anew for each.
  struct Ring: ~Copyable {
    /// No vertex with more faces than this is ever moved.
    static let capacity = 64

    var count = 0
    /// The corner of the vertex in each face.
    var corners = FixedArray<UInt32>(repeating: 0, count: capacity)
    /// The vertex after it in each face.
    var next = FixedArray<UInt32>(repeating: 0, count: capacity)
    /// The vertex before it in each face.
    var previous = FixedArray<UInt32>(repeating: 0, count: capacity)
    /// The wedge that each face's corner gets when the vertex moves.
    var movedWedges = FixedArray<UInt32>(repeating: 0, count: capacity)

    var candidateCount = 0
    private var candidates = FixedArray<UInt32>(repeating: 0, count: 2 * capacity)
    private var costs = FixedArray<Float>(repeating: 0, count: 2 * capacity)

    func isNext(_ vertex: UInt32) -> Bool {
      for place in 0..<count where next[place] == vertex { return true }
      return false
    }

    mutating func addCandidate(_ vertex: UInt32, cost: Float) {
      candidates[candidateCount] = vertex
      costs[candidateCount] = cost
      candidateCount += 1
    }

    /// Takes the cheapest candidate out, the first one of equals.
    mutating func takeCheapest() -> (vertex: Int, cost: Float)? {
      guard candidateCount > 0 else { return nil }
      var best = 0
      for place in 1..<max(1, candidateCount) where costs[place] < costs[best] { best = place }
      let result = (Int(candidates[best]), costs[best])
      candidateCount -= 1
      for place in best..<candidateCount {
        candidates[place] = candidates[place + 1]
        costs[place] = costs[place + 1]
      }
      return result
    }
  }

  /// Fills the ring with the faces of a vertex, and forgets removed faces on the way.
  ///
  /// - Returns: Whether there are any and they fit.
  mutating func gatherRing(of vertex: Int) -> Bool {
    ring.count = 0
    let row = rows[vertex]
    guard row.count <= Ring.capacity else { return false }
    for place in row.start..<row.start + row.count {
      let corner = rowCorners[place]
      guard faces[corner & ~3] != Self.none else { continue }
      ring.corners[ring.count] = corner
      ring.next[ring.count] = faces[Self.next(corner)]
      ring.previous[ring.count] = faces[Self.previous(corner)]
      ring.count += 1
    }
    if ring.count < row.count {
      for place in 0..<ring.count { rowCorners[Int(row.start) + place] = ring.corners[place] }
      rows[vertex].count = UInt32(truncatingIfNeeded: ring.count)
    }
    return ring.count > 0
  }

  /// Gives `v` the corners in the ring of `u` beside its own, in a new row.
  mutating func joinRows(of u: Int, and v: Int) {
    if rowEnd + 2 * Ring.capacity > rowCorners.count { packRows() }
    let row = rows[v]
    rows[u] = Row(start: 0, count: 0)
    let start = rowEnd
    func append(_ corner: UInt32) {
      guard faces[corner & ~3] != Self.none else { return }
      rowCorners[rowEnd] = corner
      rowEnd += 1
    }
    for place in 0..<ring.count { append(ring.corners[place]) }
    for place in row.start..<row.start + row.count { append(rowCorners[place]) }
    rows[v] = Row(
      start: UInt32(truncatingIfNeeded: start), count: UInt32(truncatingIfNeeded: rowEnd - start))
  }

  /// Lays out the rows of all vertices anew, without removed faces and idle places.
  mutating func packRows() {
    for vertex in 0..<rows.count { rows[vertex] = Row(start: 0, count: 0) }
    for face in 0..<faces.count / 4 where faces[4 * face] != Self.none {
      for corner in 4 * face..<4 * face + 3 { rows[faces[corner]].count += 1 }
    }
    var end: UInt32 = 0
    for vertex in 0..<rows.count {
      let count = rows[vertex].count
      rows[vertex] = Row(start: end, count: 0)
      end += count
    }
    rowEnd = Int(end)
    for face in 0..<faces.count / 4 where faces[4 * face] != Self.none {
      for corner in 4 * face..<4 * face + 3 {
        let row = rows[faces[corner]]
        rowCorners[row.start + row.count] = UInt32(truncatingIfNeeded: corner)
        rows[faces[corner]].count += 1
      }
    }
  }

  /// The next corner of the same face.
  @inline(__always)
  static func next(_ corner: UInt32) -> UInt32 { corner & 3 == 2 ? corner - 2 : corner + 1 }

  /// The previous corner of the same face.
  @inline(__always)
  static func previous(_ corner: UInt32) -> UInt32 { corner & 3 == 0 ? corner + 2 : corner - 1 }

  /// What the edge between the ring's vertex and a neighbour is part of.
  enum Line {
    /// Nothing: the same surface goes on behind it.
    case none
    case border, region, seam
    /// An edge with more than two faces.
    case complex
  }

  /// What the edge between the ring's vertex and a neighbour is part of.
  func line(toward neighbor: UInt32) -> Line {
    var found = 0
    var firstPlace = 0
    var line = Line.none
    for place in 0..<ring.count
    where ring.next[place] == neighbor || ring.previous[place] == neighbor {
      found += 1
      if found == 1 {
        firstPlace = place
      } else if found == 2 {
        let (one, other) = (ring.corners[firstPlace], ring.corners[place])
        if faces[one | 3] != faces[other | 3] {
          line = .region
        } else if hasWedges,
          wedges[wedgePlace(one)] != wedges[wedgePlace(other)]
            || wedge(of: neighbor, at: firstPlace) != wedge(of: neighbor, at: place)
        {
          line = .seam
        }
      }
    }
    return found == 1 ? .border : found == 2 ? line : .complex
  }

  /// The wedge of a neighbour in one of the ring's faces that has it.
  func wedge(of neighbor: UInt32, at place: Int) -> UInt32 {
    let corner = ring.corners[place]
    let other = ring.next[place] == neighbor ? Self.next(corner) : Self.previous(corner)
    return wedges[wedgePlace(other)]
  }

  /// Whether the faces of the ring follow one another in one fan, open or closed.
  func isSingleFan() -> Bool {
    // Start where nothing comes before, if there is such a place.
    var start = 0
    for place in 0..<ring.count where faceBeside(place, across: ring.previous[place]) == nil {
      start = place
      break
    }
    var place = start
    var exit = ring.next[start]
    var visited = 1
    while visited <= ring.count, let beside = faceBeside(place, across: exit), beside != start {
      exit = ring.next[beside] == exit ? ring.previous[beside] : ring.next[beside]
      place = beside
      visited += 1
    }
    return visited == ring.count
  }

  private func faceBeside(_ place: Int, across neighbor: UInt32) -> Int? {
    for other in 0..<ring.count
    where other != place && (ring.next[other] == neighbor || ring.previous[other] == neighbor) {
      return other
    }
    return nil
  }
}
