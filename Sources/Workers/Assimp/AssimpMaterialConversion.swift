internal import CAssimp
internal import CAssimpExport
import MeshpipeBase
import MeshpipeScene
import NativeLibraries

/// Converts the materials of an `aiScene`, with their textures.
@unsafe
struct AssimpMaterialConversion {
  private let source: UnsafePointer<aiScene>
  private let images: AssimpTextureFiles
  private(set) var materials: [Material] = []
  private(set) var textures: [Texture] = []
  /// The index in ``textures`` of each reference seen, or nil if it can't be resolved.
  private var known: [String: Int?] = [:]
  /// The tiles of the textures that have some.
  private(set) var tiles: [Int: TextureTiles] = [:]
  /// Sentences for the user.
  private(set) var warnings: [String] = []
  // The memory of the process is bounded by the size of the files.
  private var joined = MetallicRoughnessTextures(budget: PixelBudget(mostOfOne: 1 << 24))

  init(_ source: UnsafePointer<aiScene>, gate: AssimpFileGate) {
    unsafe self.source = source
    unsafe images = AssimpTextureFiles(gate: gate)
  }

  mutating func convert() {
    let list = unsafe UnsafeBufferPointer(
      start: source.pointee.mMaterials, count: Int(source.pointee.mNumMaterials))
    for index in list.indices {
      guard let material = unsafe list[index] else { continue }
      unsafe materials.append(convert(AssimpMaterialProperties(material)))
    }
  }

  private mutating func convert(_ properties: AssimpMaterialProperties) -> Material {
    var material = Material(name: unsafe properties.string("?mat.name") ?? "")
    let color = unsafe properties.color("$clr.base") ?? properties.color("$clr.diffuse")
    if let color { material.baseColor = color }
    if let opacity = unsafe properties.number("$mat.opacity") {
      material.baseColor.w *= min(max(opacity, 0), 1)
    }
    if let metallic = unsafe properties.number("$mat.metallicFactor") {
      material.metallic = min(max(metallic, 0), 1)
    }
    if let roughness = unsafe properties.number("$mat.roughnessFactor") {
      material.roughness = min(max(roughness, 0), 1)
    }
    if let emissive = unsafe properties.color("$clr.emissive") {
      material.emissive = SIMD3(emissive.x, emissive.y, emissive.z)
    }
    material.isDoubleSided = unsafe (properties.number("$mat.twosided") ?? 0) != 0
    unsafe material.baseColorTexture = texture(
      properties, [aiTextureType_BASE_COLOR, aiTextureType_DIFFUSE])
    unsafe material.normalTexture = texture(
      properties, [aiTextureType_NORMALS, aiTextureType_NORMAL_CAMERA])
    unsafe material.occlusionTexture = texture(properties, [aiTextureType_AMBIENT_OCCLUSION])
    unsafe material.emissiveTexture = texture(
      properties, [aiTextureType_EMISSIVE, aiTextureType_EMISSION_COLOR])
    material.lightEmissiveTexture()
    unsafe readMetallicRoughness(properties, &material)
    return material
  }

  /// Reads grey pictures of roughness and metalness, or one of both, arranged as in glTF.
  ///
  /// Those that can't be read are left out, with a warning.
  private mutating func readMetallicRoughness(
    _ properties: AssimpMaterialProperties, _ material: inout Material
  ) {
    let roughness = unsafe texture(properties, [aiTextureType_DIFFUSE_ROUGHNESS])
    let metallic = unsafe texture(properties, [aiTextureType_METALNESS])
    do {
      unsafe try joined.give(
        roughness: roughness, metallic: metallic, to: &material, in: &textures)
    } catch {
      unsafe warnings.append(
        "the roughness and metalness of '\(material.name)' are left out: \(error.message)")
    }
  }

  /// The first of the given texture types that the material has and that can be loaded.
  private mutating func texture(
    _ properties: AssimpMaterialProperties, _ kinds: [aiTextureType]
  ) -> Int? {
    for kind in kinds {
      guard let reference = unsafe properties.string("$tex.file", kind), !reference.isEmpty else {
        continue
      }
      if let seen = unsafe known[reference] {
        if let seen { return seen }
        continue
      }
      var loaded = unsafe embedded(reference)
      if loaded == nil, let file = unsafe images.load(reference) {
        loaded = file.texture
        if let remark = file.remark { unsafe warnings.append(remark) }
        if let set = file.tiles { unsafe tiles[textures.count] = set }
      }
      if let loaded {
        unsafe known[reference] = unsafe .some(textures.count)
        unsafe textures.append(loaded)
        return unsafe textures.count - 1
      }
      unsafe known[reference] = .some(nil)
      unsafe warnings.append(
        "the image '\(reference.prefix(200))' does not exist in the model's folder and is ignored")
    }
    return nil
  }

