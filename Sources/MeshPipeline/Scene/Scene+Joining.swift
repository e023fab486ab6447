extension Scene {
  /// Adds everything of another scene, in this scene's coordinate system.
  ///
  /// Materials and textures are kept apart even when they are equal; references to them are adjusted.
  public mutating func append(_ other: consuming Scene) {
    other.convert(to: coordinateSystem)
    let firstTexture = textures.count
    let firstMaterial = UInt32(materials.count)
    for var mesh in other.meshes {
      if firstMaterial > 0, var faceMaterials = mesh.faceMaterials.take() {
        for face in faceMaterials.indices { faceMaterials[face] += firstMaterial }
        mesh.faceMaterials = faceMaterials
      }
      meshes.append(mesh)
    }
    for var material in other.materials {
      material.baseColorTexture = material.baseColorTexture.map { $0 + firstTexture }
      material.normalTexture = material.normalTexture.map { $0 + firstTexture }
      materials.append(material)
    }
    textures += other.textures
    pointClouds += other.pointClouds
    guard let otherCapture = other.capture else { return }
    if capture == nil {
      capture = otherCapture
    } else if capture != otherCapture {
      capture?.frames += otherCapture.frames
    }
  }

  /// Turns the data so that it reads the same in another coordinate system, units included.
  ///
  /// Nothing is touched when the scene is in that system already.
  public mutating func convert(to target: CoordinateSystem) {
    guard target != coordinateSystem else { return }
    apply(coordinateSystem.transform(to: target))
    coordinateSystem = target
  }
}

extension CoordinateSystem {
  /// The system of the same numbers for someone who knows better than the file which axis is up, and
  /// how long a unit is.
  public func reread(up: SignedAxis?, metersPerUnit: Double?) -> CoordinateSystem {
    var system = up.map { CoordinateSystem.arkit.with(up: $0) } ?? self
    system.metersPerUnit = metersPerUnit ?? self.metersPerUnit
    return system
  }

  /// The same system with another axis upwards, and the forward axis that goes with it by custom.
  public func with(up: SignedAxis) -> CoordinateSystem {
    guard up != self.up else { return self }
    var system = self
    system.up = up
    system.forward = Self.customaryForward(up: up, handedness: handedness)
    return system
  }

  /// The forward axis that programs with such an up axis have: −Z where Y is up and Y where Z is up
  /// in right-handed systems (glTF, ARKit; Blender), Z and X in left-handed ones (Unity; Unreal).
  public static func customaryForward(up: SignedAxis, handedness: Handedness) -> SignedAxis {
    switch (up, handedness) {
    case (.z, .right), (.negativeZ, .right), (.x, _), (.negativeX, _): .y
    case (.z, .left), (.negativeZ, .left): .x
    case (.y, .right): .negativeZ
    case (.y, .left), (.negativeY, _): .z
    }
  }
}
