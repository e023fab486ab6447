import MeshpipeScene

extension CollapseWorker {
  /// The weight that draws the optimum to the midpoint of the edge, where the planes don't determine it.
  private static let pull: Float = 1e-5
  /// The largest distance of the optimum from the midpoint, in lengths of the edge.
  private static let longestReach: Float = 1
  /// The least rise of the volume along the inverse of the matrix, as a share of what a sphere would give, at which the
  /// volume can be preserved: below it the step is longer than the planes are true.
  private static let leastRise: Float = 0.01
  /// Costs below this share of the planes' weight times the edge's squared length are rounding
  /// errors.
  private static let roundingShare: Float = 3e-7
  /// The weight of planes perpendicular to lines relative to squares of areas.
  private static let lineWeight: Float = 5

  /// Fills the candidates: where the vertex may move according to its kind, and at which cost.
  ///
  /// The ring must be that of the vertex.
  mutating func findCandidates(of u: Int) {
    candidates.removeAll()
    guard options.movesVertices else { return findNeighbors(of: u) }
    let origin = state.positions[u].simd
    let own = planes(of: u)
    let isFree = state.kinds[u] == .free
    for index in 0..<ring.count {
      consider(ring.next[index])
      // At an open border one neighbour is not the next vertex of any face.
      if !isFree, !ring.isNext(ring.previous[index]) { consider(ring.previous[index]) }
    }

    func consider(_ v: UInt32) {
      let offset = state.positions[v].simd - origin
      let travel = Self.travelWeight * own.matrix.trace * offset.lengthSquared
      if isFree, state.kinds[v] == .free {
        // The other end has examined it already.
        if v < u, !options.isThorough { return }
        var (position, cost) = bestPosition(
          own, other: v, offset: offset, mapping: mergedMapping(of: u, v, offset))
        cost += travel
        if cost.isFinite { candidates.add(.init(vertex: v, cost: cost, offset: position)) }
        return
      }
      var cost = offset.dot(own.matrix * offset) + travel
      if !isFree {
        if line(toward: v) == .none { return }
        let growth = state.quadrics[u].error(at: offset) - state.quadrics[u].c
        cost += Self.lineWeight * max(0, growth) * offset.lengthSquared
      }
      if state.hasMapping { cost += mappingError(toward: v, by: offset) }
      if cost.isFinite { candidates.add(.init(vertex: v, cost: max(0, cost), offset: offset)) }
    }
  }

  /// The position for both ends of an edge that changes the surface least, and its cost.
  ///
  /// Of all positions that preserve the volume, the one with the least sum of squared distances
  /// from the planes of the present faces, each weighted by the square of its area (Lindstrom and
  /// Turk, "Fast and Memory Efficient Polygonal Simplification", 1998).
  ///
  /// Shifts of the texture count like distances.
  ///
  /// - Parameters:
  ///   - offset: From the ring's vertex to the other one.
  ///   - mapping: The shift of the texture, if there is one.
  private func bestPosition(
    _ own: PlaneSum, other v: UInt32, offset: SIMD3<Float>, mapping: MappingSum.Merged?
  ) -> (position: SIMD3<Float>, cost: Float) {
    let other = planes(of: Int(v))
    var sum = own
    // The planes of the common faces count twice.
    sum.add(other)
    var image = other.matrix * offset
    var constant = offset.dot(image)
    var atOther = offset.dot(own.matrix * offset)
    let volume = other.areaVector.dot(offset)
    if let mapping {
      sum.matrix.add(mapping.matrix)
      image -= mapping.b
      constant += mapping.c
      atOther += mapping.error(at: offset)
    }
    let middle = offset / 2
    // Relative to the midpoint, the error is xᵀAx + 2 slope·x + a constant.
    let slope = sum.matrix * middle - image
    let trace = sum.matrix.trace
    guard trace > 0 else { return (middle, 0) }
    let pull = Self.pull * trace
    let diagonal = SIMD3(sum.matrix.xx + pull, sum.matrix.yy + pull, sum.matrix.zz + pull)
    guard let inverse = sum.matrix.inverse(diagonal: SIMD3<Double>(diagonal)) else {
      return (middle, .infinity)
    }
    var step = inverse * -slope
    // Then along the inverse of the matrix to where the volume is preserved.
    let direction = sum.areaVector
    let way = inverse * direction
    let rise = direction.dot(way)
    if rise > Self.leastRise * direction.lengthSquared / trace {
      let missing = volume - direction.dot(middle + step)
      step += way * (missing / rise)
    }
    let reach = Self.longestReach * Self.longestReach * offset.lengthSquared
    let length = step.lengthSquared
    if length > reach { step *= (reach / length).squareRoot() }
    let position = middle + step
    let cost =
      position.dot(sum.matrix * position) - 2 * position.dot(image) + constant
    // If an end fits as well, nothing needs to move: corners and edges of flat shapes stay exact.
    let atOwn = constant
    let same = max(0, cost) + Self.roundingShare * trace * offset.lengthSquared
    if min(atOther, atOwn) <= same {
      return atOther <= atOwn ? (offset, max(0, atOther)) : (.zero, max(0, atOwn))
    }
    return (position, max(0, cost))
  }

  /// The planes of a vertex, recomputed if they are out of date.
  @inline(__always)
  private func planes(of vertex: Int) -> PlaneSum {
    let known = state.planes[vertex]
    return known.isStale ? freshPlanes(of: vertex) : known
  }

  @discardableResult
  func freshPlanes(of vertex: Int) -> PlaneSum {
    let origin = state.positions[vertex].simd
    var sum = PlaneSum.zero
    if state.hasMapping { state.mappings[vertex] = freshMapping(of: vertex) }
    var corner = state.firstCorners[vertex]
    while corner != .none {
      if !state.faces.isRemoved(faceOf: corner) {
        sum.add(
          (state.positions[state.faces[corner.next]].simd - origin)
            .cross(state.positions[state.faces[corner.previous]].simd - origin))
      }
      corner = state.faces.following(corner)
    }
    state.planes[vertex] = sum
    return sum
  }

  /// Fills the candidates with the neighbours only, by the planes of the original surface.
  private mutating func findNeighbors(of u: Int) {
    let quadric = state.quadrics[u]
    let origin = state.positions[u].simd
    let isFree = state.kinds[u] == .free
    for index in 0..<ring.count {
      consider(ring.next[index])
      if !isFree, !ring.isNext(ring.previous[index]) { consider(ring.previous[index]) }
    }

    func consider(_ v: UInt32) {
      if !isFree, line(toward: v) == .none { return }
      let offset = state.positions[v].simd - origin
      // The increase of the sum of all errors, and a little for the distance, where the planes
      // don't matter.
      var growth = max(0, quadric.error(at: offset) - quadric.c)
      if state.hasMapping { growth += mappingError(toward: v, by: offset) }
      let cost = growth + Self.travelWeight * quadric.weight * offset.lengthSquared
      if cost.isFinite { candidates.add(.init(vertex: v, cost: cost, offset: offset)) }
    }
  }

  /// Computes the cost of the cheapest step of a vertex; the ring must be that of the vertex.
  mutating func findCost(of vertex: Int) {
    guard state.isMovable(vertex) else { return }
    findCandidates(of: vertex)
    guard let cheapest = candidates.takeCheapest() else { return }
    state.costs[vertex] = cheapest.cost
  }
}
