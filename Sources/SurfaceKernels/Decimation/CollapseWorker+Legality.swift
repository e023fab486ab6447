import MeshpipeScene

extension CollapseWorker {
  /// A face's normal may turn by as much as this cosine in one step.
  private static let smallestTurnCosine: Float = 0.25
  /// The least cosine between a face's normal and that of the original surface around its vertices.
  ///
  /// Prevents many small turns from adding up to a large one; the corner of a box is at 0.58.
  private static let smallestAgreement: Float = 0.2
  /// A step may leave a face of a worse shape than this (1 is equilateral) only where one around it was
  /// as bad before: rows of needles along a thin side could not become fewer otherwise.
  private static let squaredSmallestShape: Float = 0.05 * 0.05
  /// By how much it may become worse there: needles of one row differ by rounding.
  private static let squaredTolerance: Float = 0.98

  /// Whether the ring's vertex `u` may be merged with its neighbour `v`; fills the moved wedges.
  ///
  /// - Parameters:
  ///   - offset: The position for both, from `u`.
  ///   - both: Whether `v` moves too.
  mutating func canMove(_ u: Int, onto v: Int, by offset: SIMD3<Float>, both: Bool) -> Bool {
    guard state.kinds[v] != .removed, state.positions[v].isFinite,
      state.gather(v, into: &targetRing)
    else { return false }
    if both, !isInside(targetRing) { return false }
    guard keepsTopology(u, v), keepsWedges(u, v) else { return false }
    let around = state.areaVectors[u].simd + state.areaVectors[v].simd
    let (from, to) = (state.positions[u].simd, state.positions[v].simd)
    let place = both ? from + offset : to
    var worst = Float.infinity
    guard keepsDirection(ring, without: v, from: from, to: place, around, worst: &worst),
      !both || keepsDirection(targetRing, without: u, from: to, to: place, around, worst: &worst),
      worst >= Self.squaredSmallestShape
        || worst >= Self.squaredTolerance * worstShape(around: u, v)
    else { return false }
    return !state.hasMapping || keepsMapping(u, v, by: offset, both: both)
  }

  /// The link condition: the common neighbours of both are exactly those of their common faces.
  private func keepsTopology(_ u: Int, _ v: Int) -> Bool {
    let target = UInt32(truncatingIfNeeded: v)
    var shared = 0
    var one = CollapseState.none
    var other = CollapseState.none
    for index in 0..<ring.count {
      let third: UInt32
      if ring.next[index] == target {
        third = ring.previous[index]
      } else if ring.previous[index] == target {
        third = ring.next[index]
      } else {
        continue
      }
      // Two common faces with the same third vertex are two sides of one triangle.
      guard third != one else { return false }
      (one, other) = (third, one)
      shared += 1
      // A line through both u and the third vertex would lose its edge.
      if state.kinds[u] == .onLine, line(toward: third) != .none,
        !canCutTip(index, toward: target, third)
      {
        return false
      }
    }
    let isOpen = state.kinds[u] == .onLine && line(toward: target) == .border
    guard shared == (isOpen ? 1 : 2),
      targetRing.count + ring.count - 2 * shared <= Self.maximumValence
    else { return false }

    for index in 0..<ring.count where !ring.has(target, at: index) {
      let (next, previous) = (ring.next[index], ring.previous[index])
      let isNextLink = next == one || next == other
      let isPreviousLink = previous == one || previous == other
      // The face would coincide with one of v's, or an edge of it with one of v's edges.
      if isNextLink && isPreviousLink && targetRing.hasFace(next, previous) { return false }
      if !isNextLink && targetRing.contains(next) { return false }
      // The other vertices are tested as next ones.
      if !isPreviousLink && !ring.isNext(previous) && targetRing.contains(previous) { return false }
    }
    return true
  }

