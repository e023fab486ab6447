/// A sum of squared distances to planes, relative to a point: `q(d) = dᵀAd + 2b·d + c`.
///
/// Each plane counts with a weight in square units. The offset `d` is relative to the vertex that
/// owns the quadric, not to the scene's origin, so that single precision is enough: an error of a
/// millimetre in a large room would be lost in the rounding of the room's coordinates.
///
/// Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997.
struct Quadric: BitwiseCopyable {
  var matrix = SymmetricMatrix()
  private var bx: Float = 0
  private var by: Float = 0
  private var bz: Float = 0
  /// The error at the owner itself.
  private(set) var c: Float = 0
  /// The sum of the weights of the planes that count in a mean.
  private(set) var weight: Float = 0

  private var b: SIMD3<Float> {
    @inline(__always) get { SIMD3(bx, by, bz) }
  }

  /// Adds a plane through the owner.
  ///
  /// - Parameters:
  ///   - normal: Of unit length.
  ///   - counts: Whether the plane is part of the mean of squared distances.
  mutating func addPlane(normal: SIMD3<Float>, weight: Float, counts: Bool = true) {
    matrix.addSquare(of: normal, times: weight)
    if counts { self.weight += weight }
  }

  /// The weighted sum of squared distances at an offset from the owner.
  @inline(__always)
  func error(at d: SIMD3<Float>) -> Float {
    // Scalars: assembling vectors takes longer than multiplying them.
    let inX = matrix.xx * d.x + 2 * (matrix.xy * d.y + matrix.xz * d.z + bx)
    let inY = matrix.yy * d.y + 2 * (matrix.yz * d.z + by)
    let inZ = matrix.zz * d.z + 2 * bz
    return max(0, d.x * inX + d.y * inY + d.z * inZ + c)
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

/// The planes of the faces around a vertex, each weighted by the square of twice its area.
///
/// All pass through the vertex, so a matrix gives the squared distance of a point.
struct PlaneSum: BitwiseCopyable {
  /// The first element is negative if it is out of date.
  var matrix = SymmetricMatrix(xx: -1)
  private var x: Float = 0
  private var y: Float = 0
  private var z: Float = 0

  static let zero = PlaneSum(matrix: SymmetricMatrix())

  /// The sum of the area vectors of the faces.
  var areaVector: SIMD3<Float> {
    @inline(__always) get { SIMD3(x, y, z) }
  }

  var isStale: Bool {
    @inline(__always) get { matrix.xx < 0 }
  }

  @inline(__always)
  mutating func add(_ areaVector: SIMD3<Float>) {
    matrix.addSquare(of: areaVector, times: 1)
    x += areaVector.x
    y += areaVector.y
    z += areaVector.z
  }

  @inline(__always)
  mutating func add(_ other: PlaneSum) {
    matrix.add(other.matrix)
    x += other.x
    y += other.y
    z += other.z
  }
}
