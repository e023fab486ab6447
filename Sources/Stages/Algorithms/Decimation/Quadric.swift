/// A sum of squared distances to planes, seen from a point: `q(d) = dᵀAd + 2b·d + c`.
///
/// Each plane counts with a weight in square units. The offset `d` is measured from the vertex that
/// owns the quadric and not from the scene's origin, so that single precision is enough: the error
/// of a millimetre in a large room would drown in the rounding of the room's coordinates.
///
/// Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997.
struct Quadric: BitwiseCopyable {
  var matrix = SymmetricMatrix()
  private var bx: Float = 0
  private var by: Float = 0
  private var bz: Float = 0
  /// The error at the owner itself.
  private(set) var c: Float = 0
  /// The sum of the weights of the planes.
  private(set) var weight: Float = 0

  private var b: SIMD3<Float> {
    @inline(__always) get { SIMD3(bx, by, bz) }
  }

  /// Adds a plane through the owner.
  ///
  /// - Parameter normal: Of unit length.
  mutating func addPlane(normal: SIMD3<Float>, weight: Float) {
    matrix.addSquare(of: normal, times: weight)
    self.weight += weight
  }

  /// The sum of squared distances, weighted, at an offset from the owner.
  @inline(__always)
  func error(at d: SIMD3<Float>) -> Float {
    max(0, d.dot(matrix * d) + 2 * b.dot(d) + c)
  }

  /// Adds the quadric of another vertex.
  ///
  /// - Parameter offset: From the other vertex to the owner of this one.
  mutating func add(_ other: Quadric, offset: SIMD3<Float>) {
    let image = other.matrix * offset
    matrix.add(other.matrix)
    bx += image.x + other.bx
    by += image.y + other.by
    bz += image.z + other.bz
    c += max(0, offset.dot(image) + 2 * other.b.dot(offset) + other.c)
    weight += other.weight
  }

  /// Moves the owner.
  mutating func move(by offset: SIMD3<Float>) {
    let image = matrix * offset
    c = max(0, offset.dot(image) + 2 * b.dot(offset) + c)
    bx += image.x
    by += image.y
    bz += image.z
  }
}

/// A symmetric matrix of three rows, packed.
struct SymmetricMatrix: BitwiseCopyable {
  var xx: Float = 0
  var yy: Float = 0
  var zz: Float = 0
  var yz: Float = 0
  var xz: Float = 0
  var xy: Float = 0

  var trace: Float {
    @inline(__always) get { xx + yy + zz }
  }

  @inline(__always)
  static func * (matrix: SymmetricMatrix, d: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      matrix.xx * d.x + matrix.xy * d.y + matrix.xz * d.z,
      matrix.xy * d.x + matrix.yy * d.y + matrix.yz * d.z,
      matrix.xz * d.x + matrix.yz * d.y + matrix.zz * d.z)
  }

  @inline(__always)
  mutating func add(_ other: SymmetricMatrix) {
    xx += other.xx
    yy += other.yy
    zz += other.zz
    yz += other.yz
    xz += other.xz
    xy += other.xy
  }

  /// Adds the outer product of a vector with itself.
  @inline(__always)
  mutating func addSquare(of n: SIMD3<Float>, times weight: Float) {
    let w = n * weight
    xx += w.x * n.x
    yy += w.y * n.y
    zz += w.z * n.z
    yz += w.y * n.z
    xz += w.x * n.z
    xy += w.x * n.y
  }

  /// The inverse of the matrix after `pull` is added to its diagonal.
  ///
  /// In double precision: the planes around an edge of a flat surface leave a matrix that is nearly
  /// singular, and the small entries of its inverse say where the volume is kept.
  @inline(__always)
  func inverse(pull: Float) -> SymmetricMatrix? {
    let (a, b, c) = (Double(xx + pull), Double(yy + pull), Double(zz + pull))
    let (f, g, h) = (Double(yz), Double(xz), Double(xy))
    let (one, two, three) = (b * c - f * f, f * g - h * c, h * f - b * g)
    let determinant = a * one + h * two + g * three
    let factor = 1 / determinant
    guard determinant > 0, factor.isFinite else { return nil }
    return SymmetricMatrix(
      xx: Float(one * factor), yy: Float((a * c - g * g) * factor),
      zz: Float((a * b - h * h) * factor), yz: Float((g * h - a * f) * factor),
      xz: Float(three * factor), xy: Float(two * factor))
  }
}
