import POSIX

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
