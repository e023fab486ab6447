import MeshpipeScene
import POSIX

/// Least-squares fits of geometric distances by the method of Levenberg and Marquardt, as Lukács, Martin and Marshall,
/// "Faithful least-squares fitting of spheres, cylinders, cones and tori for reliable segmentation" (1998), set them up.
extension ShapeModel {
  /// Steps, and those that may fail in a row.
  private static let (steps, mostFailures) = (12, 4)
  /// A step that changes the sum of squares by less is the last one.
  private static let leastGain = 1e-7

  /// The number of parameters.
  private var unknownCount: Int {
    switch kind {
    case .plane: 3
    case .sphere: 4
    case .cylinder: 5
    case .cone: 6
    case .torus: 7
    }
  }

  /// The shape of the same kind that fits samples best; those farther than the tolerance count as if they were there.
  ///
  /// - Parameter numbers: Of the samples.
  /// - Returns: Nil if the samples do not determine it.
  func fitted(
    to samples: ShapeSamples, _ numbers: [Int32], tolerance: Double
  ) -> ShapeModel? {
    var best = recentered(on: samples, numbers)
    var sums = best.sums(samples, numbers, tolerance)
    var (damping, failures) = (1e-4, 0)
    for _ in 0..<Self.steps {
      guard let change = sums.equations.solution(damping: damping) else { return nil }
      let next = best.moved(by: change)
      guard next.isFinite else { return nil }
      let after = next.sums(samples, numbers, tolerance)
      if after.squares < sums.squares {
        let isDone = sums.squares - after.squares < Self.leastGain * sums.squares
        (best, sums, failures) = (next, after, 0)
        damping = max(damping / 10, 1e-9)
        if isDone { break }
      } else {
        failures += 1
        damping *= 10
        if failures > Self.mostFailures { break }
      }
    }
    return best.isProper ? best : nil
  }

  /// Whether radii and angles are those of a shape.
  private var isProper: Bool {
    switch kind {
    case .plane: true
    case .sphere, .cylinder: radius > 0
    case .cone: radius > 0 && slope.x > Self.leastSlope && slope.y > Self.leastSlope
    case .torus: tube > 0 && radius > tube
    }
  }

  /// Sines and cosines of cones that are nearly cylinders or planes (1°).
  private static let leastSlope = 0.0175

  private struct Sums: Sendable {
    var equations: SmallNormalEquations
    var squares = 0.0
  }

  private func sums(_ samples: ShapeSamples, _ numbers: [Int32], _ tolerance: Double) -> Sums {
    let sides = sides
    let limit = tolerance * tolerance
    let parts = Parallel.mapChunks(of: numbers.count, chunkSize: 1 << 13) { range in
      var sums = Sums(equations: SmallNormalEquations(unknownCount: unknownCount))
      for index in range {
        let sample = Int(numbers[index])
        let weight = Double(samples.weights[sample])
        let (distance, terms) = derivatives(at: samples.positions[sample].double, sides)
        let square = distance * distance
        sums.squares += weight * min(square, limit)
        guard square < limit else { continue }
        sums.equations.add(terms, equals: -distance, weight: weight)
      }
      return sums
    }
    var all = Sums(equations: SmallNormalEquations(unknownCount: unknownCount))
    for part in parts {
      all.equations.add(part.equations)
      all.squares += part.squares
    }
    return all
  }

  /// The distance of a point and its derivatives: by movements and turns towards both sides, and by the radii.
  @inline(__always)
  private func derivatives(
    at point: SIMD3<Double>, _ sides: (SIMD3<Double>, SIMD3<Double>)
  ) -> (Double, SIMD8<Double>) {
    let (distance, normal) = nearest(to: point)
    var terms = SIMD8<Double>.zero
    let offset = point - center
    switch kind {
    case .plane:
      terms[0] = -1
      terms[1] = offset.dot(sides.0)
      terms[2] = offset.dot(sides.1)
    case .sphere:
      (terms[0], terms[1], terms[2]) = (-normal.x, -normal.y, -normal.z)
      terms[3] = -1
    case .cylinder, .cone:
      let (height, away, outward) = around(offset)
      let (first, second) = (outward.dot(sides.0), outward.dot(sides.1))
      let turn = -(height * slope.y + away * slope.x)
      (terms[0], terms[1]) = (-slope.y * first, -slope.y * second)
      (terms[2], terms[3]) = (turn * first, turn * second)
      terms[4] = -slope.y
      if kind == .cone { terms[5] = -(away - radius) * slope.x - height * slope.y }
    case .torus:
      let (height, away, outward) = around(offset)
      let length = max(distance + tube, Double.leastNormalMagnitude)
      let turn = radius * height / length
      (terms[0], terms[1], terms[2]) = (-normal.x, -normal.y, -normal.z)
      (terms[3], terms[4]) = (turn * outward.dot(sides.0), turn * outward.dot(sides.1))
      terms[5] = -(away - radius) / length
      terms[6] = -1
    }
    return (distance, terms)
  }

  private func moved(by change: SIMD8<Double>) -> ShapeModel {
    var moved = self
    let sides = sides
    func turn(_ first: Double, _ second: Double) {
      moved.axis = (axis + sides.0 * first + sides.1 * second).normalized
    }
    switch kind {
    case .plane:
      moved.center += axis * change[0]
      turn(change[1], change[2])
    case .sphere:
      moved.center += SIMD3(change[0], change[1], change[2])
      moved.radius += change[3]
    case .cylinder, .cone:
      moved.center += sides.0 * change[0] + sides.1 * change[1]
      turn(change[2], change[3])
      moved.radius += change[4]
      if kind == .cone {
        let angle = atan2(slope.x, slope.y) + change[5]
        moved.slope = SIMD2(sin(angle), cos(angle))
        if moved.slope.x < 0 {
          moved.slope.x = -moved.slope.x
          moved.axis = -moved.axis
        }
      }
    case .torus:
      moved.center += SIMD3(change[0], change[1], change[2])
      turn(change[3], change[4])
      moved.radius += change[5]
      moved.tube += change[6]
    }
    return moved
  }

  /// The shape with its center amid samples, so that movements and turns are independent.
  private func recentered(on samples: ShapeSamples, _ numbers: [Int32]) -> ShapeModel {
    guard kind == .plane || kind == .cylinder || kind == .cone, !numbers.isEmpty else {
      return self
    }
    var sum = SIMD3<Double>.zero
    for number in numbers { sum += samples.positions[Int(number)].double }
    let offset = sum / Double(numbers.count) - center
    var moved = self
    let height = offset.dot(axis)
    guard kind != .plane else {
      moved.center += offset - axis * height
      return moved
    }
    let radius = self.radius + height * slope.x / slope.y
    guard radius > 0 else { return self }
    moved.center += axis * height
    moved.radius = radius
    return moved
  }
}
