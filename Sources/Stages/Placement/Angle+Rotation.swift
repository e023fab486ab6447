import MeshPipeline

/// A rotation as a stage parameter: no angles, or three about the fixed axes x, then y, then z.
extension [Angle] {
  /// The rotation; the identity unless there are three angles.
  var rotation: Transform {
    guard count == 3 else { return .identity }
    return Transform(rotationAboutXYZ: SIMD3(self[0].radians, self[1].radians, self[2].radians))
  }

  /// The fault of the parameter `rotate`; nil if its number of angles is valid.
  var rotationFault: String? {
    isEmpty || count == 3 ? nil : "'rotate' must be three angles, found \(count)"
  }
}
