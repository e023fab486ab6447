import MeshpipeScene

extension HolePatch {
  /// Rounds in which vertices are spread evenly.
  private static let spreadingRounds = 5
  /// Edges in a plane may be flipped: the least cosine between their faces (6°).
  private static let planeCosine = 0.995
  /// The least height of a face over its longer edge at a vertex that is moved.
  private static let leastSine = 0.05
  /// A crease is made along edges and vertices in this many rounds at most.
  private static let mostCreaseRounds = 4

  /// Continues the planes around a hole up to where they meet.
  ///
  /// Seen along the view of the planes, their surface covers itself nowhere, so a triangulation of the hole's outline in
  /// that picture folds nowhere on the planes either.
  ///
  /// - Parameters:
  ///   - lengths: The mean length of the edges at each vertex of the loop.
  ///   - isForbidden: Whether two vertices of the loop have an edge elsewhere.
  /// - Returns: Nil if the outline crosses itself.
  init?(
    loop: [SIMD3<Double>], on surroundings: PlanarSurroundings, lengths: [Double],
    isForbidden: @escaping @Sendable (Int, Int) -> Bool
  ) {
    let view = surroundings.view
    let outline = loop.map { $0 - view * $0.dot(view) }
    let normals = [SIMD3<Double>](repeating: view, count: loop.count)
    guard
      let triangles = HoleTriangulation.triangles(
        of: outline, outerNormals: normals, isForbidden: isForbidden)
    else { return nil }
    self.init(loop: outline, triangles: triangles, isForbidden: isForbidden)
    guard (0..<faceCount).allSatisfy({ areaVector(ofFace: $0).dot(view) >= 0 }) else { return nil }
    refine(
      to: zip(lengths, loop).map { length, position in
        // Planes are seen shortened in one of their two directions.
        let plane = surroundings.planes[surroundings.plane(along: position)]
        return length * plane.normal.dot(view).squareRoot()
      })
    spread(view)
    makeCreases(loop, surroundings)
    for vertex in loopCount..<positions.count {
      positions[vertex] = surroundings.projected(positions[vertex])
    }
    positions.replaceSubrange(..<loopCount, with: loop)
    flipToDelaunay(leastCosine: Self.planeCosine)
  }

  /// The faces around a new vertex, each by its corner there, beginning with one of them.
  private func corners(from corner: Int) -> [Int] {
    var result = [corner]
    while case let next = Int(opposites[previousCorner(result[result.count - 1])]), next >= 0,
      next != corner
    {
      result.append(next)
    }
    return result
  }

  /// Moves the vertex of a corner unless a face of it would turn over or become a sliver.
  private mutating func move(
    _ corner: Int, to point: SIMD3<Double>, around corners: [Int], _ view: SIMD3<Double>
  ) -> Bool {
    let vertex = Int(indices[corner])
    let old = positions[vertex]
    positions[vertex] = point
    let isPossible = corners.allSatisfy { corner in
      let (next, last) = (
        position(indices[nextCorner(corner)]), position(indices[previousCorner(corner)])
      )
      let longest = max((next - point).lengthSquared, (last - point).lengthSquared)
      return areaVector(ofFace: corner / 3).dot(view) > Self.leastSine * longest
    }
    if !isPossible { positions[vertex] = old }
    return isPossible
  }

  private mutating func spread(_ view: SIMD3<Double>) {
    var first = [Int](repeating: 0, count: positions.count)
    for corner in indices.indices { first[Int(indices[corner])] = corner }
    for _ in 0..<Self.spreadingRounds {
      for vertex in loopCount..<positions.count {
        let corners = corners(from: first[vertex])
        let sum = corners.reduce(SIMD3<Double>.zero) { $0 + position(indices[nextCorner($1)]) }
        _ = move(first[vertex], to: sum / Double(corners.count), around: corners, view)
      }
    }
  }

  /// Puts vertices where edges cross from one plane to another, and one where three planes meet.
  private mutating func makeCreases(
    _ loop: [SIMD3<Double>], _ surroundings: PlanarSurroundings
  ) {
    let view = surroundings.view
    // Vertices of the loop may lie on several.
    var planes = positions.indices.map { vertex in
      vertex < loopCount
        ? surroundings.planes(near: loop[vertex]) : [surroundings.plane(along: positions[vertex])]
    }
    if let corner = surroundings.corner { add(corner - view * corner.dot(view), &planes, view) }
    for _ in 0..<Self.mostCreaseRounds {
      let count = positions.count
      var isDone = true
      for halfedge in indices.indices where opposites[halfedge] >= 0 {
        let (start, end) = ends(of: halfedge)
        guard let from = planes[Int(start)].first, let to = planes[Int(end)].first,
          !planes[Int(start)].contains(where: planes[Int(end)].contains),
          let share = surroundings.crossing(
            from: position(start), to: position(end), between: from, and: to)
        else { continue }
        isDone = false
        let place = position(start) + (position(end) - position(start)) * share
        let met = surroundings.planesMeeting(at: place, from, to)
        let nearest = share < 0.5 ? halfedge : nextCorner(halfedge)
        let vertex = Int(indices[nearest])
        if vertex >= loopCount, planes[vertex].count == 1,
          move(nearest, to: place, around: corners(from: nearest), view)
        {
          planes[vertex] = met
        } else if positions.count < 2 * count {
          divide(halfedge, at: place)
          planes.append(met)
        }
      }
      if isDone { break }
    }
  }

  /// Divides an inner edge and its two faces.
  private mutating func divide(_ halfedge: Int, at position: SIMD3<Double>) {
    let face = halfedge / 3
    let edge = [halfedge, indices.count, indices.count + 3][halfedge % 3]
    split(face)
    positions[positions.count - 1] = position
    // A new vertex has no edge to the other face yet.
    _ = flip(edge)
  }

  /// Adds a vertex in the face that has a position in it.
  private mutating func add(
    _ corner: SIMD3<Double>, _ planes: inout [[Int]], _ view: SIMD3<Double>
  ) {
    for face in 0..<faceCount {
      let vertices = (0..<3).map { indices[3 * face + $0] }
      let isInside = (0..<3).allSatisfy {
        let (a, b) = (position(vertices[$0]), position(vertices[($0 + 1) % 3]))
        return (b - a).cross(corner - a).dot(view) > 0
      }
      guard isInside else { continue }
      split(face)
      positions[positions.count - 1] = corner
      planes.append([0, 1, 2])
      return
    }
  }
}
