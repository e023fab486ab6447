extension Scene {
  /// Adds the contents of another scene, converted to this scene's coordinate system and origin.
  ///
  /// Materials and textures are not merged even if they are equal; references to them are adjusted.
  public mutating func append(_ other: consuming Scene) {
    if meshes.isEmpty, pointClouds.isEmpty, capture == nil {
      other.convert(to: coordinateSystem)
      origin = other.origin
      survey = other.survey
    } else {
      other.align(with: self)
      joinSurvey(of: &other)
    }
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
      for key in Material.textureKeys {
        material[keyPath: key] = material[keyPath: key].map { $0 + firstTexture }
      }
      materials.append(material)
    }
    textures += other.textures
    pointClouds += other.pointClouds
    // Both may come from one scene.
    surfaceMaps += other.surfaceMaps.filter { !surfaceMaps.contains($0) }
    shapes += other.shapes
    buildings += other.buildings
    sections += other.sections
    gates += other.gates
    if scale != other.scale { scale = nil }
    interpretation.merge(other.interpretation)
    if let otherRoom = other.room {
      room = room ?? Room(parts: [])
      room?.parts += otherRoom.parts
      room?.uses += otherRoom.uses
    }
    guard let otherCapture = other.capture else { return }
    if capture == nil {
      capture = otherCapture
    } else if capture != otherCapture {
      capture?.frames += otherCapture.frames
      capture?.depthFrames += otherCapture.depthFrames
      capture?.photographs += otherCapture.photographs
      // Files and description of one source don't hold for the frames of the other.
      if capture?.origin != otherCapture.origin { capture?.origin = nil }
    }
  }

  /// Takes what the other scan's file says of its points, which keep their codes.
  private mutating func joinSurvey(of other: inout Scene) {
    guard let second = other.survey else { return }
    guard let own = survey else {
      survey = second
      return
    }
    if own.unclassifiedCode != second.unclassifiedCode {
      markNeverClassified()
      other.markNeverClassified()
      survey?.unclassifiedCode = 1
    }
    survey?.merge(second)
  }

  /// Writes the code of points without a class into an attribute, where it would be the same for all.
  private mutating func markNeverClassified() {
    guard let survey else { return }
    let isNever: UInt8 = survey.unclassifiedCode == 0 ? 1 : 0
    for index in pointClouds.indices
    where pointClouds[index].attributes[Survey.neverClassified] == nil {
      pointClouds[index].attributes.append(
        CustomAttribute(
          Survey.neverClassified,
          values: .uint8(
            [UInt8](repeating: isNever, count: pointClouds[index].positions.count))))
    }
  }

  /// Gives the scene the coordinate system and the origin of another one, without changing its meaning.
  package mutating func align(with other: borrowing Scene) {
    convert(to: other.coordinateSystem)
    guard origin != other.origin else { return }
    apply(Transform(translation: origin - other.origin))
    origin = other.origin
  }

  /// Converts the data to another coordinate system, including units, without changing its meaning.
  ///
  /// Nothing is touched if the scene is already in that system.
  public mutating func convert(to target: CoordinateSystem) {
    guard target != coordinateSystem else { return }
    let transform = coordinateSystem.transform(to: target)
    let (moved, survey) = (transform.apply(toVector: origin), survey)
    apply(transform)
    (origin, self.survey) = (moved, survey)
    coordinateSystem = target
  }
}

extension CoordinateSystem {
  /// The system of the same coordinates with a known up axis and unit instead of the file's.
  public func reread(up: SignedAxis?, metersPerUnit: Double?) -> CoordinateSystem {
    var system = up.map { CoordinateSystem.arkit.with(up: $0) } ?? self
    system.metersPerUnit = metersPerUnit ?? self.metersPerUnit
    return system
  }

  /// The same system with another up axis, and its conventional forward axis.
  public func with(up: SignedAxis) -> CoordinateSystem {
    guard up != self.up else { return self }
    var system = self
    system.up = up
    system.forward = Self.customaryForward(up: up, handedness: handedness)
    return system
  }

  /// The conventional forward axis for an up axis: −Z for Y up and Y for Z up in right-handed
  /// systems (glTF, ARKit; Blender), Z and X in left-handed ones (Unity; Unreal).
  public static func customaryForward(up: SignedAxis, handedness: Handedness) -> SignedAxis {
    switch (up, handedness) {
    case (.z, .right), (.negativeZ, .right), (.x, _), (.negativeX, _): .y
    case (.z, .left), (.negativeZ, .left): .x
    case (.y, .right): .negativeZ
    case (.y, .left), (.negativeY, _): .z
    }
  }
}