  /// The picture at the path of a tile.
  func picture(at path: String) -> Texture? { unsafe images.texture(at: path) }

  /// The embedded image referred to as `*3` or by its file name.
  private func embedded(_ reference: String) -> Texture? {
    let number = unsafe Int(assimp_embedded_texture(source, reference))
    guard number >= 0, unsafe number < Int(source.pointee.mNumTextures) else { return nil }
    guard let texture = unsafe source.pointee.mTextures[number] else { return nil }
    guard let data = unsafe texture.pointee.pcData else { return nil }
    let written = unsafe texture.pointee.mFilename.text
    let name = written.hasPrefix("*") ? "" : FileSystem.name(of: SideFileName.slashed(written))
    if unsafe texture.pointee.mHeight > 0 {
      return unsafe uncompressed(texture.pointee, name: name)
    }
    let bytes = unsafe [UInt8](
      UnsafeRawBufferPointer(start: data, count: Int(texture.pointee.mWidth)))
    guard !bytes.isEmpty else { return nil }
    return unsafe named(name, reference: reference, bytes: bytes)
  }

  private func named(_ name: String, reference: String, bytes: [UInt8]) -> Texture {
    let encoding = Texture.Encoding(bytes: bytes)
    let number = reference.hasPrefix("*") ? String(reference.dropFirst()) : "0"
    let stem = name.isEmpty ? "texture_\(number)" : name
    let whole = fileExtension(of: stem).isEmpty ? "\(stem).\(encoding.usualExtension)" : stem
    return Texture(fileName: whole, encoding: encoding, bytes: bytes)
  }

  /// An image of uncompressed texels, as an uncompressed TGA file, which has the same byte order.
  private func uncompressed(_ texture: aiTexture, name: String) -> Texture? {
    let (width, height) = unsafe (Int(texture.mWidth), Int(texture.mHeight))
    guard width < 1 << 16, height < 1 << 16, let texels = unsafe texture.pcData else { return nil }
    var bytes: [UInt8] = [0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0]
    bytes += [UInt8(width & 255), UInt8(width >> 8), UInt8(height & 255), UInt8(height >> 8)]
    bytes += [32, 0x28]  // bits per texel; 8 bits of alpha, first row on top
    unsafe bytes += UnsafeRawBufferPointer(start: texels, count: 4 * width * height)
    let stem = name.isEmpty ? "texture.tga" : name
    return Texture(
      fileName: fileExtension(of: stem) == "tga" ? stem : stem + ".tga", encoding: .tga,
      bytes: bytes)
  }
}

/// Typed access to the properties of one material.
@unsafe
struct AssimpMaterialProperties {
  private let material: UnsafePointer<aiMaterial>

  init(_ material: UnsafePointer<aiMaterial>) { unsafe self.material = material }

  func color(_ key: String) -> SIMD4<Float>? {
    var color = aiColor4D(r: 0, g: 0, b: 0, a: 1)
    guard unsafe aiGetMaterialColor(material, key, 0, 0, &color) == aiReturn_SUCCESS else {
      return nil
    }
    let value = SIMD4(color.r, color.g, color.b, color.a)
    return value.indices.allSatisfy { value[$0].isFinite } ? value : nil
  }

  func number(_ key: String) -> Float? {
    var value: Float = 0
    var count: UInt32 = 1
    guard
      unsafe aiGetMaterialFloatArray(material, key, 0, 0, &value, &count) == aiReturn_SUCCESS,
      count == 1, value.isFinite
    else { return nil }
    return value
  }

  func string(_ key: String, _ kind: aiTextureType = aiTextureType_NONE) -> String? {
    var text = aiString()
    guard
      unsafe aiGetMaterialString(material, key, kind.rawValue, 0, &text) == aiReturn_SUCCESS
    else { return nil }
    return text.text
  }
}
