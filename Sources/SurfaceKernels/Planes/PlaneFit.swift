import MeshpipeScene

/// The plane through the middles of faces, weighted by their areas, and how it fits.
struct PlaneFit: Sendable {
  private(set) var area = 0.0
  /// The sums of the middles, of their products, and of the area vectors.
  private var middles = SIMD3<Double>.zero
  private var squares = SIMD3<Double>.zero
  private var products = SIMD3<Double>.zero
  private var normals = SIMD3<Double>.zero

  /// Rounds of inverse iteration; the least eigenvalue is that of noise, the others those of an extent.
  private static let iterations = 4

  mutating func add(middle: SIMD3<Double>, normal: SIMD3<Double>, area: Double) {
    self.area += area
    middles += middle * area
    squares += middle * middle * area
    products += SIMD3(middle.y * middle.z, middle.x * middle.z, middle.x * middle.y) * area
    normals += normal * area
  }

  mutating func add(_ other: PlaneFit) {
    area += other.area
    middles += other.middles
    squares += other.squares
    products += other.products
    normals += other.normals
  }

  var center: SIMD3<Double> { middles / area }

  /// The root mean square of the distances from the center.
  var extent: Double {
    let center = center
    return max((squares / area - center * center).sum(), 0).squareRoot()
  }

  /// The direction in which the middles vary least, on the side of the faces' normals.
  var normal: SIMD3<Double> {
    let mean = normals.normalized
    let center = center
    let d = squares / area - center * center
    let o = products / area - SIMD3(center.y * center.z, center.x * center.z, center.x * center.y)
    // The matrix of cofactors is a multiple of the inverse, and exists for an exact plane.
    let rows = (
      SIMD3(d.y * d.z - o.x * o.x, o.x * o.y - o.z * d.z, o.z * o.x - o.y * d.y),
      SIMD3(o.x * o.y - o.z * d.z, d.x * d.z - o.y * o.y, o.y * o.z - o.x * d.x),
      SIMD3(o.z * o.x - o.y * d.y, o.y * o.z - o.x * d.x, d.x * d.y - o.z * o.z)
    )
    var direction = mean
    for _ in 0..<Self.iterations {
      let next = SIMD3(rows.0.dot(direction), rows.1.dot(direction), rows.2.dot(direction))
        .normalized
      guard next != .zero else { break }
      direction = next
    }
    // Few faces in a row determine no plane: their normals do.
    return direction.dot(mean) > Self.leastAgreement ? direction : mean
  }

  /// The least cosine between the direction of least variance and the mean normal (26°).
  private static let leastAgreement = 0.9
}

/// The steady turn of a region's normals with their positions: noise turns them any way, a curved surface steadily.
struct NormalTurn: Sendable {
  private let axes: (SIMD3<Double>, SIMD3<Double>)
  private let plane: Plane
  /// Sums of products: of the turns along both axes with the positions along both, and of positions with positions.
  private var turns = SIMD4<Double>.zero
  private var places = SIMD3<Double>.zero
  private var area = 0.0

  init(_ plane: Plane) {
    self.plane = plane
    axes = perpendiculars(of: plane.normal)
  }

  mutating func add(offset: SIMD3<Double>, normal: SIMD3<Double>, area: Double) {
    let position = SIMD2(offset.dot(axes.0), offset.dot(axes.1))
    let turn = SIMD2(normal.dot(axes.0), normal.dot(axes.1))
    turns +=
      SIMD4(turn.x * position.x, turn.x * position.y, turn.y * position.x, turn.y * position.y)
      * area
    places +=
      SIMD3(position.x * position.x, position.y * position.y, position.x * position.y) * area
    self.area += area
  }

  /// The root mean square, in radians, of the turn that is a linear function of the position.
  var angle: Double {
    let determinant = places.x * places.y - places.z * places.z
    guard determinant > 0, area > 0 else { return 0 }
    // The square of the regression K = T P⁻¹ over the positions is the trace of T P⁻¹ Tᵀ.
    let first = SIMD2(turns.x, turns.y)
    let second = SIMD2(turns.z, turns.w)
    func energy(_ t: SIMD2<Double>) -> Double {
      (places.y * t.x * t.x - 2 * places.z * t.x * t.y + places.x * t.y * t.y) / determinant
    }
    return (max(energy(first) + energy(second), 0) / area).squareRoot()
  }
}
