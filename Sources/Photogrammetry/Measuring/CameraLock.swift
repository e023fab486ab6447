package import MeshpipeScene
import POSIX

/// The distance that a camera that should stand still strays within a span of time.
package struct CameraLock {
  /// A camera at a moment.
  package struct Moment: Sendable {
    /// The time in seconds.
    package var time: Double
    /// Camera to world, a rigid motion.
    package var pose: Transform

    package init(time: Double, pose: Transform) {
      self.time = time
      self.pose = pose
    }
  }

  /// The farthest that a camera is from where it was at any moment of the span before.
  package struct Stray: Sendable, Equatable {
    /// The shift in the unit of the poses.
    package var shift = 0.0
    /// The angle of the whole rotation, also about the line of sight.
    package var radians = 0.0
  }

  /// One stray for each moment but the first.
  ///
  /// The greatest of all is the greatest between any two moments that are not farther apart than the span. Needs moments in
  /// the order of time; costs time in proportion to the moments times those in a span.
  package static func strays(of moments: [Moment], within seconds: Double) -> [Stray] {
    var first = 0
    return moments.indices.dropFirst().map { last in
      // Times are sums of decimal fractions: a frame exactly a span ago belongs to it.
      while moments[last].time - moments[first].time > seconds + 1e-6 { first += 1 }
      var stray = Stray()
      for index in first..<last {
        let (one, other) = (moments[index].pose, moments[last].pose)
        stray.shift = max(stray.shift, (other.translation - one.translation).length)
        stray.radians = max(stray.radians, angle(between: one, other))
      }
      return stray
    }
  }

  /// The angle of the rotation from one pose to the other, exact for small ones, too.
  private static func angle(between one: Transform, _ other: Transform) -> Double {
    let axis = SIMD3(
      one.y.dot(other.z) - one.z.dot(other.y), one.z.dot(other.x) - one.x.dot(other.z),
      one.x.dot(other.y) - one.y.dot(other.x))
    let trace = one.x.dot(other.x) + one.y.dot(other.y) + one.z.dot(other.z)
    return atan2(axis.length, trace - 1)
  }
}
