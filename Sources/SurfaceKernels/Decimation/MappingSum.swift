import MeshpipeScene

/// The distance of a vertex from where the faces around it map it in the texture.
///
/// Each face maps its plane to the texture. If a vertex moves by `d` on the surface and by `t` in the
/// texture, both as lengths, a face with the gradients `g` and `h` of both coordinates has the
/// squared error `(g·d − t.x)² + (h·d − t.y)²`: that of Hoppe's quadrics of attributes ("New Quadric
/// Metric for Simplifying Meshes with Appearance Attributes", 1999), relative to the vertex. Like
/// ``PlaneSum``, it is made of the present faces, each weighted by the square of twice its area, and
/// forgets those before.
struct MappingSum: BitwiseCopyable {
  /// Errors below this share of what they are differences of are rounding errors.
  private static let roundingShare: Float = 1e-6

  private var matrix = SymmetricMatrix()
  private var gx: Float = 0
  private var gy: Float = 0
  private var gz: Float = 0
  private var hx: Float = 0
  private var hy: Float = 0
  private var hz: Float = 0
  private var weight: Float = 0

  /// The weighted sum of the gradients of the first coordinate.
  private var g: SIMD3<Float> {
    @inline(__always) get { SIMD3(gx, gy, gz) }
  }

  /// The weighted sum of the gradients of the second coordinate.
  private var h: SIMD3<Float> {
    @inline(__always) get { SIMD3(hx, hy, hz) }
  }

  /// Adds a face; without texture coordinates or an area it changes nothing.
  ///
  /// - Parameters:
  ///   - one: From the vertex to the next corner, on the surface and in the texture.
  ///   - other: From the vertex to the corner after that.
  ///   - isSquared: Whether its weight is the square of twice its area, or a third of the area.
  @inline(__always)
  mutating func add(
    _ one: (edge: SIMD3<Float>, step: SIMD2<Float>),
    _ other: (edge: SIMD3<Float>, step: SIMD2<Float>), isSquared: Bool = true
  ) {
    let normal = one.edge.cross(other.edge)
    let square = normal.lengthSquared
    // The gradient of a coordinate times the square: what each corner adds is upright on the
    // opposite side.
    let (first, second) = (other.edge.cross(normal), normal.cross(one.edge))
    let u = first * one.step.x + second * other.step.x
    let v = first * one.step.y + second * other.step.y
    guard square > 0, u.lengthSquared.isFinite, v.lengthSquared.isFinite, square.isFinite else {
      return
    }
    let share = isSquared ? 1 : 1 / (6 * square.squareRoot())
    matrix.addSquare(of: u, times: share / square)
    matrix.addSquare(of: v, times: share / square)
    (gx, gy, gz) = (gx + share * u.x, gy + share * u.y, gz + share * u.z)
    (hx, hy, hz) = (hx + share * v.x, hy + share * v.y, hz + share * v.z)
    weight += share * square
  }

  /// The error if the vertex moves by `d` on the surface and by `t` in the texture.
  @inline(__always)
  func error(at d: SIMD3<Float>, _ t: SIMD2<Float>) -> Float {
    let square = d.dot(matrix * d)
    let sum = square - 2 * (t.x * g.dot(d) + t.y * h.dot(d)) + weight * t.dot(t)
    return max(0, sum - Self.roundingShare * square)
  }

  /// The errors of two neighbours that are merged, as a function of their position on the surface alone: in
  /// the texture they are where the sum is least.
  struct Merged {
    /// The error at `x` is `xᵀAx + 2b·x + c`.
    let matrix: SymmetricMatrix
    let b: SIMD3<Float>
    let c: Float
    private let g: SIMD3<Float>
    private let h: SIMD3<Float>
    private let k: SIMD2<Float>
    private let weight: Float

    /// - Parameters:
    ///   - offset: From the first one to the second one, which positions are relative to.
    ///   - step: The same in the texture.
    init(
      _ one: MappingSum, _ other: MappingSum, offset: SIMD3<Float>, step: SIMD2<Float>
    ) {
      (g, h, weight) = (one.g + other.g, one.h + other.h, one.weight + other.weight)
      let ahead = SIMD2(other.g.dot(offset), other.h.dot(offset))
      k = other.weight * step - ahead
      let share = weight > 0 ? -1 / weight : 0
      var sum = one.matrix
      sum.add(other.matrix)
      sum.addSquare(of: g, times: share)
      sum.addSquare(of: h, times: share)
      matrix = sum
      let image = other.matrix * offset
      let square = offset.dot(image)
      b = other.g * step.x + other.h * step.y - image + (g * k.x + h * k.y) * share
      let rounding = MappingSum.roundingShare * (square + offset.dot(one.matrix * offset))
      c =
        square - 2 * step.dot(ahead) + other.weight * step.dot(step) + share * k.dot(k) - rounding
    }

    @inline(__always)
    func error(at x: SIMD3<Float>) -> Float { max(0, x.dot(matrix * x) + 2 * b.dot(x) + c) }

    /// Where both are in the texture, from the first one, if they are at `x` on the surface.
    func step(to x: SIMD3<Float>) -> SIMD2<Float> {
      weight > 0 ? (SIMD2(g.dot(x), h.dot(x)) + k) / weight : .zero
    }
  }
}

extension SIMD2<Float> {
  @inline(__always)
  fileprivate func dot(_ other: Self) -> Float { x * other.x + y * other.y }
}
