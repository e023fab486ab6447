import MeshpipeScene

extension HolePatch {
  /// The most vertices that a patch gets; larger holes get longer edges than their surroundings.
  private static let mostVertices = 50_000.0
  /// A face is divided where its middle is farther from its corners than the edges there are long over this factor
  /// (Liepa's α).
  private static let densityFactor = 2.0.squareRoot()
  /// Rounds double the number of vertices or more.
  private static let mostRounds = 24
  /// Flips of an edge, on the average, after which the rest stay as they are.
  private static let mostFlips = 12

  /// Divides faces and flips edges until edges are about as long as those around the hole.
  ///
  /// P. Liepa, "Filling holes in meshes" (2003), after Pfeifle and Seidel (1996).
  ///
  /// - Parameter lengths: The mean length of the edges at each vertex of the loop.
  mutating func refine(to lengths: [Double]) {
    var lengths = lengths.map { $0 * coarseness(of: lengths) }
    for _ in 0..<Self.mostRounds {
      let count = faceCount
      for face in 0..<count where isCoarse(face, lengths) {
        let corners = (0..<3).map { lengths[Int(indices[3 * face + $0])] }
        split(face)
        lengths.append(corners.reduce(0, +) / 3)
      }
      let isDone = faceCount == count
      flipToDelaunay()
      if isDone { return }
    }
  }

  /// The factor by which edges are longer than wanted, so that a patch does not get too many vertices.
  private func coarseness(of lengths: [Double]) -> Double {
    let area = (0..<faceCount).reduce(0) { $0 + areaVector(ofFace: $1).length } / 2
    let square = lengths.reduce(0) { $0 + $1 * $1 } / Double(lengths.count)
    guard square > 0, area.isFinite else { return 1 }
    // A vertex has two equilateral triangles.
    let count = area / (square * 0.75.squareRoot())
    return max(1, (count / Self.mostVertices).squareRoot())
  }

  private func isCoarse(_ face: Int, _ lengths: [Double]) -> Bool {
    let corners = (0..<3).map { Int(indices[3 * face + $0]) }
    let middle = corners.reduce(SIMD3<Double>.zero) { $0 + positions[$1] } / 3
    let length = corners.reduce(0) { $0 + lengths[$1] } / 3
    return corners.allSatisfy {
      let distance = Self.densityFactor * (positions[$0] - middle).length
      return distance > length && distance > lengths[$0]
    }
  }

  /// Flips edges until the angles opposite of each are together at most 180°.
  ///
  /// - Parameter leastCosine: Of the angle between the normals at an edge that may be flipped.
  mutating func flipToDelaunay(leastCosine: Double = -1) {
    var open = Array(opposites.indices.reversed())
    var left = Self.mostFlips * opposites.count
    while let halfedge = open.popLast(), left > 0 {
      guard isBetterFlipped(halfedge, leastCosine), flip(halfedge) else { continue }
      left -= 1
      for start in [halfedge / 3 * 3, Int(opposites[halfedge / 3 * 3]) / 3 * 3] {
        open += [start + 1, start + 2]
      }
    }
  }

  private func isBetterFlipped(_ halfedge: Int, _ leastCosine: Double) -> Bool {
    let other = Int(opposites[halfedge])
    guard other >= 0 else { return false }
    let (a, b) = ends(of: halfedge)
    let (c, d) = (apex(of: halfedge), apex(of: other))
    let (atC, atD) = (angle(a, c, b), angle(a, d, b))
    guard atC.cosine * atD.sine + atC.sine * atD.cosine < -Self.cocircular else { return false }
    let (first, second) = (areaVector(a, b, c), areaVector(b, a, d))
    guard first.normalized.dot(second.normalized) >= leastCosine else { return false }
    // Faces must not fold over.
    let normal = first + second
    return areaVector(c, d, b).dot(normal) > 0 && areaVector(d, c, a).dot(normal) > 0
  }

  /// Four vertices on a circle have two triangulations that are equally good, of which rounding must not choose in turn.
  private static var cocircular: Double { 1e-9 }

  private func angle(_ a: Int32, _ tip: Int32, _ b: Int32) -> (cosine: Double, sine: Double) {
    let (first, second) = (position(a) - position(tip), position(b) - position(tip))
    let scale = (first.lengthSquared * second.lengthSquared).squareRoot()
    guard scale > 0 else { return (1, 0) }
    return (first.dot(second) / scale, first.cross(second).length / scale)
  }
}
