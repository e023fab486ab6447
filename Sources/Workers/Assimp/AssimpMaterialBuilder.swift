internal import CAssimp
import MeshpipeScene

/// Builds the materials of an `aiScene`.
@unsafe
struct AssimpMaterialBuilder {
  private let scene: Scene
  private let arena: AssimpArena

  init(_ scene: Scene, arena: AssimpArena) {
    unsafe self.scene = scene
    unsafe self.arena = arena
  }

  /// The scene's materials, or a plain one: a mesh without a material crashes six exporters.
  func materials() -> [UnsafeMutablePointer<aiMaterial>] {
    let all = unsafe scene.materials
    let plain = Material(name: "default", baseColor: SIMD4(0.8, 0.8, 0.8, 1))
    return unsafe (all.isEmpty ? [plain] : all).map { unsafe material($0) }
  }

  private func material(_ material: Material) -> UnsafeMutablePointer<aiMaterial> {
    let color = material.baseColor
    var list = PropertyList()
    list.add("?mat.name", string: material.name)
    list.add("$mat.shadingm", Int32(aiShadingMode_Phong.rawValue))
    for key in ["$clr.diffuse", "$clr.base"] {
      list.add(key, [color.x, color.y, color.z, color.w])
    }
    // A weak dielectric highlight, as most programs assume; Blender and others derive the roughness
    // from the exponent and the metalness from the reflectivity.
    list.add("$clr.specular", [0.2, 0.2, 0.2, 1] as [Float])
    let smoothness = 1 - material.roughness
    list.add("$mat.shininess", [max(100 * smoothness * smoothness, 1e-4)])
    list.add("$mat.shinpercent", [0.25] as [Float])
    list.add("$mat.reflectivity", [material.metallic])
    list.add("$clr.ambient", [0, 0, 0, 1] as [Float])
    let emissive = material.emissive
    list.add("$clr.emissive", [emissive.x, emissive.y, emissive.z, 1])
    list.add("$mat.opacity", [color.w])
    list.add("$mat.metallicFactor", [material.metallic])
    list.add("$mat.roughnessFactor", [material.roughness])
    list.add("$mat.twosided", Int32(material.isDoubleSided ? 1 : 0))
    if let texture = material.baseColorTexture {
      unsafe list.add("$tex.file", string: reference(to: texture), kind: aiTextureType_DIFFUSE)
    }
    if let texture = material.normalTexture {
      unsafe list.add("$tex.file", string: reference(to: texture), kind: aiTextureType_NORMALS)
    }
    if let texture = material.emissiveTexture {
      unsafe list.add("$tex.file", string: reference(to: texture), kind: aiTextureType_EMISSIVE)
    }
    return unsafe list.material(in: arena)
  }

  /// The texture file, or `*2` for the third embedded texture.
  private func reference(to texture: Int) -> String {
    let texture = (index: texture, value: unsafe scene.textures[texture])
    guard !texture.value.bytes.isEmpty else { return texture.value.fileName }
    return unsafe "*\(scene.textures[..<texture.index].count { !$0.bytes.isEmpty })"
  }
}

/// The properties of a material being built.
private struct PropertyList {
  private struct Property {
    var key: String
    var kind: aiTextureType
    var type: aiPropertyTypeInfo
    var bytes: [UInt8]
  }

  private var properties: [Property] = []

  mutating func add(_ key: String, _ numbers: [Float]) {
    let bytes = numbers.flatMap { number in
      (0..<4).map { UInt8(truncatingIfNeeded: number.bitPattern >> (8 * $0)) }
    }
    add(key, aiPTI_Float, bytes)
  }

  mutating func add(_ key: String, _ number: Int32) {
    add(key, aiPTI_Integer, (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
  }

  /// A string consists of its length, its bytes and a zero.
  mutating func add(_ key: String, string: String, kind: aiTextureType = aiTextureType_NONE) {
    let text = Array(string.utf8.prefix(1000))
    let length = (0..<4).map { UInt8(truncatingIfNeeded: text.count >> (8 * $0)) }
    add(key, aiPTI_String, length + text + [0], kind: kind)
  }

  private mutating func add(
    _ key: String, _ type: aiPropertyTypeInfo, _ bytes: [UInt8],
    kind: aiTextureType = aiTextureType_NONE
  ) {
    properties.append(Property(key: key, kind: kind, type: type, bytes: bytes))
  }

  @unsafe
  func material(in arena: AssimpArena) -> UnsafeMutablePointer<aiMaterial> {
    let built = unsafe properties.map { property in
      let result = unsafe arena.allocate(aiMaterialProperty.self, 1)
      unsafe result.pointee.mKey = aiString(property.key)
      unsafe result.pointee.mSemantic = property.kind.rawValue
      unsafe result.pointee.mType = property.type
      unsafe result.pointee.mDataLength = UInt32(property.bytes.count)
      let bytes = unsafe arena.copy(property.bytes)
      unsafe result.pointee.mData = unsafe UnsafeMutableRawPointer(bytes)
        .assumingMemoryBound(to: CChar.self)
      return unsafe result
    }
    let material = unsafe arena.allocate(aiMaterial.self, 1)
    unsafe material.pointee.mProperties = unsafe arena.list(built)
    unsafe material.pointee.mNumProperties = UInt32(built.count)
    // Assimp's copy has room for as many as are claimed to be allocated.
    unsafe material.pointee.mNumAllocated = UInt32(built.count)
    return unsafe material
  }
}
