import MeshpipeScene
import NativeLibraries

/// Flattens charts as rigidly as possible, from their projections.
///
/// A projection shortens what is steep. Here each face is given the shape that it has on the surface, only turned; the
/// turns and the positions of the vertices are found in alternation (Liu, Zhang, Xu, Gotsman and Gortler, "A
/// Local/Global Approach to Mesh Parameterization", 2008). Faces may fold, and charts overlap, as in a projection.
enum ChartFlattening {
  private static let rounds = 3
  /// The limits of the cotangents, which are the weights of edges: beyond them are slivers.
  private static let weights = 0.05...20.0
  /// The weight of a vertex's previous position, for parts that nothing else holds.
  private static let hold = 1e-3

  /// The relative error of a length that is left alone.
  private static let tolerance = 1e-3

  /// Flattens some charts; one that can't be flattened stays as it is.
  ///
  /// - Parameter members: Of all charts.
  static func flatten(
    _ surface: ChartSurface, _ parts: [Int], _ members: ChartMembers, in charts: inout ChartSet
  ) {
    let projected = charts
    let places: [[SIMD2<Double>]] = Parallel.map(count: parts.count) { part in
      flattened(surface, members[parts[part]], of: projected)
    }
    for (chart, places) in zip(parts, places) where !places.isEmpty {
      for (index, face) in members[chart].enumerated() {
        for corner in 0..<3 {
          charts.corners[3 * Int(face) + corner] = SIMD2<Float>(places[3 * index + corner])
        }
      }
    }
  }

  /// The positions in the chart of the corners of its faces; none if they should stay.
  private static func flattened(
    _ surface: ChartSurface, _ faces: ArraySlice<UInt32>, of charts: ChartSet
  ) -> [SIMD2<Double>] {
    // A single face is in its plane already.
    guard faces.count > 1 else { return [] }
    let shapes = faces.map { FaceShape(surface, face: Int($0)) }
    var numbers: [UInt32: Int] = [:]
    var vertices: [Int] = []
    var places: [SIMD2<Double>] = []
    vertices.reserveCapacity(3 * faces.count)
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 {
        let vertex = surface.vertices[corner]
        let number = numbers[vertex] ?? places.count
        if number == places.count {
          numbers[vertex] = number
          places.append(SIMD2<Double>(charts.corners[corner]))
        }
        vertices.append(number)
      }
    }
    guard !isTrueToScale(shapes, vertices, places) else { return [] }
    guard let factors = system(shapes, vertices, count: places.count).factors() else { return [] }
    for _ in 0..<rounds {
      guard let solved = factors.solution(rights(shapes, vertices, places)) else { return [] }
      places = solved
    }
    return vertices.map { places[$0] }
  }

  /// Whether all sides have the length that they have on the surface, as in a plane.
  private static func isTrueToScale(
    _ shapes: [FaceShape], _ vertices: [Int], _ places: [SIMD2<Double>]
  ) -> Bool {
    shapes.indices.allSatisfy { face in
      (0..<3).allSatisfy { side in
        let end = places[vertices[3 * face + (side + 1) % 3]]
        let drawn = end - places[vertices[3 * face + side]]
        let (length, wanted) = ((drawn * drawn).sum(), shapes[face].squaredLength(side))
        return abs(length - wanted) <= 2 * tolerance * wanted
      }
    }
  }

  /// Rows for the sides of each face, then one for each vertex.
  private static func system(_ shapes: [FaceShape], _ vertices: [Int], count: Int)
    -> LeastSquares<SIMD2<Double>>
  {
    var system = LeastSquares<SIMD2<Double>>(unknownCount: count)
    for (face, shape) in shapes.enumerated() {
      for side in 0..<3 {
        let root = shape.weights[side].squareRoot()
        let row = system.addRow(.zero)
        system.add(root, row: row, unknown: vertices[3 * face + (side + 1) % 3])
        system.add(-root, row: row, unknown: vertices[3 * face + side])
      }
    }
    for vertex in 0..<count {
      let row = system.addRow(.zero)
      system.add(hold, row: row, unknown: vertex)
    }
    return system
  }

  /// The sides of the faces, each face turned as it now lies, and the positions of the vertices.
  private static func rights(
    _ shapes: [FaceShape], _ vertices: [Int], _ places: [SIMD2<Double>]
  ) -> [SIMD2<Double>] {
    var rights: [SIMD2<Double>] = []
    rights.reserveCapacity(vertices.count + places.count)
    for (face, shape) in shapes.enumerated() {
      let turn = shape.turn(to: InlineArray { places[vertices[3 * face + $0]] })
      for side in 0..<3 {
        rights.append(turn.applied(to: shape.sides[side]) * shape.weights[side].squareRoot())
      }
    }
    for index in places { rights.append(index * hold) }
    return rights
  }

  /// A face laid flat: its sides, each from a corner to the next, and their weights.
  private struct FaceShape {
    var sides: InlineArray<3, SIMD2<Double>>
    var weights: InlineArray<3, Double>

    init(_ surface: ChartSurface, face: Int) {
      func point(_ corner: Int) -> SIMD3<Double> {
        surface.positions[Int(surface.vertices[3 * face + corner])].double
      }
      let (ab, ac) = (point(1) - point(0), point(2) - point(0))
      let length = ab.length
      let doubleArea = ab.cross(ac).length
      // With y down, a counter-clockwise face lies above its first side.
      let third = SIMD2(ab.dot(ac) / length, -doubleArea / length)
      let sides = [SIMD2(length, 0), third - SIMD2(length, 0), -third] as InlineArray<3, _>
      self.sides = sides
      weights = InlineArray { side in
        // The angle at the corner opposite the side.
        let cotangent = -(sides[(side + 1) % 3] * sides[(side + 2) % 3]).sum() / doubleArea
        return min(
          max(cotangent, ChartFlattening.weights.lowerBound), ChartFlattening.weights.upperBound)
      }
    }

    func squaredLength(_ side: Int) -> Double { (sides[side] * sides[side]).sum() }

    /// The rotation that brings the face nearest to where its corners are.
    func turn(to places: InlineArray<3, SIMD2<Double>>) -> Turn {
      var sum = Turn(cosine: 0, sine: 0)
      for side in 0..<3 {
        let (from, to) = (sides[side], places[(side + 1) % 3] - places[side])
        sum.cosine += weights[side] * (from.x * to.x + from.y * to.y)
        sum.sine += weights[side] * (from.x * to.y - from.y * to.x)
      }
      let length = (sum.cosine * sum.cosine + sum.sine * sum.sine).squareRoot()
      return length > 0
        ? Turn(cosine: sum.cosine / length, sine: sum.sine / length) : Turn(cosine: 1, sine: 0)
    }
  }

  private struct Turn {
    var cosine: Double
    var sine: Double

    func applied(to side: SIMD2<Double>) -> SIMD2<Double> {
      SIMD2(cosine * side.x - sine * side.y, sine * side.x + cosine * side.y)
    }
  }
}
