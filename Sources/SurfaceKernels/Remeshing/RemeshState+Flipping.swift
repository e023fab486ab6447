import MeshpipeScene

extension RemeshState {
  /// The goal of flipping edges.
  enum FlipGoal {
    /// Vertices of six neighbours, four at borders.
    case valences
    /// No edge whose two opposite angles have a sum over 180 degrees.
    case angles
    /// A surface nearer to the reference.
    case distance
  }

  mutating func flipEdges(for goal: FlipGoal, passes: Int) {
    var changes = PassOfChange(vertexCount: positions.count)
    for pass in 1...passes {
      changes.pass = UInt8(pass)
      var count = 0
      for halfedge in faces.vertices.indices where faces.vertices[halfedge] != Self.none {
        let halfedge = UInt32(halfedge)
        let other = faces.opposites[Int(halfedge)]
        guard other != Self.none, halfedge < other, segmentNumbers[Int(halfedge)] == Self.none,
          changes.areRecent(around: halfedge, other, faces)
        else { continue }
        if improves(halfedge, other, goal), canFlip(halfedge, other, goal) {
          flip(halfedge, other)
          count += 1
          for halfedge in [halfedge, other] {
            changes.note(faces.vertices[Int(halfedge)])
            changes.note(faces.vertices[Int(preceding(halfedge))])
          }
        }
      }
      // Few are left to the next time.
      if count * 200 <= faces.faceCount { return }
    }
  }

  @inline(__always)
  private func improves(_ halfedge: UInt32, _ other: UInt32, _ goal: FlipGoal) -> Bool {
    let (a, b) = (faces.vertices[Int(halfedge)], faces.vertices[Int(other)])
    let c = faces.vertices[Int(preceding(halfedge))]
    let d = faces.vertices[Int(preceding(other))]
    switch goal {
    case .valences:
      // The sum of the squares of the four gets smaller.
      return excess(of: a) + excess(of: b) - excess(of: c) - excess(of: d) > 2
    case .angles: return cotangent(at: c, a, b) + cotangent(at: d, a, b) < -1e-3
    case .distance: return isNearer(afterFlipping: halfedge, other)
    }
  }

  /// The least gain in distance for which an edge is flipped, as a share of an edge.
  private static let leastGain: Float = 0.01
  /// Faces that get thinner for the sake of distance keep this quality: an isosceles face has it at 26 degrees.
  private static let leastFlippedQuality: Float = 0.7

  /// Whether a flip brings the surface nearer to the reference, and leaves no thin face.
  private func isNearer(afterFlipping halfedge: UInt32, _ other: UInt32) -> Bool {
    let tips = (preceding(halfedge), preceding(other))
    let pa = position(faces.vertices[Int(halfedge)])
    let pb = position(faces.vertices[Int(other)])
    let pc = position(faces.vertices[Int(tips.0)])
    let pd = position(faces.vertices[Int(tips.1)])
    let gain =
      Self.leastGain * targetLength(faces.vertices[Int(halfedge)], faces.vertices[Int(other)])
    guard height(between: pa, pb, and: pc, pd) > gain else { return false }
    let (before, after) = qualities(pa, pb, flippedTo: pc, pd)
    guard after > min(before, Self.leastFlippedQuality) else { return false }
    func distance(_ point: SIMD3<Float>, from corner: UInt32) -> Float {
      reference.nearest(to: point, from: referenceFace(ofCorner: corner))
        .squaredDistance.squareRoot()
    }
    let old = distance((pa + pb) / 2, from: halfedge)
    return old > gain && distance((pc + pd) / 2, from: tips.0) < old - gain
  }

  @inline(__always)
  private func cotangent(at tip: UInt32, _ a: UInt32, _ b: UInt32) -> Float {
    let (u, v) = (position(a) - position(tip), position(b) - position(tip))
    let area = u.cross(v).length
    return area > 0 ? u.dot(v) / area : 0
  }

  /// The number of edges of a vertex above the ideal one.
  @inline(__always)
  private func excess(of vertex: UInt32) -> Int {
    Int(valences[Int(vertex)]) - (roles[Int(vertex)].contains(.border) ? 4 : 6)
  }

