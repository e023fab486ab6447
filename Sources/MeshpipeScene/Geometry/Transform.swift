import POSIX

/// An affine map of space, in double precision: `p ↦ x·p.x + y·p.y + z·p.z + translation`.
///
/// The columns are the images of the axes. As a camera pose it is camera-to-world.
@frozen
public struct Transform: Sendable, Equatable, Codable {
  /// The image of the first axis.
  public var x: SIMD3<Double>
  /// The image of the second axis.
  public var y: SIMD3<Double>
  /// The image of the third axis.
  public var z: SIMD3<Double>
  /// The image of the origin.
  public var translation: SIMD3<Double>

  /// Creates the map of the given images of the axes and of the origin.
  @inlinable
  public init(
    x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>, translation: SIMD3<Double> = .zero
  ) {
    self.x = x
    self.y = y
    self.z = z
    self.translation = translation
  }

  /// The map that changes nothing.
  public static let identity = Transform(
    x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1))

  /// Creates a translation.
  public init(translation: SIMD3<Double>) {
    self = .identity
    self.translation = translation
  }

  /// Creates a scaling along the axes.
  public init(scale: SIMD3<Double>) {
    self.init(x: SIMD3(scale.x, 0, 0), y: SIMD3(0, scale.y, 0), z: SIMD3(0, 0, scale.z))
  }

  /// The image of a point.
  @inlinable
  public func apply(toPoint p: SIMD3<Double>) -> SIMD3<Double> {
    x * p.x + y * p.y + z * p.z + translation
  }

  /// The image of a direction, not normalised.
  @inlinable
  public func apply(toVector v: SIMD3<Double>) -> SIMD3<Double> {
    x * v.x + y * v.y + z * v.z
  }

  /// The same map without its translation.
  public var linear: Transform { Transform(x: x, y: y, z: z) }

  /// The determinant of the linear part: negative if the handedness changes.
  @inlinable
  public var determinant: Double { x.dot(y.cross(z)) }

  /// The map for normals: the cofactor matrix of the linear part, correct for mirrors too.
  @inlinable
  public var normalTransform: Transform {
    Transform(x: y.cross(z), y: z.cross(x), z: x.cross(y))
  }

  /// The inverse map, or nil if the linear part is singular.
  public var inverse: Transform? {
    let determinant = self.determinant
    guard determinant != 0, determinant.isFinite else { return nil }
    let rows = (y.cross(z) / determinant, z.cross(x) / determinant, x.cross(y) / determinant)
    var result = Transform(
      x: SIMD3(rows.0.x, rows.1.x, rows.2.x),
      y: SIMD3(rows.0.y, rows.1.y, rows.2.y),
      z: SIMD3(rows.0.z, rows.1.z, rows.2.z))
    result.translation = -result.apply(toVector: translation)
    return result
  }

  /// The four rows of four numbers of the matrix that is multiplied with a column vector.
  package var rows: [[Double]] {
    (0..<3).map { [x[$0], y[$0], z[$0], translation[$0]] } + [[0, 0, 0, 1]]
  }

  /// The map that applies `right` first and `left` after it.
  @inlinable
  public static func * (left: Transform, right: Transform) -> Transform {
    Transform(
      x: left.apply(toVector: right.x), y: left.apply(toVector: right.y),
      z: left.apply(toVector: right.z), translation: left.apply(toPoint: right.translation))
  }
}

extension Transform {
  /// The rotation of a quaternion x, y, z, w, which is normalised; the identity for a zero
  /// quaternion.
  package init(quaternion: SIMD4<Double>) {
    let length = (quaternion * quaternion).sum().squareRoot()
    guard length > 0, length.isFinite else {
      self = .identity
      return
    }
    let q = quaternion / length
    let (x, y, z, w) = (q.x, q.y, q.z, q.w)
    self.init(
      x: SIMD3(1 - 2 * (y * y + z * z), 2 * (x * y + z * w), 2 * (x * z - y * w)),
      y: SIMD3(2 * (x * y - z * w), 1 - 2 * (x * x + z * z), 2 * (y * z + x * w)),
      z: SIMD3(2 * (x * z + y * w), 2 * (y * z - x * w), 1 - 2 * (x * x + y * y)))
  }

  /// The quaternion x, y, z, w of a rotation, with w not negative, computed from its largest component for accuracy.
  ///
  /// After Shepperd, *Quaternion from rotation matrix* (1978).
  package var quaternion: SIMD4<Double> {
    let trace = x.x + y.y + z.z
    let squares = 2 * SIMD4(x.x, y.y, z.z, trace) - trace + 1
    let differences = SIMD3(y.z - z.y, z.x - x.z, x.y - y.x)
    let sums = SIMD3(y.z + z.y, z.x + x.z, x.y + y.x)
    let largest = squares.max()
    let parts =
      switch largest {
      case squares.w: SIMD4(differences, squares.w)
      case squares.x: SIMD4(squares.x, sums.z, sums.y, differences.x)
      case squares.y: SIMD4(sums.z, squares.y, sums.x, differences.y)
      default: SIMD4(sums.y, sums.x, squares.z, differences.z)
      }
    return (parts.w < 0 ? -parts : parts) / (2 * largest.squareRoot())
  }
}

extension Transform {
  /// Creates a rotation about an axis through the origin, counter-clockwise when looking against
  /// the axis.
  ///
  /// Quarter turns about coordinate axes are exact.
  /// - Parameters:
  ///   - axis: Any non-zero vector.
  ///   - angle: In radians.
  public init(rotationAbout axis: SIMD3<Double>, by angle: Double) {
    let (sine, cosine) = exactSineAndCosine(of: angle)
    let unit = axis.normalized
    // Rodrigues' formula, for each of the three unit vectors.
    func image(_ vector: SIMD3<Double>) -> SIMD3<Double> {
      vector * cosine + unit.cross(vector) * sine + unit * (unit.dot(vector) * (1 - cosine))
    }
    self.init(
      x: image(SIMD3(1, 0, 0)), y: image(SIMD3(0, 1, 0)), z: image(SIMD3(0, 0, 1)))
  }

  /// Creates the rotation about the fixed axes X, then Y, then Z.
  ///
  /// - Parameter angles: In radians.
  public init(rotationAboutXYZ angles: SIMD3<Double>) {
    self =
      Transform(rotationAbout: SIMD3(0, 0, 1), by: angles.z)
      * Transform(rotationAbout: SIMD3(0, 1, 0), by: angles.y)
      * Transform(rotationAbout: SIMD3(1, 0, 0), by: angles.x)
  }

  /// The same map about another origin.
  public func about(_ pivot: SIMD3<Double>) -> Transform {
    guard pivot != .zero else { return self }
    return Transform(translation: pivot) * self * Transform(translation: -pivot)
  }
}

/// Sine and cosine, exact at quarter turns.
private func exactSineAndCosine(of angle: Double) -> (sine: Double, cosine: Double) {
  let quarters = (angle / (.pi / 2)).rounded()
  if abs(quarters) < 1e9, abs(angle - quarters * (.pi / 2)) <= abs(angle) * 1e-15 {
    switch (Int(quarters) % 4 + 4) % 4 {
    case 0: return (0, 1)
    case 1: return (1, 0)
    case 2: return (0, -1)
    default: return (-1, 0)
    }
  }
  return (sin(angle), cos(angle))
}
