import MeshPipeline
import POSIX

/// The materials of a glTF file, loaded on first use.
struct GLTFMaterials {
  private(set) var materials: [Material] = []
  private(set) var textures = TextureCollection()
  private let reader: GLTFReader
  private var uses: [Int: Use] = [:]
  private var textureOfImage: [Int: Int?] = [:]
  private var textureOfView: [Int: Int?] = [:]

  /// The material of faces.
  struct Use {
    /// Index into ``GLTFMaterials/materials``.
    var index: UInt32
    /// The set of texture coordinates of its base colour, or else of its first other texture.
    var textureSet = 0
    var transform: GLTFTextureTransform?
    /// The class named in its extras.
    var className: String?
    var name: String
  }

  init(_ reader: GLTFReader) { self.reader = reader }

  /// The material with an index in the file.
  mutating func use(_ index: Int) throws -> Use {
    if let known = uses[index] { return known }
    let place = "materials[\(index)]"
    let value = try reader.element("materials", index)
    let surface = value["pbrMetallicRoughness"]
    let color = try Self.vector(surface?["baseColorFactor"], [1, 1, 1, 1], reader, place)
    let emissive = try Self.vector(value["emissiveFactor"], [0, 0, 0], reader, place)
    let isOpaque = value["alphaMode"]?.text ?? "OPAQUE" == "OPAQUE"
    let name = value["name"]?.text ?? ""
    var material = Material(
      name: value["extras"]?["material"]?.text ?? name,
      baseColor: SIMD4(color[0], color[1], color[2], isOpaque ? 1 : color[3]),
      metallic: Self.fraction(surface?["metallicFactor"]),
      roughness: Self.fraction(surface?["roughnessFactor"]),
      emissive: SIMD3(emissive[0], emissive[1], emissive[2]),
      isDoubleSided: value["doubleSided"]?.isTrue == true,
      isUnlit: value["extensions"]?["KHR_materials_unlit"] != nil)
    let colorTexture = surface?["baseColorTexture"]
    let (normalTexture, occlusionTexture) = (value["normalTexture"], value["occlusionTexture"])
    let textureSet = try set(colorTexture ?? normalTexture ?? occlusionTexture, place)
    material.baseColorTexture = try texture(colorTexture, place)
    material.normalTexture = try texture(
      normalTexture, ofSet: textureSet, "normal map", place)
    material.occlusionTexture = try texture(
      occlusionTexture, ofSet: textureSet, "occlusion map", place)
    let extras = value["extras"]
    var use = Use(
      index: UInt32(materials.count), className: ClassNames.className(inExtras: extras), name: name)
    use.textureSet = textureSet
    use.transform = Self.transform(colorTexture ?? normalTexture ?? occlusionTexture).flatMap {
      GLTFTextureTransform($0)
    }
    // A writer that stores classes as materials has split one material; they are merged again.
    let twin = use.className == nil ? nil : materials.firstIndex(of: material)
    if let twin { use.index = UInt32(twin) } else { materials.append(material) }
    uses[index] = use
    return use
  }

  /// The default material of faces.
  mutating func plain() -> UInt32 { materials.indexOfPlain() }

  /// The set of texture coordinates of a reference to a texture.
  private func set(_ reference: JSONValue?, _ place: String) throws -> Int {
    let texCoord = Self.transform(reference)?["texCoord"] ?? reference?["texCoord"]
    return try reader.integer(texCoord, place) ?? 0
  }

  /// A further texture of a material; nil, with a warning, if it uses other texture coordinates
  /// than the first one.
  private mutating func texture(
    _ reference: JSONValue?, ofSet textureSet: Int, _ name: String, _ place: String
  ) throws -> Int? {
    let own = try set(reference, place)
    guard reference == nil || own == textureSet else {
      reader.warn(
        "\(place) uses TEXCOORD_\(textureSet) for its colours, but TEXCOORD_\(own) for its "
          + "\(name), which is left out")
      return nil
    }
    return try texture(reference, place)
  }

  private static func transform(_ reference: JSONValue?) -> JSONValue? {
    reference?["extensions"]?["KHR_texture_transform"]
  }

  private mutating func texture(_ reference: JSONValue?, _ place: String) throws -> Int? {
    guard let reference, let index = try reader.integer(reference["index"], place) else {
      return nil
    }
    let texture = try reader.element("textures", index)
    let source = GLTFExtensions.source(ofTexture: texture)
    guard let image = try reader.integer(source, "textures[\(index)]") else { return nil }
    if let known = textureOfImage[image] { return known }
    // Images may share their bytes, but a file may not expand to more data than it contains.
    let view = try reader.integer(try reader.element("images", image)["bufferView"], place)
    if let view, let known = textureOfView[view] { return known }
    let loaded = try reader.image(image, into: &textures)
    textureOfImage[image] = loaded
    if let view { textureOfView[view] = loaded }
    return loaded
  }

  private static func fraction(_ value: JSONValue?) -> Float {
    min(max(Float(value?.number ?? 1), 0), 1)
  }

  private static func vector(
    _ value: JSONValue?, _ standard: [Float], _ reader: GLTFReader, _ place: String
  ) throws -> [Float] {
    guard let value else { return standard }
    let numbers = value.elements.compactMap(\.number).map { min(max(Float($0), 0), 1) }
    guard numbers.count == standard.count else { throw reader.fault(place, "a colour is invalid") }
    return numbers
  }
}

/// The effect of `KHR_texture_transform` on texture coordinates, which glTF counts from the upper
/// left.
struct GLTFTextureTransform: Sendable {
  private var offset = SIMD2<Float>(0, 0)
  private var scale = SIMD2<Float>(1, 1)
  private var rotation: (sine: Float, cosine: Float) = (0, 1)

  init?(_ value: JSONValue) {
    func pair(_ key: String, _ standard: SIMD2<Float>) -> SIMD2<Float> {
      let numbers = value[key]?.elements.compactMap(\.number) ?? []
      return numbers.count == 2 ? SIMD2(Float(numbers[0]), Float(numbers[1])) : standard
    }
    offset = pair("offset", offset)
    scale = pair("scale", scale)
    if let angle = value["rotation"]?.number { rotation = (Float(sin(angle)), Float(cos(angle))) }
  }

  func apply(_ point: SIMD2<Float>) -> SIMD2<Float> {
    let scaled = point * scale
    return SIMD2(
      scaled.x * rotation.cosine + scaled.y * rotation.sine,
      scaled.y * rotation.cosine - scaled.x * rotation.sine) + offset
  }
}

extension ClassNames {
  /// The class in glTF extras: a text, or one of ARKit's numbers.
  static func className(inExtras extras: JSONValue?) -> String? {
    for key in ["classification", "class", "label"] {
      switch extras?[key]?.content {
      case .string(let name): return normalized(name)
      case .number(let label):
        guard let label = Int(exactly: label), label >= 0, label <= 65_535 else { return nil }
        return name(ofLabel: label)
      default: continue
      }
    }
    return nil
  }
}
