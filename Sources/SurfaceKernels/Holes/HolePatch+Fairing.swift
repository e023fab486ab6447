import MeshpipeScene
import NativeLibraries

extension HolePatch {
  // The metric is that of the patch as it was before, so the system is solved again with that of its result. Some
  // patches, as over the end of a tube, never come to rest: after the usual rounds, each has to move clearly less.
  private static let usualRounds = 3
  private static let mostRounds = 12
  private static let leastProgress = 0.8
  /// A patch is at rest once no vertex moves by more than this share of the mean edge.
  private static let leastMove = 0.02
  /// The weight that holds a vertex where it was, so that the system is always determined: far below the stiffness of
  /// the largest patches, which is 1 over the fourth power of the edges across.
  private static let anchor = 1e-6
  /// Cotangents of angles below 2° say nothing about a surface.
  private static let greatestCotangent = 30.0

  /// Bends the patch like a thin plate that continues the surface around the hole.
  ///
  /// Minimises the integral of the squared difference between the Laplacian of positions (cotangent weights) and that of
  /// a surface with the given mean curvature, over the patch and its border, where the faces around give the tangents.
  /// Liepa 2003 §4; Botsch and Kobbelt, "An intuitive framework for real-time freeform modeling" (2004). A plate that
  /// is flat when nothing bends it would cap a sphere too low; with the curvature around as its rest, it is the sphere's.
  ///
  /// - Parameter meanCurvature: Over the unit of positions; positive where the surface bulges outwards.
  /// - Returns: False if it would lead farther away than half the width of the hole, or can't be solved; the patch then
  ///   stays.
  mutating func fair(with surroundings: HoleSurroundings, meanCurvature: Double) -> Bool {
    guard positions.count > loopCount else { return true }
    let start = positions
    let extent = Box(positions[..<loopCount].map { Vector3(SIMD3<Float>($0)) }).extent
    var lastMove = Double.infinity
    for round in 0..<Self.mostRounds {
      guard let bent = bent(with: surroundings, meanCurvature) else { break }
      let isNear = zip(bent, start[loopCount...]).allSatisfy {
        ($0 - $1).length <= Double(extent) / 2
      }
      guard isNear else {
        guard round < Self.usualRounds else { break }
        positions = start
        return meanCurvature != 0 && fair(with: surroundings, meanCurvature: 0)
      }
      let move = zip(bent, positions[loopCount...]).reduce(0) { max($0, ($1.0 - $1.1).length) }
      positions.replaceSubrange(loopCount..., with: bent)
      if move <= Self.leastMove * surroundings.meanEdgeLength { break }
      if round >= Self.usualRounds - 1, move > Self.leastProgress * lastMove { break }
      lastMove = move
    }
    return positions != start
  }

  /// The new vertices of the thin plate in the present metric.
  private func bent(
    with surroundings: HoleSurroundings, _ meanCurvature: Double
  ) -> [SIMD3<Double>]? {
    let length = surroundings.meanEdgeLength
    guard length > 0, length.isFinite else { return nil }
    let middle = positions[..<loopCount].reduce(.zero, +) / Double(loopCount)
    let all = (positions + surroundings.positions).map { ($0 - middle) / length }
    return system(of: all, with: surroundings, meanCurvature * length).solution()?.map {
      $0 * length + middle
    }
  }

  /// The system whose solution are the new vertices.
  ///
  /// - Parameters:
  ///   - all: The vertices of the patch and of the surroundings.
  ///   - meanCurvature: Over the unit of these.
  private func system(
    of all: [SIMD3<Double>], with surroundings: HoleSurroundings, _ meanCurvature: Double
  ) -> LeastSquares<SIMD3<Double>> {
    var faces = (0..<faceCount).map {
      SIMD3(indices[3 * $0], indices[3 * $0 + 1], indices[3 * $0 + 2])
    }
    faces += surroundings.faces.map { face in
      SIMD3(number(face.x), number(face.y), number(face.z))
    }
    var areas = [Double](repeating: 0, count: all.count)
    var normals = [SIMD3<Double>](repeating: .zero, count: all.count)
    let shapes = faces.map { TriangleShape($0, all) }
    for (face, shape) in zip(faces, shapes) {
      for index in 0..<3 {
        areas[Int(face[index])] += shape.area / 3
        normals[Int(face[index])] += shape.areaVector
      }
    }
    var system = LeastSquares<SIMD3<Double>>(unknownCount: positions.count - loopCount)
    let scales: [Double] = areas.indices.map { vertex in
      let isFaired = vertex >= loopCount || surroundings.isClosed[vertex]
      return isFaired && areas[vertex] > 0 ? 1 / areas[vertex].squareRoot() : 0
    }
    for vertex in positions.indices {
      // The Laplacian of positions is twice the mean curvature, against the normal.
      let laplacian = normals[vertex].normalized * (-2 * meanCurvature)
      _ = system.addRow(scales[vertex] > 0 ? laplacian * areas[vertex].squareRoot() : .zero)
    }
    for (face, shape) in zip(faces, shapes) {
      for index in 0..<3 {
        let weight =
          min(max(shape.cotangents[index], -Self.greatestCotangent), Self.greatestCotangent) / 2
        let (a, b) = (Int(face[(index + 1) % 3]), Int(face[(index + 2) % 3]))
        add(weight, from: a, to: b, scales: scales, positions: all, &system)
        add(weight, from: b, to: a, scales: scales, positions: all, &system)
      }
    }
    for vertex in loopCount..<positions.count {
      let row = system.addRow(all[vertex] * Self.anchor)
      system.add(Self.anchor, row: row, unknown: vertex - loopCount)
    }
    return system
  }

  /// The index of a vertex among those of the patch followed by those of the surroundings.
  private func number(_ vertex: Int32) -> Int32 {
    vertex >= 0 ? vertex : Int32(positions.count) - 1 - vertex
  }

  /// Adds a weight times the difference from a vertex to another to the Laplacian of the former.
  private func add(
    _ weight: Double, from vertex: Int, to other: Int, scales: [Double],
    positions all: [SIMD3<Double>], _ system: inout LeastSquares<SIMD3<Double>>
  ) {
    guard vertex < positions.count, scales[vertex] > 0 else { return }
    let value = weight * scales[vertex]
    for (end, share) in [(other, value), (vertex, -value)] {
      if end >= loopCount, end < positions.count {
        system.add(share, row: vertex, unknown: end - loopCount)
      } else {
        system.add(all[end] * -share, toRight: vertex)
      }
    }
  }
}

/// The contribution of a triangle to the Laplacian of its corners.
private struct TriangleShape {
  let area: Double
  /// The normal of the triangle, with twice its area as length.
  let areaVector: SIMD3<Double>
  /// The cotangent of the angle at each corner.
  let cotangents: SIMD3<Double>

  init(_ face: SIMD3<Int32>, _ positions: [SIMD3<Double>]) {
    let corners = (0..<3).map { positions[Int(face[$0])] }
    areaVector = (corners[1] - corners[0]).cross(corners[2] - corners[0])
    let double = areaVector.length
    area = double / 2
    var cotangents = SIMD3<Double>.zero
    for index in 0..<3 where double > 0 {
      let first = corners[(index + 1) % 3] - corners[index]
      cotangents[index] = first.dot(corners[(index + 2) % 3] - corners[index]) / double
    }
    self.cotangents = cotangents
  }
}