  private func canFlip(_ halfedge: UInt32, _ other: UInt32, _ goal: FlipGoal) -> Bool {
    let (a, b) = (faces.vertices[Int(halfedge)], faces.vertices[Int(other)])
    let c = faces.vertices[Int(preceding(halfedge))]
    let d = faces.vertices[Int(preceding(other))]
    guard c != d, valences[Int(a)] > 3, valences[Int(b)] > 3 else { return false }
    // Another vertex at the same position might have the new edge already.
    if roles[Int(c)].union(roles[Int(d)]).contains(.copied) { return false }
    let (pa, pb, pc, pd) = (position(a), position(b), position(c), position(d))
    let (one, two) = ((pb - pa).cross(pc - pa), (pa - pb).cross(pd - pb))
    let normal = (one + two).normalized
    let (newOne, newTwo) = ((pc - pd).cross(pa - pd), (pd - pc).cross(pb - pc))
    let (oneLength, twoLength) = (newOne.length, newTwo.length)
    guard newOne.dot(normal) > 0.5 * oneLength, newTwo.dot(normal) > 0.5 * twoLength else {
      return false
    }
    // The old edge and the new one are the two sides of a flat tetrahedron; a nearer surface may move farther.
    guard goal == .distance || height(between: pa, pb, and: pc, pd) <= sizing.tolerance else {
      return false
    }
    if goal == .valences {
      let (before, after) = qualities(pa, pb, flippedTo: pc, pd)
      guard after > 0.5 * before, after > 0.15 || after > before else { return false }
    }
    return !isEdge(c, d)
  }

  /// The distance between the lines of two edges.
  private func height(
    between a: SIMD3<Float>, _ b: SIMD3<Float>, and c: SIMD3<Float>, _ d: SIMD3<Float>
  ) -> Float {
    abs((b - a).cross(d - c).normalized.dot(c - a))
  }

  /// From 0, for a face without area, to 1, for one with equal edges.
  @inline(__always)
  func quality(_ a: SIMD3<Float>, _ b: SIMD3<Float>, _ c: SIMD3<Float>) -> Float {
    squaredQuality((b - a).cross(c - a).lengthSquared, (a, b, c)).squareRoot()
  }

  /// The lower quality of the two faces at an edge from `a` to `b`, and of those at the edge from `c` to `d` after a flip.
  @inline(__always)
  private func qualities(
    _ a: SIMD3<Float>, _ b: SIMD3<Float>, flippedTo c: SIMD3<Float>, _ d: SIMD3<Float>
  ) -> (before: Float, after: Float) {
    (min(quality(a, b, c), quality(b, a, d)), min(quality(c, d, a), quality(d, c, b)))
  }

  /// The square of the quality of a face, where the square of twice its area is known.
  @inline(__always)
  func squaredQuality(
    _ squaredArea: Float, _ vertices: (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  ) -> Float {
    let (a, b, c) = vertices
    let squares = (b - a).lengthSquared + (c - b).lengthSquared + (a - c).lengthSquared
    return squares > 0 ? 12 * squaredArea / (squares * squares) : 0
  }

  /// Replaces an edge by the one between the third vertices of its faces.
  private mutating func flip(_ halfedge: UInt32, _ other: UInt32) {
    let (next, last) = (following(halfedge), preceding(halfedge))
    let (otherNext, otherLast) = (following(other), preceding(other))
    let (a, b) = (faces.vertices[Int(halfedge)], faces.vertices[Int(other)])
    let (c, d) = (faces.vertices[Int(last)], faces.vertices[Int(otherLast)])
    let sides = (side(of: next), side(of: last), side(of: otherNext), side(of: otherLast))
    // From c to a to d, and from d to b to c.
    setSide(of: next, sides.1)
    setSide(of: last, sides.2)
    setSide(of: otherNext, sides.3)
    setSide(of: otherLast, sides.0)
    faces.vertices[Int(halfedge)] = d
    faces.vertices[Int(next)] = c
    faces.vertices[Int(last)] = a
    faces.vertices[Int(other)] = c
    faces.vertices[Int(otherNext)] = d
    faces.vertices[Int(otherLast)] = b
    halfedges[Int(a)] = last
    halfedges[Int(b)] = otherLast
    halfedges[Int(c)] = next
    halfedges[Int(d)] = otherNext
    valences[Int(a)] -= 1
    valences[Int(b)] -= 1
    valences[Int(c)] += 1
    valences[Int(d)] += 1
  }

  /// The data of a face's edge that stays with it when it becomes another halfedge.
  private typealias Side = (opposite: UInt32, segment: UInt32)

  @inline(__always)
  private func side(of halfedge: UInt32) -> Side {
    (faces.opposites[Int(halfedge)], segmentNumbers[Int(halfedge)])
  }

  @inline(__always)
  private mutating func setSide(of halfedge: UInt32, _ side: Side) {
    faces.join(halfedge, side.opposite)
    segmentNumbers[Int(halfedge)] = side.segment
  }
}