  /// Finds the wedge of `v` for each face that moves: that of the common face on the same side.
  private mutating func keepsWedges(_ u: Int, _ v: Int) -> Bool {
    guard state.hasWedges else { return true }
    let target = UInt32(truncatingIfNeeded: v)
    var sides: (from: UInt32, to: UInt32)?
    var otherSides: (from: UInt32, to: UInt32)?
    for index in 0..<ring.count where ring.has(target, at: index) {
      let side = (from: wedge(of: ring.corners[index]), to: wedge(of: target, at: index))
      if sides == nil { sides = side } else { otherSides = side }
    }
    guard let one = sides else { return false }
    let other = otherSides ?? one
    // With one wedge on both sides of a line that forks at v, the side of a face is unknown.
    if one.from == other.from, one.to != other.to { return false }
    for index in 0..<ring.count where !ring.has(target, at: index) {
      switch wedge(of: ring.corners[index]) {
      case one.from: movedWedges[index] = one.to
      case other.from: movedWedges[index] = other.to
      default: return false
      }
    }
    return true
  }

  /// Whether no face of a ring flips when its vertex moves.
  ///
  /// - Parameters:
  ///   - vertex: The other end of the edge, whose faces do not count.
  ///   - around: The original surface around both ends.
  ///   - worst: Becomes the squared shape of the worst face after the step, if that is worse.
  private func keepsDirection(
    _ ring: borrowing Ring, without vertex: Int, from: SIMD3<Float>, to: SIMD3<Float>,
    _ around: SIMD3<Float>, worst: inout Float
  ) -> Bool {
    let target = UInt32(truncatingIfNeeded: vertex)
    for index in 0..<ring.count where !ring.has(target, at: index) {
      let (next, previous) = (ring.next[index], ring.previous[index])
      let (b, c) = (state.positions[next].simd, state.positions[previous].simd)
      let before = (b - from).cross(c - from)
      let after = (b - to).cross(c - to)
      let afterSquared = after.lengthSquared
      let beforeSquared = before.lengthSquared
      let turn = before.dot(after)
      if beforeSquared > 0 {
        let limit = Self.smallestTurnCosine * Self.smallestTurnCosine
        guard turn > 0, turn * turn >= limit * beforeSquared * afterSquared else { return false }
      }
      let original =
        around + state.areaVectors[next].simd + state.areaVectors[previous].simd
      let agreement = after.dot(original)
      let least = Self.smallestAgreement * Self.smallestAgreement
      guard agreement > 0 else { return false }
      if agreement * agreement <= least * afterSquared * original.lengthSquared {
        // Beside a thin side the original surface looks as the large one that it belongs to.
        let former = before.dot(original)
        guard former > 0,
          agreement * agreement * beforeSquared >= Self.squaredTolerance * former * former
            * afterSquared
        else { return false }
      }

      let sides = (c - b).lengthSquared + (b - to).lengthSquared + (c - to).lengthSquared
      worst = min(worst, Self.squaredShape(afterSquared, sides))
    }
    return true
  }

  /// The squared shape of the worst face that has one of two neighbours, whose rings are gathered.
  private func worstShape(around u: Int, _ v: Int) -> Float {
    min(
      worstShape(of: ring, around: state.positions[u].simd),
      worstShape(of: targetRing, around: state.positions[v].simd))
  }

  private func worstShape(of ring: borrowing Ring, around corner: SIMD3<Float>) -> Float {
    var worst = Float.infinity
    for index in 0..<ring.count {
      let (b, c) = (
        state.positions[ring.next[index]].simd, state.positions[ring.previous[index]].simd
      )
      let sides = (c - b).lengthSquared + (b - corner).lengthSquared + (c - corner).lengthSquared
      worst = min(worst, Self.squaredShape((b - corner).cross(c - corner).lengthSquared, sides))
    }
    return worst
  }

  /// The square of a face's shape: 2√3 · |cross product| over the sum of squared sides, 1 if it is
  /// equilateral and 0 if its corners are in a line.
  @inline(__always)
  private static func squaredShape(_ squaredCross: Float, _ sides: Float) -> Float {
    sides > 0 ? 12 * squaredCross / (sides * sides) : 0
  }
}
