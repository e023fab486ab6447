import MeshpipeScene

extension CollapseWorker {
  /// The sum of the texture mappings of the faces around a vertex.
  func freshMapping(of vertex: Int) -> MappingSum {
    let origin = state.positions[vertex].simd
    var sum = MappingSum()
    var corner = state.firstCorners[vertex]
    while corner != .none {
      if !state.faces.isRemoved(faceOf: corner) {
        sum.add(edge(corner, corner.next, origin), edge(corner, corner.previous, origin))
      }
      corner = state.faces.following(corner)
    }
    return sum
  }

  /// The way from a corner to another one of its face, on the surface and in the texture.
  @inline(__always)
  private func edge(
    _ corner: CollapseCorner, _ other: CollapseCorner, _ origin: SIMD3<Float>
  ) -> (edge: SIMD3<Float>, step: SIMD2<Float>) {
    (
      state.positions[state.faces[other]].simd - origin,
      state.places[other.index] - state.places[corner.index]
    )
  }

  /// The shift of the texture if the ring's vertex is merged with a neighbour and both are on no line;
  /// nil if there is no texture.
  func mergedMapping(of u: Int, _ v: UInt32, _ offset: SIMD3<Float>) -> MappingSum.Merged? {
    guard state.hasMapping else { return nil }
    for index in 0..<ring.count where ring.has(v, at: index) {
      let corner = ring.corners[index]
      let other = ring.next[index] == v ? corner.next : corner.previous
      let step = state.places[other.index] - state.places[corner.index]
      guard step.x.isFinite, step.y.isFinite else { return nil }
      return MappingSum.Merged(
        state.mappings[u], state.mappings[v], offset: offset, step: step)
    }
    return nil
  }

  /// The common faces of the ring's vertex and a neighbour: its corner in each, and the neighbour's.
  private struct Sides {
    var one: (own: CollapseCorner, other: CollapseCorner)?
    var two: (own: CollapseCorner, other: CollapseCorner)?
  }

  private func sides(toward v: UInt32) -> Sides {
    var sides = Sides()
    for index in 0..<ring.count where ring.has(v, at: index) {
      let corner = ring.corners[index]
      let side = (own: corner, other: ring.next[index] == v ? corner.next : corner.previous)
      if sides.one == nil { sides.one = side } else { sides.two = side }
    }
    return sides
  }

  /// Whether a corner of the ring's vertex is on the second side.
  private func isOnSecond(_ corner: CollapseCorner, of sides: Sides) -> Bool {
    guard let one = sides.one?.own, let two = sides.two?.own else { return false }
    if wedge(of: one) != wedge(of: two) { return wedge(of: corner) == wedge(of: two) }
    return state.faces.region(of: one) != state.faces.region(of: two)
      && state.faces.region(of: corner) == state.faces.region(of: two)
  }

  /// The shift of the texture if the ring's vertex moves onto a neighbour.
  func mappingError(toward v: UInt32, by offset: SIMD3<Float>) -> Float {
    let sides = self.sides(toward: v)
    var (first, second) = (MappingSum(), MappingSum())
    let origin = state.positions[v].simd - offset
    for index in 0..<ring.count where !ring.has(v, at: index) {
      let corner = ring.corners[index]
      let (one, other) = (edge(corner, corner.next, origin), edge(corner, corner.previous, origin))
      if isOnSecond(corner, of: sides) {
        second.add(one, other, isSquared: options.movesVertices)
      } else {
        first.add(one, other, isSquared: options.movesVertices)
      }
    }
    return error(first, sides.one, offset) + error(second, sides.two, offset)
  }

  private func error(
    _ sum: MappingSum, _ side: (own: CollapseCorner, other: CollapseCorner)?, _ offset: SIMD3<Float>
  ) -> Float {
    guard let side else { return 0 }
    let step = state.places[side.other.index] - state.places[side.own.index]
    return step.x.isFinite && step.y.isFinite ? sum.error(at: offset, step) : 0
  }

  /// Whether a face with two edges on a seam can be removed, so that the seam follows its third edge.
  ///
  /// Seams of scans are jagged, and what is left of them in the end has a face in each jag. Only
  /// where there are texture coordinates: other lines stay as they are.
  ///
  /// - Parameters:
  ///   - place: The index of the face in the ring of the vertex between both edges.
  ///   - target: The neighbour that the vertex moves onto.
  ///   - third: The other neighbour, on the other edge.
  func canCutTip(_ index: Int, toward target: UInt32, _ third: UInt32) -> Bool {
    guard state.hasMapping, line(toward: target) != .border, line(toward: third) != .border
    else { return false }
    let own = ring.corners[index]
    let (atTarget, atThird) =
      ring.next[index] == target ? (own.next, own.previous) : (own.previous, own.next)
    for beside in 0..<targetRing.count where targetRing.has(third, at: beside) {
      let corner = targetRing.corners[beside]
      guard state.faces[corner.next] != state.faces[own],
        state.faces[corner.previous] != state.faces[own]
      else { continue }
      let other = targetRing.next[beside] == third ? corner.next : corner.previous
      return state.faces.region(of: corner) == state.faces.region(of: own)
        && wedge(of: corner) == wedge(of: atTarget) && wedge(of: other) == wedge(of: atThird)
    }
    return false
  }

  /// Whether no face flips in the texture; fills the moved texture coordinates.
  ///
  /// - Parameters:
  ///   - offset: The position for both, from `u`.
  ///   - both: Whether `v` moves too.
  mutating func keepsMapping(_ u: Int, _ v: Int, by offset: SIMD3<Float>, both: Bool) -> Bool {
    let target = UInt32(truncatingIfNeeded: v)
    let sides = self.sides(toward: target)
    guard let one = sides.one else { return false }
    let two = sides.two ?? one
    var (first, second) = (state.places[one.other.index], state.places[two.other.index])
    if both {
      let way = state.positions[v].simd - state.positions[u].simd
      let step = mergedMapping(of: u, target, way)?.step(to: offset) ?? .zero
      first = state.places[one.own.index] + step
      second = first
    }
    for index in 0..<ring.count where !ring.has(target, at: index) {
      let corner = ring.corners[index]
      movedPlaces[index] = isOnSecond(corner, of: sides) ? second : first
      guard keepsWinding(corner, at: movedPlaces[index]) else { return false }
    }
    guard both else { return true }
    movedPlaces[Ring.capacity] = first
    let origin = UInt32(truncatingIfNeeded: u)
    for index in 0..<targetRing.count where !targetRing.has(origin, at: index) {
      guard keepsWinding(targetRing.corners[index], at: first) else { return false }
    }
    return true
  }

  /// Whether a face is wound as before in the texture when one of its corners moves; true if it had no
  /// area there.
  private func keepsWinding(_ corner: CollapseCorner, at position: SIMD2<Float>) -> Bool {
    let (b, c) = (state.places[corner.next.index], state.places[corner.previous.index])

    func area(_ a: SIMD2<Float>) -> Float {
      let (one, other) = (b - a, c - a)
      return one.x * other.y - one.y * other.x
    }
    let before = area(state.places[corner.index])
    guard before != 0, before.isFinite else { return true }
    return before > 0 ? area(position) > 0 : area(position) < 0
  }
}
