import MeshPipeline

extension EdgeCollapse {
  /// A face may turn by as much as this cosine in one step.
  private static let smallestTurnCosine: Float = 0.25
  /// A face agrees with the original surface around its vertices by this cosine at least.
  ///
  /// Many small turns do not add up to a large one; the corner of a box is at 0.58.
  private static let smallestAgreement: Float = 0.2
  /// A face whose shape is worse than this (1 is equilateral) may not get worse still.
  private static let smallestShape: Float = 0.1

  /// Whether the ring's vertex `u` may move onto its neighbour `v`; fills the ring's moved wedges.
  mutating func canMove(_ u: Int, onto v: Int) -> Bool {
    guard kinds[v] != .removed, positions[v].sum().isFinite else { return false }
    return keepsTopology(u, v) && keepsWedges(u, v) && keepsShape(u, v)
  }

  /// The link condition: what both are joined to is what their common faces join them to.
  private mutating func keepsTopology(_ u: Int, _ v: Int) -> Bool {
    let neighborMark = lastMark + 1
    let linkMark = lastMark + 2
    lastMark += 2
    guard let valence = mark(neighborsOf: v, as: neighborMark) else { return false }

    let target = UInt32(truncatingIfNeeded: v)
    var shared = 0
    for place in 0..<ring.count {
      let third: UInt32
      if ring.next[place] == target {
        third = ring.previous[place]
      } else if ring.previous[place] == target {
        third = ring.next[place]
      } else {
        continue
      }
      // Two common faces with the same third vertex are two sides of one triangle.
      guard marks[third] == neighborMark else { return false }
      marks[third] = linkMark
      shared += 1
      // A line through both u and the third vertex would lose its edge.
      if kinds[u] == .onLine, line(toward: third) != .none { return false }
    }
    let isOpen = kinds[u] == .onLine && line(toward: target) == .border
    guard shared == (isOpen ? 1 : 2), valence + ring.count - 2 * shared <= Self.maximumValence
    else { return false }

    for place in 0..<ring.count
    where ring.next[place] != target && ring.previous[place] != target {
      let (one, other) = (marks[ring.next[place]], marks[ring.previous[place]])
      // The face would fall onto one of v's, or an edge of it onto one of v's edges.
      if one == neighborMark || other == neighborMark { return false }
      if one == linkMark && other == linkMark { return false }
    }
    return true
  }

  /// Marks the vertices around a vertex.
  ///
  /// - Returns: The number of its faces, or nil when they are too many to look at.
  private mutating func mark(neighborsOf vertex: Int, as mark: UInt32) -> Int? {
    let row = rows[vertex]
    guard row.count <= Ring.capacity else { return nil }
    var count = 0
    for place in row.start..<row.start + row.count {
      let first = rowCorners[place] & ~3
      guard faces[first] != Self.none else { continue }
      count += 1
      // The vertex marks itself too, which nobody asks for.
      marks[faces[first]] = mark
      marks[faces[first + 1]] = mark
      marks[faces[first + 2]] = mark
    }
    return count
  }

  /// Finds the wedge of `v` for each face that moves: that of the common face on the same side.
  private mutating func keepsWedges(_ u: Int, _ v: Int) -> Bool {
    guard hasWedges else { return true }
    let target = UInt32(truncatingIfNeeded: v)
    var sides: (from: UInt32, to: UInt32)?
    var otherSides: (from: UInt32, to: UInt32)?
    for place in 0..<ring.count
    where ring.next[place] == target || ring.previous[place] == target {
      let side = (from: wedges[wedgePlace(ring.corners[place])], to: wedge(of: target, at: place))
      if sides == nil { sides = side } else { otherSides = side }
    }
    guard let one = sides else { return false }
    let other = otherSides ?? one
    // With one wedge on both sides of a line that parts at v, the side of a face is not known.
    if one.from == other.from, one.to != other.to { return false }
    for place in 0..<ring.count
    where ring.next[place] != target && ring.previous[place] != target {
      switch wedges[wedgePlace(ring.corners[place])] {
      case one.from: ring.movedWedges[place] = one.to
      case other.from: ring.movedWedges[place] = other.to
      default: return false
      }
    }
    return true
  }

  /// No face turns over or becomes a sliver.
  private func keepsShape(_ u: Int, _ v: Int) -> Bool {
    let target = UInt32(truncatingIfNeeded: v)
    let (from, to) = (positions[u], positions[v])
    let around = areaVectors[u] + areaVectors[v]
    for place in 0..<ring.count
    where ring.next[place] != target && ring.previous[place] != target {
      let (b, c) = (positions[ring.next[place]], positions[ring.previous[place]])
      let before = (b - from).cross(c - from)
      let after = (b - to).cross(c - to)
      let afterSquared = after.lengthSquared
      let beforeSquared = before.lengthSquared
      let turn = before.dot(after)
      if beforeSquared > 0 {
        let limit = Self.smallestTurnCosine * Self.smallestTurnCosine
        guard turn > 0, turn * turn >= limit * beforeSquared * afterSquared else { return false }
      }
      let original = around + areaVectors[ring.next[place]] + areaVectors[ring.previous[place]]
      let agreement = after.dot(original)
      let least = Self.smallestAgreement * Self.smallestAgreement
      guard agreement > 0,
        agreement * agreement > least * afterSquared * original.lengthSquared
      else { return false }

      let base = (c - b).lengthSquared
      let sides = base + (b - to).lengthSquared + (c - to).lengthSquared
      // Shape is 2√3 · |cross product| over the sum of squared sides.
      let limit = Self.smallestShape * Self.smallestShape / 12
      if afterSquared < limit * sides * sides {
        let sidesBefore = base + (b - from).lengthSquared + (c - from).lengthSquared
        guard afterSquared * sidesBefore * sidesBefore > beforeSquared * sides * sides else {
          return false
        }
      }
    }
    return true
  }
}
