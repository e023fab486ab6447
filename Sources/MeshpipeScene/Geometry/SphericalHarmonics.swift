import POSIX

/// Real spherical harmonics to degree 3, in the order and with the signs of Gaussian splats (Kerbl and others 2023).
///
/// The functions of a degree are orthonormal. When a sum of them is turned or mirrored it stays one, so that its
/// coefficients are multiplied by a matrix, one for each degree.
package enum SphericalHarmonics {
  /// The value of the only function of degree 0.
  package static let constant = 0.28209479177387814

  /// The highest degree.
  package static let highest = 3

  /// The number of functions from degree 1 to a degree.
  package static func count(toDegree degree: Int) -> Int { (degree + 1) * (degree + 1) - 1 }

  /// The values of the functions of degree 1, 2 and 3 in the direction of a unit vector.
  package static func values(in direction: SIMD3<Double>) -> [[Double]] {
    let (x, y, z) = (direction.x, direction.y, direction.z)
    let (xx, yy, zz) = (x * x, y * y, z * z)
    return [
      [-0.4886025119029199 * y, 0.4886025119029199 * z, -0.4886025119029199 * x],
      [
        1.0925484305920792 * x * y, -1.0925484305920792 * y * z,
        0.31539156525252005 * (2 * zz - xx - yy), -1.0925484305920792 * x * z,
        0.5462742152960396 * (xx - yy),
      ],
      [
        -0.5900435899266435 * y * (3 * xx - yy), 2.890611442640554 * x * y * z,
        -0.4570457994644658 * y * (4 * zz - xx - yy),
        0.3731763325901154 * z * (2 * zz - 3 * xx - 3 * yy),
        -0.4570457994644658 * x * (4 * zz - xx - yy), 1.445305721320277 * z * (xx - yy),
        -0.5900435899266435 * x * (xx - 3 * yy),
      ],
    ]
  }

  /// What becomes of each function of degree 1 to 3 when space is turned: the coefficients of its image among the
  /// functions of its degree.
  ///
  /// They are the products of the image with each function, integrated over all directions.
  /// - Parameter map: A rotation, which may mirror.
  package static func images(under map: Transform) -> [SIMD8<Float>] {
    var images = [SIMD8<Double>](repeating: .zero, count: count(toDegree: highest))
    for node in nodes {
      let (before, after) = (
        values(in: node.direction), values(in: map.apply(toVector: node.direction))
      )
      var first = 0
      for (own, turned) in zip(before, after) {
        for (place, value) in own.enumerated() {
          for (row, other) in turned.enumerated() {
            images[first + place][row] += node.weight * value * other
          }
        }
        first += own.count
      }
    }
    // Where axes are only exchanged, nothing shall be left of rounding.
    return images.map { SIMD8<Float>($0.roundedIfNearlyWhole) }
  }

  /// Directions and weights by which products of two functions are integrated exactly: Gauss's for the height, and equal
  /// angles around it.
  private static let nodes: [(direction: SIMD3<Double>, weight: Double)] = {
    let heights: [(Double, Double)] = [
      (0.8611363115940526, 0.3478548451374538), (0.3399810435848563, 0.6521451548625461),
      (-0.3399810435848563, 0.6521451548625461), (-0.8611363115940526, 0.3478548451374538),
    ]
    let steps = 8
    return heights.flatMap { height, weight in
      (0..<steps).map { step in
        let angle = 2 * Double.pi * Double(step) / Double(steps)
        let radius = (1 - height * height).squareRoot()
        return (
          SIMD3(radius * cos(angle), radius * sin(angle), height),
          weight * 2 * .pi / Double(steps)
        )
      }
    }
  }()
}
