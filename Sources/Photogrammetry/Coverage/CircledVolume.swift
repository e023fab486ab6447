import MeshpipeBase
package import MeshpipeScene
import POSIX
import SurfaceKernels

/// The ball around an object that the cameras of a capture go around and look at.
///
/// Who stands in a room looks outwards, and along a path each camera looks elsewhere: neither has one.
package struct CircledVolume: Sendable, Equatable {
  /// The point that is nearest to the optical axes, in the scene's axes and unit.
  package let center: SIMD3<Double>
  /// Half of what the median camera sees of the plane through the centre, along the narrower side of its image, in the
  /// scene's unit.
  package let radius: Double

  /// With fewer cameras nothing is concluded.
  private static let fewestCameras = 8
  /// The share of the cameras that must look at the centre, and the largest angle between their axis and its direction
  /// at which they do: a quarter of what a phone's camera sees.
  private static let leastShare = 0.9
  private static let leastCosine = 0.94
  /// The largest angle around the vertical through the centre without a camera, in radians: three quarters of a circle,
  /// since many objects stand at a wall.
  private static let widestGap = 1.5 * Double.pi
  /// The rounds in which cameras that look elsewhere are left out of the centre.
  private static let rounds = 5

  /// Looks for a volume; nil if the cameras circle none.
  package init?(_ frames: [Capture.Frame], up: SignedAxis) {
    let cameras = frames.map { Camera($0) }
    guard cameras.count >= Self.fewestCameras, var center = Self.nearestPoint(to: cameras) else {
      return nil
    }
    for _ in 0..<Self.rounds {
      let looking = cameras.filter { $0.looks(at: center, Self.leastCosine) }
      guard looking.count >= Self.fewestCameras, let next = Self.nearestPoint(to: looking) else {
        return nil
      }
      center = next
    }
    let looking = cameras.filter { $0.looks(at: center, Self.leastCosine) }
    guard Double(looking.count) >= Self.leastShare * Double(cameras.count),
      Self.gap(between: looking, around: center, up) <= Self.widestGap,
      let radius = looking.map({ Double($0.halfView(at: center)) }).median(), radius > 0
    else { return nil }
    self.center = center
    self.radius = radius
  }

  /// The point with the least sum of squared distances from the optical axes; nil if these are parallel.
  private static func nearestPoint(to cameras: [Camera]) -> SIMD3<Double>? {
    var matrix = SymmetricMatrix()
    var right = SIMD3<Float>.zero
    // Near their mean numbers are small enough for single precision.
    let mean = cameras.reduce(SIMD3<Float>.zero) { $0 + $1.position } / Float(max(cameras.count, 1))
    for camera in cameras {
      // The square of the distance from an axis is that of the part across its direction.
      var across = SymmetricMatrix(xx: 1, yy: 1, zz: 1)
      across.addSquare(of: camera.forward, times: -1)
      matrix.add(across)
      right += across * (camera.position - mean)
    }
    let diagonal = SIMD3(Double(matrix.xx), Double(matrix.yy), Double(matrix.zz))
    guard let inverse = matrix.inverse(diagonal: diagonal) else { return nil }
    let point = inverse * right + mean
    guard point.x.isFinite, point.y.isFinite, point.z.isFinite else { return nil }
    return SIMD3<Double>(point)
  }

  /// The largest angle between neighbours in the order around the vertical through a point.
  private static func gap(
    between cameras: [Camera], around center: SIMD3<Double>, _ up: SignedAxis
  ) -> Double {
    let (first, second) = ((up.index + 1) % 3, (up.index + 2) % 3)
    let angles = cameras.map { camera in
      let offset = SIMD3<Double>(camera.position) - center
      return atan2(offset[first], offset[second])
    }.sorted()
    // After the last one comes the first, one turn later.
    let next = angles.dropFirst() + angles.prefix(1).map { $0 + 2 * .pi }
    return zip(next, angles).map { $0 - $1 }.max() ?? 2 * .pi
  }
}

extension Camera {
  /// Whether a point is near the optical axis, before the camera.
  fileprivate func looks(at point: SIMD3<Double>, _ leastCosine: Double) -> Bool {
    let offset = SIMD3<Float>(point) - position
    return forward.dot(offset) > Float(leastCosine) * offset.length
  }

  /// Half of the narrower side of what the camera sees at the depth of a point.
  fileprivate func halfView(at point: SIMD3<Double>) -> Float {
    let depth = forward.dot(SIMD3<Float>(point) - position)
    return depth * min(size.x / focalLength.x, size.y / focalLength.y) / 2
  }
}
