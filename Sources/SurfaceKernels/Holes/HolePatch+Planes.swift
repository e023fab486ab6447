import MeshpipeScene

extension HolePatch {
  /// Rounds in which vertices are spread evenly over the planes.
  private static let spreadingRounds = 10
  /// A face must look the way of its plane: the least cosine (80°).
  private static let leastCosineOfFace = 0.17
  /// Edges in a plane may be flipped: the least cosine between their faces (6°).
  private static let planeCosine = 0.995

  /// Continues the planes around the hole up to where they meet.
  ///
  /// - Returns: False if faces would fold over; the patch then stays.
  mutating func extend(_ surroundings: PlanarSurroundings) -> Bool {
    guard positions.count > loopCount else { return false }
    let start = self
    let neighbors = neighbors()
    for vertex in loopCount..<positions.count {
      positions[vertex] = surroundings.projected(positions[vertex])
    }
    for _ in 0..<Self.spreadingRounds {
      for vertex in loopCount..<positions.count {
        let around = neighbors[vertex]
        let mean = around.reduce(SIMD3<Double>.zero) { $0 + positions[Int($1)] }
        positions[vertex] = surroundings.projected(mean / Double(around.count))
      }
    }
    moveToCreases(surroundings)
    flipToDelaunay(leastCosine: Self.planeCosine)
    guard isUnfolded(surroundings) else {
      self = start
      return false
    }
    return true
  }

  private func neighbors() -> [[Int32]] {
    var result = [[Int32]](repeating: [], count: positions.count)
    for halfedge in indices.indices {
      let (start, end) = ends(of: halfedge)
      result[Int(start)].append(end)
      if opposites[halfedge] < 0 { result[Int(end)].append(start) }
    }
    return result
  }

  /// Moves one end of each edge that crosses from one plane to another to where they meet, and puts a vertex where three
  /// meet.
  private mutating func moveToCreases(_ surroundings: PlanarSurroundings) {
    // Vertices of the loop may lie on several.
    var planes = positions.indices.map { vertex in
      vertex < loopCount
        ? surroundings.planes(near: positions[vertex])
        : [surroundings.value(at: positions[vertex]).plane]
    }
    // Where both ends of a crossing edge lie on the loop, the other diagonal may have an end that can move.
    for halfedge in indices.indices where opposites[halfedge] >= 0 {
      let (a, b) = ends(of: halfedge)
      guard max(a, b) < loopCount, planes[Int(a)].allSatisfy({ !planes[Int(b)].contains($0) }),
        max(apex(of: halfedge), apex(of: Int(opposites[halfedge]))) >= loopCount
      else { continue }
      _ = flip(halfedge)
    }
    for halfedge in indices.indices where opposites[halfedge] < halfedge {
      let (a, b) = ends(of: halfedge)
      let (first, second) = (planes[Int(a)], planes[Int(b)])
      guard let from = first.first, let to = second.first, !first.contains(where: second.contains)
      else { continue }
      let moves = [a, b].filter { $0 >= loopCount && planes[Int($0)].count == 1 }.map { vertex in
        let place = surroundings.planes[from].projected(
          position(vertex), onto: surroundings.planes[to])
        return (vertex: Int(vertex), place: place, shift: (place - position(vertex)).length)
      }
      guard let move = moves.min(by: { $0.shift < $1.shift }),
        move.shift <= (position(a) - position(b)).length
      else { continue }
      positions[move.vertex] = move.place
      planes[move.vertex] = [from, to]
    }
    guard let corner = surroundings.corner else { return }
    for face in 0..<faceCount {
      let own = (0..<3).map { Set(planes[Int(indices[3 * face + $0])]) }
      guard own[0].union(own[1]).union(own[2]).count == 3,
        own[0].intersection(own[1]).isDisjoint(with: own[2])
      else { continue }
      split(face)
      positions[positions.count - 1] = corner
      planes.append([0, 1, 2])
    }
  }

  private func isUnfolded(_ surroundings: PlanarSurroundings) -> Bool {
    let length = surroundings.tolerance
    return (0..<faceCount).allSatisfy { face in
      let normal = areaVector(ofFace: face)
      // Slivers along the loop have no direction.
      guard normal.length > 1e-3 * length * length else { return true }
      let middle = (0..<3).reduce(SIMD3<Double>.zero) { $0 + position(indices[3 * face + $1]) } / 3
      let plane = surroundings.planes[surroundings.value(at: middle).plane]
      return normal.normalized.dot(plane.normal) >= Self.leastCosineOfFace
    }
  }
}
