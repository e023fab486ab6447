import MeshPipeline

/// The faces of a scene by their material.
struct FaceGroups {
  /// The group of each face of all meshes.
  private(set) var ofFaces: [Int] = []
  /// The material of each group; nil for none.
  private var materials: [UInt32?] = []

  init(of scene: borrowing Scene) {
    var numbers: [UInt32?: Int] = [:]
    for index in scene.meshes.indices {
      for face in 0..<scene.meshes[index].faceCount {
        let material = scene.meshes[index].faceMaterials?[face]
        let number = numbers[material] ?? materials.count
        if number == materials.count {
          numbers[material] = number
          materials.append(material)
        }
        ofFaces.append(number)
      }
    }
  }

  /// A material to be: that of a group, or for faces without one that of their class.
  private struct Key: Hashable {
    var group: Int
    var className: String?
  }

  /// Gives each group a material with the textures of its page.
  ///
  /// Faces without a material keep the looks that files give to their class, or to those without one.
  func give(_ pictures: BakeMaps.Pictures, pages: [Int], to scene: inout Scene) {
    let textures = pictures.textures
    guard !textures.isEmpty else { return }
    var places: [BakeMaps.Map: Int] = [:]
    for map in BakeMaps.Map.allCases {
      places[map] = scene.textures.count
      scene.textures += textures[map] ?? []
    }
    let isColored = scene.meshes.contains { $0.colors != nil || $0.faceColors != nil }
    var numbers: [Key: UInt32] = [:]
    func number(of key: Key) -> UInt32 {
      if let known = numbers[key] { return known }
      let old = materials[key.group].map { scene.materials[Int($0)] }
      let new = old ?? Self.material(ofClass: key.className, isColored: isColored)
      let number = UInt32(scene.materials.count)
      scene.materials.append(
        Self.material(new, with: pictures, places, page: pages[key.group], group: key.group))
      numbers[key] = number
      return number
    }
    var face = 0
    for index in scene.meshes.indices where scene.meshes[index].faceCount > 0 {
      let count = scene.meshes[index].faceCount
      let classes = scene.meshes[index].classes
      // Runs of faces have the same material.
      var (last, lastNumber): (SIMD2<Int>?, UInt32) = (nil, 0)
      scene.meshes[index].faceMaterials = (0..<count).map { own in
        let group = ofFaces[face + own]
        let label = materials[group] == nil ? classes.map { Int($0.labels[own]) } ?? -1 : -1
        if last != SIMD2(group, label) {
          last = SIMD2(group, label)
          lastNumber = number(
            of: Key(group: group, className: label < 0 ? nil : classes?.names[label]))
        }
        return lastNumber
      }
      face += count
    }
  }

  private static func material(ofClass name: String?, isColored: Bool) -> Material {
    name.map { Material(ofClass: $0, isColored: isColored) }
      ?? Material(plain: "baked", isColored: isColored)
  }

  /// A material with the textures of a page.
  private static func material(
    _ old: Material, with pictures: BakeMaps.Pictures, _ places: [BakeMaps.Map: Int], page: Int,
    group: Int
  ) -> Material {
    var new = old
    func texture(_ map: BakeMaps.Map) -> Int? {
      pictures.textures[map]?.isEmpty != false ? nil : places[map].map { $0 + page }
    }
    new.normalTexture =
      pictures.hasFlatNormals ? nil : texture(.normal) ?? new.normalTexture
    new.occlusionTexture = texture(.occlusion) ?? new.occlusionTexture
    if let map = texture(.metallicRoughness) {
      (new.metallicRoughnessTexture, new.metallic, new.roughness) = (map, 1, 1)
    }
    if let map = texture(.emissive) {
      (new.emissiveTexture, new.emissive) = (map, SIMD3(repeating: pictures.emissiveWhite))
    }
    // They show in light only.
    let lit: [BakeMaps.Map] = [.normal, .occlusion, .metallicRoughness, .emissive]
    if lit.contains(where: { pictures.textures[$0] != nil }) { new.isUnlit = false }
    if let color = texture(.color) {
      new.baseColorTexture = color
      if let modes = pictures.alphaModes {
        new.baseColor = .one
        new.alphaMode = modes[group] ?? .opaque
      } else {
        new.baseColor = SIMD4(1, 1, 1, new.baseColor.w)
        // The picture has no opacity.
        if new.baseColor.w == 1 { new.alphaMode = .opaque }
      }
    }
    return new
  }
}
