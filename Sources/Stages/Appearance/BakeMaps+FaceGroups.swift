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

  /// Gives each group a material with the textures of its page.
  func give(_ textures: [BakeMaps.Map: [Texture]], pages: [Int], to scene: inout Scene) {
    guard !textures.isEmpty else { return }
    var places: [BakeMaps.Map: Int] = [:]
    for map in BakeMaps.Map.allCases {
      places[map] = scene.textures.count
      scene.textures += textures[map] ?? []
    }
    let first = UInt32(scene.materials.count)
    for (material, page) in zip(materials, pages) {
      var new = material.map { scene.materials[Int($0)] } ?? Material(name: "baked")
      func texture(_ map: BakeMaps.Map) -> Int? {
        textures[map] == nil ? nil : places[map].map { $0 + page }
      }
      new.normalTexture = texture(.normal) ?? new.normalTexture
      new.occlusionTexture = texture(.occlusion) ?? new.occlusionTexture
      // Both show in light only.
      if textures[.normal] != nil || textures[.occlusion] != nil { new.isUnlit = false }
      if let color = texture(.color) {
        new.baseColorTexture = color
        new.baseColor = SIMD4(1, 1, 1, new.baseColor.w)
      }
      scene.materials.append(new)
    }
    var face = 0
    for index in scene.meshes.indices {
      let count = scene.meshes[index].faceCount
      if count > 0 {
        scene.meshes[index].faceMaterials = ofFaces[face..<face + count].map { first + UInt32($0) }
      }
      face += count
    }
  }
}
