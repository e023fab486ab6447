import MeshpipeScene
import POSIX
import SurfaceKernels

/// A small motion of a camera: a rotation about its own centre, then a translation, both in the
/// axes of the world.
struct PoseChange: Sendable, Equatable {
  /// Axis times angle in radians.
  var rotation: SIMD3<Double>
  /// The translation in units of the scene.
  var translation: SIMD3<Double>

  static let none = PoseChange(rotation: .zero, translation: .zero)

  init(rotation: SIMD3<Double>, translation: SIMD3<Double>) {
    self.rotation = rotation
    self.translation = translation
  }

  /// The motion from one pose to another of the same handedness.
  init(from old: Transform, to new: Transform) {
    let before = [old.x.normalized, old.y.normalized, old.z.normalized]
    let after = [new.x.normalized, new.y.normalized, new.z.normalized]
    // Over three perpendicular axes, these sums are 2 sin · axis and 1 + 2 cos, also if mirrored.
    var axis = SIMD3<Double>.zero
    var trace = 0.0
    for (a, b) in zip(before, after) {
      axis += a.cross(b)
      trace += a.dot(b)
    }
    let angle = atan2(axis.length / 2, (trace - 1) / 2)
    self.init(
      rotation: axis.normalized * angle, translation: new.translation - old.translation)
  }
}

extension Transform {
  /// The pose after a motion of its camera.
  func moved(by change: PoseChange) -> Transform {
    var result = self
    let angle = change.rotation.length
    if angle > 0 {
      let turn = Transform(rotationAbout: change.rotation, by: angle)
      result.x = turn.apply(toVector: x)
      result.y = turn.apply(toVector: y)
      result.z = turn.apply(toVector: z)
    }
    result.translation += change.translation
    return result
  }
}
