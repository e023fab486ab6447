import MeshpipeScene

extension RemeshState {
  /// Collapses edges that are shorter than 4/5 of what they should be.
  ///
  /// - Returns: The number of edges that went.
  mutating func collapseShortEdges() -> Int {
    var stamps = [UInt32](repeating: 0, count: positions.count)
    var stamp: UInt32 = 0
    var changes = PassOfChange(vertexCount: positions.count)
    var total = 0
    for pass in 1...Self.mostPasses {
      changes.pass = UInt8(pass)
      var count = 0
      for halfedge in faces.vertices.indices where faces.vertices[halfedge] != Self.none {
        let halfedge = UInt32(halfedge)
        let other = faces.opposites[Int(halfedge)]
        guard other == Self.none || halfedge < other,
          changes.areRecent(around: halfedge, other, faces), isShort(halfedge)
        else { continue }
        stamp += 2
        var kept = Self.none
        if canCollapse(halfedge, &stamps, stamp) {
          kept = collapse(halfedge)
        } else if other != Self.none, canCollapse(other, &stamps, stamp + 1) {
          kept = collapse(other)
        } else if other == Self.none, canCollapseBackward(halfedge, &stamps, stamp + 1) {
          kept = collapse(halfedge, removesEnd: true)
        }
        guard kept != Self.none else { continue }
        count += 1
        changes.note(kept)
        faces.forEachNeighbor(from: halfedges[Int(kept)]) { changes.note($0) }
      }
      total += count
      // Few are left to the next round.
      if count * 100 <= faces.faceCount { break }
    }
    return total
  }

  private static let mostPasses = 10

  @inline(__always)
  private func isShort(_ halfedge: UInt32) -> Bool {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    let limit = targetLength(start, end) * 0.8
    return squaredLength(start, end) < limit * limit
  }

  /// Whether the start of a halfedge can move onto its end.
  private func canCollapse(_ halfedge: UInt32, _ stamps: inout [UInt32], _ stamp: UInt32) -> Bool {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    guard mayLeave(start, along: halfedge) else { return false }
    // Most fail by their shape, which takes less time to tell.
    return keepsShape(start, end)
      && keepsTopology(halfedge, from: start, to: end, stamps: &stamps, stamp: stamp)
  }

  /// Whether the lines let a vertex move along a halfedge.
  private func mayLeave(_ vertex: UInt32, along halfedge: UInt32) -> Bool {
    let role = roles[Int(vertex)]
    if role.contains(.fixed) { return false }
    guard role.contains(.line) else { return true }
    let number = segmentNumbers[Int(halfedge)]
    return number != Self.none && segments[Int(number)].line != Self.none
  }

  /// The link condition: the common neighbours of both vertices are those of their common faces.
  private func keepsTopology(
    _ halfedge: UInt32, from start: UInt32, to end: UInt32, stamps: inout [UInt32], stamp: UInt32
  ) -> Bool {
    let other = faces.opposites[Int(halfedge)]
    if other != Self.none, roles[Int(start)].contains(.border), roles[Int(end)].contains(.border) {
      return false
    }
    guard canClose(halfedge), other == Self.none || canClose(other) else { return false }
    // Another vertex at the same position might have the new edge already.
    if roles[Int(end)].contains(.copied) { return false }
    var isAllowed = true
    faces.forEachNeighbor(from: halfedges[Int(end)]) { stamps[Int($0)] = stamp }
    var common = 0
    faces.forEachNeighbor(from: halfedges[Int(start)]) { neighbor in
      if stamps[Int(neighbor)] == stamp {
        common += 1
      } else if neighbor != end, roles[Int(neighbor)].contains(.copied) {
        isAllowed = false
      }
    }
    return isAllowed && common == (other == Self.none ? 1 : 2)
  }

  /// Whether the two other edges of a halfedge's face can become one.
  private func canClose(_ halfedge: UInt32) -> Bool {
    let (next, last) = (following(halfedge), preceding(halfedge))
    let isOpen = (faces.opposites[Int(next)] == Self.none, faces.opposites[Int(last)] == Self.none)
    if isOpen.0 && isOpen.1 { return false }
    if segmentNumbers[Int(next)] != Self.none, segmentNumbers[Int(last)] != Self.none {
      return false
    }
    let tip = faces.vertices[Int(last)]
    return roles[Int(tip)].contains(.border) || valences[Int(tip)] > 3
  }

  /// Faces do not get thinner than this.
  static let leastQuality: Float = 0.05

