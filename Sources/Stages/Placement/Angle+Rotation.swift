import MeshPipeline

/// A rotation as stages take it: no angle, or three about the fixed axes x, then y, then z.
extension [Angle] {
  /// The rotation; none when there are not three angles.
  var rotation: Transform {
    guard count == 3 else { return .identity }
    return Transform(rotationAboutXYZ: SIMD3(self[0].radians, self[1].radians, self[2].radians))
  }

  /// What is wrong with the number of angles of the parameter `rotate`; nil when nothing is.
  var rotationFault: String? {
    isEmpty || count == 3 ? nil : "'rotate' must be three angles, found \(count)"
  }
}
