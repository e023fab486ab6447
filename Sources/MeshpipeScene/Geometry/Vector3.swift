/// A packed vector of three single-precision components.
///
/// Arrays of it have a stride of 12 bytes, the layout of every mesh file and of every C library here;
/// `SIMD3<Float>` (stride 16) is for registers only: see ``simd``.
@frozen
public struct Vector3: Sendable, Hashable {
  /// The first coordinate.
  public var x: Float
  /// The second coordinate.
  public var y: Float
  /// The third coordinate.
  public var z: Float

  /// Creates a vector from its coordinates.
  @inlinable
  public init(_ x: Float, _ y: Float, _ z: Float) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Creates a vector from the coordinates of another.
  @inlinable
  public init(_ simd: SIMD3<Float>) {
    self.init(simd.x, simd.y, simd.z)
  }

  /// The zero vector.
  public static let zero = Vector3(0, 0, 0)

  /// The same vector in a register.
  @inlinable
  public var simd: SIMD3<Float> {
    get { SIMD3(x, y, z) }
    set { self = Vector3(newValue) }
  }

  /// The same vector in double precision.
  @inlinable
  public var double: SIMD3<Double> { SIMD3(Double(x), Double(y), Double(z)) }

  /// Whether no component is infinite or NaN.
  @inlinable
  public var isFinite: Bool { x.isFinite && y.isFinite && z.isFinite }

  /// The unit vector in the same direction, or zero for the zero vector.
  @inlinable
  public var normalized: Vector3 { Vector3(simd.normalized) }
}

/// A packed vector of two single-precision components, used for texture coordinates.
@frozen
public struct Vector2: Sendable, Hashable {
  /// The first coordinate, to the right in textures.
  public var x: Float
  /// The second coordinate, up in textures.
  public var y: Float

  /// Creates a vector from its coordinates.
  @inlinable
  public init(_ x: Float, _ y: Float) {
    self.x = x
    self.y = y
  }

  /// The zero vector.
  public static let zero = Vector2(0, 0)

  /// Whether no component is infinite or NaN.
  @inlinable
  public var isFinite: Bool { x.isFinite && y.isFinite }

  /// The same, with zero for each non-finite component.
  @inlinable
  public var finite: Vector2 { Vector2(x.isFinite ? x : 0, y.isFinite ? y : 0) }
}
