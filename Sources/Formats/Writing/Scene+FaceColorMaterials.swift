import MeshPipeline

extension Scene {
  /// The same with the colours of faces as materials, which phones show where they ignore colours of vertices.
  ///
  /// Textured meshes, and all of them if there would be more than some materials, have the colours on vertices instead.
  func withFaceColorsAsMaterials(atMost most: Int) -> Scene {
    guard meshes.contains(where: { $0.faceColors != nil }) else { return self }
    var scene = self
    var numbers: [ColoredMaterial: UInt32] = [:]
    for index in scene.meshes.indices {
      let mesh = scene.meshes[index]
      guard let colors = mesh.faceColors, !isTextured(mesh) else { continue }
      var own: [UInt32] = []
      own.reserveCapacity(mesh.faceCount)
      for face in 0..<mesh.faceCount {
        let key = ColoredMaterial(material: mesh.faceMaterials?[face], color: colors[face])
        if let known = numbers[key] {
          own.append(known)
          continue
        }
        guard numbers.count < most else { return splitAtFaceColors() }
        let number = UInt32(scene.materials.count)
        numbers[key] = number
        scene.materials.append(material(of: key))
        own.append(number)
      }
      scene.meshes[index].paint(nil)
      scene.meshes[index].faceMaterials = own
    }
    return scene.splitAtFaceColors()
  }

  private func isTextured(_ mesh: Mesh) -> Bool {
    mesh.textureCoordinates != nil
      && Set(mesh.faceMaterials ?? []).contains { materials[Int($0)].baseColorTexture != nil }
  }

  private func material(of key: ColoredMaterial) -> Material {
    var new = Material(ofFacesColored: key.color)
    guard let index = key.material else {
      new.isDoubleSided = true
      return new
    }
    let name = new.name
    let color = new.baseColor
    new = materials[Int(index)]
    new.name += "-" + name
    new.baseColor *= color
    if color.w < 1, new.alphaMode == .opaque { new.alphaMode = .blend }
    return new
  }
}

private struct ColoredMaterial: Hashable {
  var material: UInt32?
  var color: Color
}
