/// An axis-aligned bounding box, empty until a point is added.
@frozen
public struct Box: Sendable, Equatable {
  /// The corner of least coordinates; infinite if the box is empty.
  public var minimum: SIMD3<Float>
  /// The corner of greatest coordinates; negative infinite if the box is empty.
  public var maximum: SIMD3<Float>

  /// Creates the empty box, which contains no point.
  @inlinable
  public init() {
    minimum = SIMD3(repeating: .infinity)
    maximum = SIMD3(repeating: -.infinity)
  }

  /// Creates a box from two corners.
  @inlinable
  public init(minimum: SIMD3<Float>, maximum: SIMD3<Float>) {
    self.minimum = minimum
    self.maximum = maximum
  }

  /// Creates the smallest box around `points`, ignoring non-finite ones.
  @inlinable
  public init(_ points: some Sequence<Vector3>) {
    self.init()
    for point in points where point.isFinite { add(point.simd) }
  }

  /// Whether no point was added.
  @inlinable
  public var isEmpty: Bool { minimum.x > maximum.x }

  /// The edge lengths, zero for an empty box.
  @inlinable
  public var size: SIMD3<Float> { isEmpty ? .zero : maximum - minimum }

  /// The middle of the box, zero for an empty one.
  @inlinable
  public var center: SIMD3<Float> { isEmpty ? .zero : minimum + (maximum - minimum) * 0.5 }

  /// The longest edge: the *extent* of a scene.
  @inlinable
  public var extent: Float { size.max() }

  /// Extends the box to contain a point, whose coordinates must be finite.
  @inlinable
  public mutating func add(_ point: SIMD3<Float>) {
    minimum = pointwiseMin(minimum, point)
    maximum = pointwiseMax(maximum, point)
  }

  /// Extends the box to contain another one.
  @inlinable
  public mutating func add(_ other: Box) {
    minimum = pointwiseMin(minimum, other.minimum)
    maximum = pointwiseMax(maximum, other.maximum)
  }

  /// From the nearest place in the box to a place; zero inside.
  package func offset(to position: SIMD3<Double>) -> SIMD3<Double> {
    position
      - position.clamped(lowerBound: SIMD3<Double>(minimum), upperBound: SIMD3<Double>(maximum))
  }

  /// Whether a point is inside or on the surface.
  @inlinable
  public func contains(_ point: SIMD3<Float>) -> Bool {
    all(point .>= minimum) && all(point .<= maximum)
  }
}
