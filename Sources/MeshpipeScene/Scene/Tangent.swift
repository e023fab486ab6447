/// The direction on a surface in which the first texture coordinate grows, and on which side of it
/// the second one does.
///
/// As in glTF, the bitangent is `cross(normal, tangent) * w`. It points up in the picture: to larger
/// V, since texture coordinates are from the lower left corner.
public struct Tangent: Sendable, Hashable {
  /// The first coordinate of the unit direction.
  public var x: Float
  /// The second coordinate of the unit direction.
  public var y: Float
  /// The third coordinate of the unit direction.
  public var z: Float
  /// 1, or -1 where the picture is mirrored.
  public var w: Float

  /// Creates a tangent from its direction and side.
  @inlinable
  public init(_ direction: SIMD3<Float>, w: Float) {
    (x, y, z) = (direction.x, direction.y, direction.z)
    self.w = w
  }

  /// The tangent of a corner that has none: its direction is zero.
  public static let none = Tangent(.zero, w: 1)

  /// The unit direction, or zero.
  @inlinable
  public var direction: SIMD3<Float> {
    get { SIMD3(x, y, z) }
    set { (x, y, z) = (newValue.x, newValue.y, newValue.z) }
  }
}

/// A unit direction, and the side that the greater weight is on.
extension Tangent: AttributeValue {
  @inlinable package static var isContinuous: Bool { true }
  @inlinable package var terms: SIMD4<Float> { SIMD4(direction, w) }

  @inlinable
  package init(sum: SIMD4<Float>, weight: Float, fallback: Tangent) {
    let unit = SIMD3(sum.x, sum.y, sum.z).normalized
    self.init(
      unit == .zero ? fallback.direction : unit,
      w: sum.w == 0 ? fallback.w : sum.w < 0 ? -1 : 1)
  }

  @inlinable package var isFinite: Bool {
    x.isFinite && y.isFinite && z.isFinite && w.isFinite
  }
}

extension [Tangent] {
  /// Maps every direction, and keeps the bitangents on the mapped surface.
  mutating func apply(_ transform: Transform) {
    var linear = transform
    linear.translation = .zero
    if linear == .identity { return }
    let permutation = AxisPermutation(linear)
    // Normals still point out of a mirrored surface, but a cross product is not mirrored with its
    // factors: the bitangent would point to the other side.
    let side: Float = transform.determinant < 0 ? -1 : 1
    for index in indices {
      let direction = self[index].direction
      self[index].direction =
        permutation?.apply(to: direction)
        ?? SIMD3<Float>(linear.apply(toVector: SIMD3<Double>(direction)).normalized)
      self[index].w *= side
    }
  }
}