  /// Whether the faces around a vertex keep their side, and the surface its position, when the vertex moves
  /// onto another one.
  private func keepsShape(_ start: UInt32, _ end: UInt32) -> Bool {
    let (from, to) = (position(start), position(end))
    var nearest = Float.infinity
    let isKept = faces.allHalfedges(from: halfedges[Int(start)]) { halfedge in
      let (b, c) = (faces.end(of: halfedge), faces.vertices[Int(preceding(halfedge))])
      if b == end || c == end { return true }
      let (pb, pc) = (position(b), position(c))
      let limit = targetLength(end, b) * (4.0 / 3)
      if (pb - to).lengthSquared > limit * limit { return false }
      let old = (pb - from).cross(pc - from)
      let new = (pb - to).cross(pc - to)
      let (oldSquare, newSquare) = (old.lengthSquared, new.lengthSquared)
      if oldSquare > 0 {
        let product = old.dot(new)
        // Normals may turn by 60 degrees.
        if product <= 0 || product * product < 0.25 * oldSquare * newSquare { return false }
      }
      let newQuality = squaredQuality(newSquare, (to, pb, pc))
      guard newSquare > 0,
        newQuality > Self.leastQuality * Self.leastQuality
          || newQuality > squaredQuality(oldSquare, (from, pb, pc))
      else { return false }
      let offset = new.dot(from - to)
      nearest = min(nearest, offset * offset / newSquare)
      return true
    }
    return isKept && (nearest <= sizing.tolerance * sizing.tolerance || nearest == .infinity)
  }

  /// Whether the end of a border's halfedge can move onto its start.
  private func canCollapseBackward(
    _ halfedge: UInt32, _ stamps: inout [UInt32], _ stamp: UInt32
  ) -> Bool {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    return mayLeave(end, along: halfedge) && keepsShape(end, start)
      && keepsTopology(halfedge, from: end, to: start, stamps: &stamps, stamp: stamp)
  }

  /// Moves the start of a halfedge onto its end, or its end onto its start.
  ///
  /// - Returns: The vertex that is left.
  private mutating func collapse(_ halfedge: UInt32, removesEnd: Bool = false) -> UInt32 {
    let (start, end) = (faces.vertices[Int(halfedge)], faces.end(of: halfedge))
    let (removed, kept) = removesEnd ? (end, start) : (start, end)
    let other = faces.opposites[Int(halfedge)]
    mergeSegment(segmentNumbers[Int(halfedge)], removed, kept)
    faces.setStart(ofFan: halfedges[Int(removed)], to: kept)
    let faceCount = other == Self.none ? 1 : 2
    let sum = Int(valences[Int(removed)]) + Int(valences[Int(kept)]) - 2 - faceCount
    valences[Int(kept)] = UInt16(truncatingIfNeeded: sum)
    halfedges[Int(removed)] = Self.none
    removeFace(of: halfedge, kept: kept)
    if other != Self.none { removeFace(of: other, kept: kept) }
    return kept
  }

  /// Gives the segment beyond a removed vertex to the vertex that replaces it.
  private mutating func mergeSegment(_ number: UInt32, _ removed: UInt32, _ kept: UInt32) {
    guard number != Self.none else { return }
    let segment = segments[Int(number)]
    faces.forEachHalfedge(from: halfedges[Int(removed)]) { outgoing in
      for candidate in [outgoing, preceding(outgoing)] {
        let beyond = segmentNumbers[Int(candidate)]
        guard beyond != Self.none, beyond != number else { continue }
        if segments[Int(beyond)].from == removed {
          segments[Int(beyond)].from = kept
          segments[Int(beyond)].start = segment.start
        } else if segments[Int(beyond)].to == removed {
          segments[Int(beyond)].to = kept
          segments[Int(beyond)].end = segment.end
        }
      }
    }
  }

  /// Removes the face of a collapsed halfedge: its two other edges become one.
  private mutating func removeFace(of halfedge: UInt32, kept: UInt32) {
    let (next, last) = (following(halfedge), preceding(halfedge))
    let tip = faces.vertices[Int(last)]
    let (a, b) = (faces.opposites[Int(next)], faces.opposites[Int(last)])
    let number = min(segmentNumbers[Int(next)], segmentNumbers[Int(last)])
    faces.join(a, b)
    if a != Self.none { segmentNumbers[Int(a)] = number }
    if b != Self.none { segmentNumbers[Int(b)] = number }
    removedFaceCount += 1
    faces.vertices[Int(halfedge)] = Self.none
    faces.vertices[Int(next)] = Self.none
    faces.vertices[Int(last)] = Self.none
    valences[Int(tip)] -= 1
    // `a` ends at the second vertex of the removed edge, and `b` starts at the first one: now both kept.
    halfedges[Int(tip)] = a != Self.none ? a : following(b)
    halfedges[Int(kept)] = b != Self.none ? b : following(a)
  }
}
