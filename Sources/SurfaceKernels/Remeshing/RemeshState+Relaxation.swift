import MeshpipeScene

extension RemeshState {
  /// Moves vertices to the middle of the faces around them, along the surface or their line.
  mutating func relax() {
    let moves = self.moves()
    let isKept = settled(moves)
    var segments = self.segments
    for vertex in moves.indices where isKept[vertex] && moves[vertex].isMoved {
      positions[vertex] = moves[vertex].position
      if roles[vertex].contains(.line) {
        slide(UInt32(vertex), to: moves[vertex].distance, &segments)
      } else {
        anchors[vertex] = moves[vertex].anchor
      }
    }
    self.segments = segments
  }

  /// Where a vertex goes.
  private struct Move: BitwiseCopyable, Sendable {
    var position: Vector3
    var isMoved = false
    var anchor: UInt32 = 0
    /// Along the line of the vertex.
    var distance: Float = 0
  }

  private func moves() -> [Move] {
    Parallel.array(count: positions.count, chunkSize: 1 << 12) { move(of: UInt32($0)) }
  }

  private func move(of vertex: UInt32) -> Move {
    let stay = Move(position: positions[Int(vertex)])
    guard halfedges[Int(vertex)] != Self.none, !roles[Int(vertex)].contains(.fixed) else {
      return stay
    }
    return (roles[Int(vertex)].contains(.line) ? slide(of: vertex) : shift(of: vertex)) ?? stay
  }

  private func slide(of vertex: UInt32) -> Move? {
    var (start, end): (Float?, Float?)
    var line = Self.none
    faces.forEachHalfedge(from: halfedges[Int(vertex)]) { outgoing in
      for halfedge in [outgoing, preceding(outgoing)] {
        let number = segmentNumbers[Int(halfedge)]
        guard number != Self.none else { continue }
        let segment = segments[Int(number)]
        line = segment.line
        if segment.to == vertex { start = segment.start }
        if segment.from == vertex { end = segment.end }
      }
    }
    guard let start, let end, line != Self.none else { return nil }
    let middle = (start + end) / 2
    return Move(
      position: Vector3(lines.position(line, middle, reference.positions)), isMoved: true,
      distance: middle)
  }

  private func slide(
    _ vertex: UInt32, to distance: Float, _ segments: inout [FeatureLines.Segment]
  ) {
    faces.forEachHalfedge(from: halfedges[Int(vertex)]) { outgoing in
      for halfedge in [outgoing, preceding(outgoing)] {
        let number = Int(segmentNumbers[Int(halfedge)])
        guard number != Int(Self.none) else { continue }
        if segments[number].to == vertex { segments[number].end = distance }
        if segments[number].from == vertex { segments[number].start = distance }
      }
    }
  }

  private func shift(of vertex: UInt32) -> Move? {
    let own = position(vertex)
    var middle = SIMD3<Float>.zero
    var normal = SIMD3<Float>.zero
    var weights: Float = 0
    faces.forEachHalfedge(from: halfedges[Int(vertex)]) { outgoing in
      let (b, c) = (faces.end(of: outgoing), faces.vertices[Int(preceding(outgoing))])
      let (pb, pc) = (position(b) - own, position(c) - own)
      let area = pb.cross(pc)
      var weight = area.length
      if sizing.lengths != nil {
        let length = targetLength(b, c)
        weight /= length * length
      }
      normal += area
      weights += weight
      middle += (pb + pc) * (weight / 3)
    }
    guard weights > 0 else { return nil }
    normal = normal.normalized
    let offset = middle / weights
    let point = own + offset - normal * normal.dot(offset)
    let (place, _) = reference.nearest(to: point, from: anchors[Int(vertex)])
    let target = Vector3(reference.position(of: place))
    return target.isFinite ? Move(position: target, isMoved: true, anchor: place.face) : nil
  }

  /// Which vertices move, so that no face turns over: of one that would, all three stay.
  private func settled(_ moves: [Move]) -> [Bool] {
    var isKept = [Bool](repeating: true, count: moves.count)
    var turned = Parallel.mapChunks(of: faces.faceCount) { [isKept] chunk in
      chunk.filter { turns($0, moves, isKept) }
    }.flatMap(\.self)
    while !turned.isEmpty {
      // Only faces around a vertex that stays after all may turn over now.
      var suspects: [Int] = []
      for face in turned {
        for vertex in faces.vertices[3 * face..<3 * face + 3]
        where isKept[Int(vertex)] && moves[Int(vertex)].isMoved {
          isKept[Int(vertex)] = false
          faces.forEachHalfedge(from: halfedges[Int(vertex)]) { suspects.append(Int($0 / 3)) }
        }
      }
      turned = suspects.filter { turns($0, moves, isKept) }
    }
    return isKept
  }

  private func turns(_ face: Int, _ moves: [Move], _ isKept: [Bool]) -> Bool {
    guard !isRemoved(face) else { return false }
    let (a, b, c) = (
      faces.vertices[3 * face], faces.vertices[3 * face + 1], faces.vertices[3 * face + 2]
    )
    let before = (position(a), position(b), position(c))
    @inline(__always) func moved(_ vertex: UInt32, _ old: SIMD3<Float>) -> SIMD3<Float> {
      isKept[Int(vertex)] ? moves[Int(vertex)].position.simd : old
    }
    let after = (moved(a, before.0), moved(b, before.1), moved(c, before.2))
    let old = (before.1 - before.0).cross(before.2 - before.0)
    let new = (after.1 - after.0).cross(after.2 - after.0)
    let product = old.dot(new)
    let squares = old.lengthSquared * new.lengthSquared
    guard old.lengthSquared > 0 else { return false }
    // Of a face without height, the side is a matter of rounding.
    let newQuality = squaredQuality(new.lengthSquared, after)
    if newQuality < Self.leastQuality * Self.leastQuality,
      newQuality < squaredQuality(old.lengthSquared, before)
    {
      return true
    }
    return product <= 0 || product * product < 0.25 * squares
  }
}
