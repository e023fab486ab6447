/// A sum of squared distances to planes, seen from a point: `q(d) = dᵀAd + 2b·d + c`.
///
/// Each plane counts with a weight in square units. The offset `d` is measured from the vertex that
/// owns the quadric and not from the scene's origin, so that single precision is enough: the error
/// of a millimetre in a large room would drown in the rounding of the room's coordinates.
///
/// Garland and Heckbert, "Surface Simplification Using Quadric Error Metrics", 1997.
struct Quadric: BitwiseCopyable {
  /// The diagonal of `A`.
  private(set) var diagonal = SIMD3<Float>.zero
  /// The entries yz, xz and xy of `A`.
  private(set) var sides = SIMD3<Float>.zero
  private(set) var b = SIMD3<Float>.zero
  /// The error at the owner itself.
  private(set) var c: Float = 0
  /// The sum of the weights of the planes.
  private(set) var weight: Float = 0

  /// Adds a plane through the owner.
  ///
  /// - Parameter normal: Of unit length.
  mutating func addPlane(normal: SIMD3<Float>, weight: Float) {
    diagonal += normal * normal * weight
    sides += SIMD3(normal.y * normal.z, normal.x * normal.z, normal.x * normal.y) * weight
    self.weight += weight
  }

  /// The sum of squared distances, weighted, at an offset from the owner.
  @inline(__always)
  func error(at d: SIMD3<Float>) -> Float {
    let image = product(d)
    return max(0, d.dot(image) + 2 * b.dot(d) + c)
  }

  /// Adds the quadric of another vertex.
  ///
  /// - Parameter offset: From the other vertex to the owner of this one.
  mutating func add(_ other: Quadric, offset: SIMD3<Float>) {
    let image = other.product(offset)
    diagonal += other.diagonal
    sides += other.sides
    b += image + other.b
    c += max(0, offset.dot(image) + 2 * other.b.dot(offset) + other.c)
    weight += other.weight
  }

  @inline(__always)
  private func product(_ d: SIMD3<Float>) -> SIMD3<Float> {
    SIMD3(
      diagonal.x * d.x + sides.z * d.y + sides.y * d.z,
      sides.z * d.x + diagonal.y * d.y + sides.x * d.z,
      sides.y * d.x + sides.x * d.y + diagonal.z * d.z)
  }
}
