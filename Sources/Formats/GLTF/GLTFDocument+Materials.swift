import MeshPipeline

/// The materials of a written file.
extension GLTFDocument {
  func value(of entry: MaterialTable.Entry) -> JSONValue {
    let material = writable(entry.material)
    var members: [JSONValue.Member] = [
      .init("name", JSONValue(.string(entry.name))),
      .init("pbrMetallicRoughness", surface(of: material)),
    ]
    add("normalTexture", material.normalTexture, to: &members)
    add("occlusionTexture", material.occlusionTexture, to: &members)
    add("emissiveTexture", material.emissiveTexture, to: &members)
    // A factor is at most 1.
    let strength = max(1, material.emissive.max())
    if material.emissive != .zero {
      let factor = (material.emissive / strength).clamped(
        lowerBound: .zero, upperBound: SIMD3(repeating: 1))
      members.append(.init("emissiveFactor", [factor.x, factor.y, factor.z].map(Double.init).json))
    }
    switch material.shownAlphaMode {
    case .opaque: break
    case .mask(let cutoff):
      members.append(.init("alphaMode", "MASK"))
      members.append(.init("alphaCutoff", JSONValue(.number(Double(cutoff)))))
    case .blend: members.append(.init("alphaMode", "BLEND"))
    }
    if material.isDoubleSided { members.append(.init("doubleSided", true)) }
    var extensions: [JSONValue.Member] = []
    if material.isUnlit {
      extensions.append(.init("KHR_materials_unlit", JSONValue(.object([]))))
    }
    if strength > 1 {
      extensions.append(
        .init(
          GLTFExtensions.emissiveStrength,
          ["emissiveStrength": JSONValue(.number(Double(strength)))]))
    }
    if !extensions.isEmpty { members.append(.init("extensions", JSONValue(.object(extensions)))) }
    if let name = entry.className {
      var extras = [JSONValue.Member("classification", JSONValue(.string(name)))]
      if !material.name.isEmpty, material.name != entry.name {
        extras.append(.init("material", JSONValue(.string(material.name))))
      }
      members.append(.init("extras", JSONValue(.object(extras))))
    }
    return JSONValue(.object(members))
  }

  private func surface(of material: Material) -> JSONValue {
    var members: [JSONValue.Member] = []
    let color = material.baseColor
    if color != SIMD4(repeating: 1) {
      let factor = [color.x, color.y, color.z, color.w].map(Double.init)
      members.append(.init("baseColorFactor", factor.json))
    }
    add("baseColorTexture", material.baseColorTexture, to: &members)
    members.append(.init("metallicFactor", JSONValue(.number(Double(material.metallic)))))
    members.append(.init("roughnessFactor", JSONValue(.number(Double(material.roughness)))))
    add("metallicRoughnessTexture", material.metallicRoughnessTexture, to: &members)
    return JSONValue(.object(members))
  }

  /// A material without the textures that glTF doesn't allow.
  private func writable(_ material: Material) -> Material {
    var material = material
    for key in Material.textureKeys {
      if let texture = material[keyPath: key], !textures.contains(texture) {
        material.removeTexture(key)
      }
    }
    return material
  }

  /// Adds the reference to a texture, if there is one.
  private func add(_ name: String, _ texture: Int?, to members: inout [JSONValue.Member]) {
    guard let texture, let place = textures.firstIndex(of: texture) else { return }
    var reference = [JSONValue.Member("index", place.json)]
    if let textureGrid { reference.append(textureGrid.referenceMember) }
    members.append(.init(name, JSONValue(.object(reference))))
  }
}
