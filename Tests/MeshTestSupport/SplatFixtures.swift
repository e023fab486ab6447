import Foundation
import MeshPipeline

/// Gaussian splats, and what they look like by the definitions.
package enum SplatFixtures {
  /// Random splats in the order of the reference implementation's files.
  package static func cloud(
    _ count: Int, degree: Int = 3, scaleCount: Int = 3, seed: UInt64 = 1
  ) -> PointCloud {
    var random = SeededGenerator(seed: seed)
    func numbers(_ width: Int, _ range: ClosedRange<Float>) -> CustomAttribute.Values {
      .float32((0..<width * count).map { _ in Float.random(in: range, using: &random) })
    }
    var cloud = PointCloud(name: "splats")
    for _ in 0..<count {
      let place = (0..<3).map { _ in Float.random(in: -2...2, using: &random) }
      cloud.positions.append(Vector3(place[0], place[1], place[2]))
    }
    cloud.normals = [Vector3](repeating: .zero, count: count)
    cloud.attributes = [CustomAttribute("f_dc", width: 3, values: numbers(3, -1...1))]
    let width = 3 * ((degree + 1) * (degree + 1) - 1)
    if width > 0 {
      cloud.attributes.append(
        CustomAttribute("f_rest", width: width, values: numbers(width, -0.5...0.5)))
    }
    cloud.attributes += [
      CustomAttribute("opacity", values: numbers(1, -4...4)),
      CustomAttribute("scale", width: scaleCount, values: numbers(scaleCount, -6...(-1))),
      CustomAttribute("rot", width: 4, values: numbers(4, -1...1)),
    ]
    return cloud
  }

  /// Directions all around.
  package static let directions: [SIMD3<Double>] = (0..<40).map { number in
    let z = 1 - (2 * Double(number) + 1) / 40
    let (angle, radius) = (2.4 * Double(number), (1 - z * z).squareRoot())
    return SIMD3(radius * cos(angle), radius * sin(angle), z)
  }

  /// A real spherical harmonic by its definition, with the phase of Condon and Shortley.
  package static func harmonic(
    _ degree: Int, _ order: Int, _ direction: SIMD3<Double>
  ) -> Double {
    let m = abs(order)
    let sine = (1 - direction.z * direction.z).squareRoot()
    // The associated Legendre function, by its recurrence.
    var value = (0..<m).reduce(1) { $0 * -Double(2 * $1 + 1) * sine }
    var before = 0.0
    for l in m..<degree {
      let next =
        (Double(2 * l + 1) * direction.z * value - Double(l + m) * before) / Double(l + 1 - m)
      (before, value) = (value, next)
    }
    let ratio = (degree - m + 1..<degree + m + 1).reduce(1) { $0 * Double($1) }
    let norm = (Double(2 * degree + 1) / (4 * .pi * ratio)).squareRoot()
    let angle = atan2(direction.y, direction.x)
    if order == 0 { return norm * value }
    return 2.0.squareRoot() * norm * value
      * (order > 0 ? cos(Double(m) * angle) : sin(Double(m) * angle))
  }

  /// The colour of a splat that is seen along a direction.
  package static func color(
    _ splat: Int, of cloud: PointCloud, along direction: SIMD3<Double>
  ) -> SIMD3<Double> {
    var color = SIMD3<Double>.zero
    for channel in 0..<3 {
      if let mean = cloud.attributes["f_dc"] {
        color[channel] = mean.values.double(at: 3 * splat + channel) * harmonic(0, 0, direction)
      }
      guard let rest = cloud.attributes["f_rest"] else { continue }
      let count = rest.width / 3
      var place = rest.width * splat + count * channel
      for degree in 1..<Int(Double(count + 1).squareRoot()) {
        for order in -degree...degree {
          color[channel] += rest.values.double(at: place) * harmonic(degree, order, direction)
          place += 1
        }
      }
    }
    return color
  }

  /// The covariance of a splat, column by column.
  package static func covariance(_ splat: Int, of cloud: PointCloud) -> [SIMD3<Double>] {
    guard let rotation = cloud.attributes["rot"], let scale = cloud.attributes["scale"] else {
      return []
    }
    let q = (0..<4).map { rotation.values.double(at: 4 * splat + $0) }
    // How a quaternion turns a vector, without its matrix.
    let (w, axis) = (q[0], SIMD3(q[1], q[2], q[3]))
    let length = w * w + axis.dot(axis)
    func turned(_ vector: SIMD3<Double>) -> SIMD3<Double> {
      let twice = 2 * axis.cross(vector) / length
      return vector + w * twice + axis.cross(twice)
    }
    var columns = [SIMD3<Double>](repeating: .zero, count: 3)
    for part in 0..<scale.width {
      var unit = SIMD3<Double>.zero
      unit[part] = exp(scale.values.double(at: scale.width * splat + part))
      let half = turned(unit)
      for column in 0..<3 { columns[column] += half * half[column] }
    }
    return columns
  }

  /// A covariance after a linear map.
  package static func mapped(_ columns: [SIMD3<Double>], by map: Transform) -> [SIMD3<Double>] {
    let left = columns.map { map.apply(toVector: $0) }
    let rows = (0..<3).map { row in SIMD3(left[0][row], left[1][row], left[2][row]) }
    let both = rows.map { map.apply(toVector: $0) }
    return (0..<3).map { column in SIMD3(both[0][column], both[1][column], both[2][column]) }
  }

  /// The largest difference of two covariances, as a share of the size of the first.
  package static func difference(_ a: [SIMD3<Double>], _ b: [SIMD3<Double>]) -> Double {
    let size = a.map(\.length).max() ?? 0
    return zip(a, b).map { ($0 - $1).length }.max().map { $0 / size } ?? .infinity
  }
}
