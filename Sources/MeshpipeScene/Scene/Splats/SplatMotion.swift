import POSIX

/// What an affine map makes of Gaussian splats, besides moving their centres.
///
/// A splat is an ellipsoid, whose rotation and lengths follow from its covariance as the map changes it. Its colours are
/// those of the same sight before: turned with the map, or with its nearest rotation where it stretches.
struct SplatMotion {
  private let map: Transform
  private let isometry: Transform
  /// Nil for a map that stretches.
  private let scale: Double?

  init(_ map: Transform) {
    let axes = PrincipalAxes(map)
    self.map = map.linear
    isometry = axes.nearestIsometry.roundedToAxes
    scale = axes.uniformScale.map { abs($0 - 1) < 1e-9 ? 1 : $0 }
  }

  /// Changes the splats of a cloud.
  func apply(to cloud: inout PointCloud, _ form: SplatForm) {
    if let scale {
      turn(&cloud)
      if scale != 1 {
        let change = Float(log(scale))
        cloud.updateFloats(of: SplatForm.Name.scale) { values in
          Parallel.update(&values) { lengths in
            for index in lengths.indices { lengths[index] += change }
          }
        }
      }
    } else {
      stretch(&cloud, form)
    }
    let growth = scale ?? cbrt(abs(map.determinant))
    if growth != 1 {
      cloud.updateFloats(of: SplatForm.Name.filter) { $0 = $0.map { $0 * Float(growth) } }
    }
    turnColors(of: &cloud, degree: form.degree)
  }

  // MARK: Ellipsoids

  private func turn(_ cloud: inout PointCloud) {
    // An ellipsoid looks the same from the other side, so that a mirror is a rotation for it.
    let turn = isometry.determinant < 0 ? isometry.negated : isometry
    guard turn != .identity else { return }
    let turning = turn.quaternion
    cloud.updateFloats(of: SplatForm.Name.rotation) { values in
      Parallel.update(&values, chunkSize: 4 << 12) { numbers in
        for first in stride(from: 0, to: numbers.count, by: 4) {
          let own = SIMD4<Double>(
            SIMD4(numbers[first + 1], numbers[first + 2], numbers[first + 3], numbers[first]))
          let turned = Self.product(turning, Self.normalized(own))
          for index in 0..<3 { numbers[first + 1 + index] = Float(turned[index]) }
          numbers[first] = Float(turned.w)
        }
      }
    }
  }

  /// The unit quaternion; a zero one stands for no rotation.
  private static func normalized(_ quaternion: SIMD4<Double>) -> SIMD4<Double> {
    let length = (quaternion * quaternion).sum().squareRoot()
    return length > 0 ? quaternion / length : SIMD4(0, 0, 0, 1)
  }

  private static func product(_ a: SIMD4<Double>, _ b: SIMD4<Double>) -> SIMD4<Double> {
    let (u, v) = (SIMD3(a.x, a.y, a.z), SIMD3(b.x, b.y, b.z))
    return SIMD4(v * a.w + u * b.w + u.cross(v), a.w * b.w - u.dot(v))
  }

  private func stretch(_ cloud: inout PointCloud, _ form: SplatForm) {
    guard let turns = cloud.floats(of: SplatForm.Name.rotation, width: 4),
      let lengths = cloud.floats(of: SplatForm.Name.scale, width: form.scaleCount)
    else { return }
    let splats = Parallel.array(count: cloud.positions.count, chunkSize: 1 << 12) { splat in
      stretched(splat, turns: turns, logarithms: lengths, width: form.scaleCount)
    }
    cloud.updateFloats(of: SplatForm.Name.rotation) { values in
      for (splat, index) in zip(splats, stride(from: 0, to: values.count, by: 4)) {
        for part in 0..<4 { values[index + part] = splat.rotation[part] }
      }
    }
    let width = form.scaleCount
    cloud.updateFloats(of: SplatForm.Name.scale) { values in
      for (splat, index) in zip(splats, stride(from: 0, to: values.count, by: width)) {
        for part in 0..<width { values[index + part] = splat.lengths[part] }
      }
    }
  }

  /// A splat's numbers as they are in its attributes.
  private struct Ellipsoid: Sendable, BitwiseCopyable {
    var rotation: SIMD4<Float>
    var lengths: SIMD3<Float>
  }

  private func stretched(
    _ splat: Int, turns: [Float], logarithms: [Float], width: Int
  ) -> Ellipsoid {
    let own = (0..<4).reduce(into: SIMD4<Double>.zero) { $0[$1] = Double(turns[4 * splat + $1]) }
    let axes = map * Transform(quaternion: SIMD4(own.y, own.z, own.w, own.x))
    var lengths = (0..<width).reduce(into: SIMD3<Double>.zero) {
      $0[$1] = exp(Double(logarithms[width * splat + $1]))
    }
    // A flat splat keeps a trace of thickness, by which its third axis stays the normal.
    lengths = pointwiseMax(lengths, SIMD3(repeating: max(lengths.max() * 1e-12, 1e-100)))
    let result = PrincipalAxes(
      Transform(x: axes.x * lengths.x, y: axes.y * lengths.y, z: axes.z * lengths.z))
    let turn = result.rotation.quaternion
    return Ellipsoid(
      rotation: SIMD4<Float>(SIMD4(turn.w, turn.x, turn.y, turn.z)),
      lengths: SIMD3(
        Float(log(result.lengths.x)), Float(log(result.lengths.y)), Float(log(result.lengths.z))))
  }

  // MARK: Colours

  private func turnColors(of cloud: inout PointCloud, degree: Int) {
    guard degree > 0, isometry != .identity else { return }
    let images = SphericalHarmonics.images(under: isometry)
    let channel = SphericalHarmonics.count(toDegree: degree)
    cloud.updateFloats(of: SplatForm.Name.harmonics) { values in
      Parallel.update(&values, chunkSize: 3 * channel << 10) { numbers in
        for start in stride(from: 0, to: numbers.count, by: channel) {
          var first = 0
          for size in stride(from: 3, through: 2 * degree + 1, by: 2) {
            var sum = SIMD8<Float>.zero
            for index in first..<first + size { sum += images[index] * numbers[start + index] }
            for row in 0..<size { numbers[start + first + row] = sum[row] }
            first += size
          }
        }
      }
    }
  }
}

extension Transform {
  /// The map to the opposite side of the origin.
  fileprivate var negated: Transform { Transform(x: -x, y: -y, z: -z) }

  /// The map without what rounding has left beside axes, so that what it leaves alone stays bit by bit.
  fileprivate var roundedToAxes: Transform {
    Transform(
      x: x.roundedIfNearlyWhole, y: y.roundedIfNearlyWhole, z: z.roundedIfNearlyWhole)
  }
}
