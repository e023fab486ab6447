import MeshPipeline
import NativeLibraries
import POSIX

/// The materials of a glTF file, loaded on first use.
struct GLTFMaterials {
  private(set) var materials: [Material] = []
  private(set) var textures = TextureCollection()
  /// Those with a texture that is clamped or mirrored beyond its border.
  private(set) var bordered: Set<UInt32> = []
  private let reader: GLTFReader
  private var uses: [Int: Use] = [:]
  private var textureOfImage: [Int: Int?] = [:]
  private var textureOfView: [Int: Int?] = [:]

  /// The material of faces.
  struct Use {
    /// Index into ``GLTFMaterials/materials``.
    var index: UInt32
    /// The set of texture coordinates of its first texture, and what changes them.
    var textureSet = 0
    var transform: GLTFTextureTransform?
    /// The class named in its extras.
    var className: String?
    var name: String
    fileprivate var hasBorders = false
  }

  init(_ reader: GLTFReader) { self.reader = reader }

  /// The material with an index in the file.
  mutating func use(_ index: Int) throws -> Use {
    if let known = uses[index] { return known }
    let place = "materials[\(index)]"
    let value = try reader.element("materials", index)
    let surface = surface(of: value)
    let color = try Self.vector(
      surface?["baseColorFactor"], standard: [1, 1, 1, 1], reader: reader, at: place)
    let alphaMode = alphaMode(of: value, place)
    let name = value["name"]?.text ?? ""
    // An unlit material that says nothing of metal would become some where it is lit.
    let isUnlit = value["extensions"]?["KHR_materials_unlit"] != nil
    var material = Material(
      name: value["extras"]?["material"]?.text ?? name,
      baseColor: SIMD4(color[0], color[1], color[2], alphaMode == .opaque ? 1 : color[3]),
      metallic: Self.fraction(surface?["metallicFactor"], isUnlit ? 0 : 1),
      roughness: Self.fraction(surface?["roughnessFactor"], 1),
      emissive: try emissive(of: value, place),
      isDoubleSided: value["doubleSided"]?.isTrue == true,
      isUnlit: isUnlit, alphaMode: alphaMode)
    let extras = value["extras"]
    var use = Use(
      index: UInt32(materials.count), className: ClassNames.className(inExtras: extras), name: name)
    try readTextures(of: value, surface: surface, material: &material, use: &use, at: place)
    // A writer that stores classes as materials has split one material; they are merged again.
    let twin = use.className == nil ? nil : materials.firstIndex(of: material)
    if let twin { use.index = UInt32(twin) } else { materials.append(material) }
    if use.hasBorders { bordered.insert(use.index) }
    uses[index] = use
    return use
  }

  /// The metallic-roughness surface of a material, or what stands for it in the older extension of specular and glossy
  /// ones: their colours, which hardly differ from those of surfaces that are not metal.
  private func surface(of material: JSONValue) -> JSONValue? {
    guard let glossy = GLTFExtensions.glossySurface(of: material) else {
      return material["pbrMetallicRoughness"]
    }
    // Its texture has the glossiness of each place.
    let isVaried = glossy["specularGlossinessTexture"] != nil
    let glossiness = glossy["glossinessFactor"]?.number ?? 1
    let members = [
      ("baseColorFactor", glossy["diffuseFactor"]), ("baseColorTexture", glossy["diffuseTexture"]),
      ("metallicFactor", JSONValue(.number(0))),
      ("roughnessFactor", JSONValue(.number(isVaried ? 1 : 1 - glossiness))),
    ]
    return JSONValue(
      .object(members.compactMap { key, value in value.map { JSONValue.Member(key, $0) } }))
  }

  /// The default material of faces.
  mutating func plain() -> UInt32 { materials.indexOfPlain() }

  // MARK: Textures

  /// Reads the textures, except for those that use other texture coordinates than the first one.
  private mutating func readTextures(
    of value: JSONValue, surface: JSONValue?, material: inout Material, use: inout Use,
    at place: String
  ) throws {
    let maps: [(key: WritableKeyPath<Material, Int?>, reference: JSONValue?, name: String)] = [
      (\.baseColorTexture, surface?["baseColorTexture"], "colours"),
      (\.normalTexture, value["normalTexture"], "normal map"),
      (\.occlusionTexture, value["occlusionTexture"], "occlusion map"),
      (
        \.metallicRoughnessTexture, surface?["metallicRoughnessTexture"],
        "metallic-roughness map"
      ),
      (\.emissiveTexture, value["emissiveTexture"], "emissive map"),
    ]
    var first: String?
    for map in maps {
      guard let reference = map.reference else { continue }
      let texture = try reader.integer(reference["index"], place).map { index in
        (index, try reader.element("textures", index, of: "\(place): its \(map.name)"))
      }
      let set = try set(reference, place)
      let transform = Self.transform(reference).flatMap { GLTFTextureTransform($0) }
      if first == nil { (use.textureSet, use.transform) = (set, transform) }
      let difference =
        if set != use.textureSet {
          "uses TEXCOORD_\(use.textureSet) for its \(first ?? ""), but TEXCOORD_\(set) for"
        } else if transform != use.transform {
          "changes the texture coordinates of its \(first ?? "") in another way than those of"
        } else { "" }
      if difference.isEmpty {
        material[keyPath: map.key] = try texture.flatMap { try load($1, $0, place) }
        if let texture, try isBordered(texture.1) { use.hasBorders = true }
      } else {
        reader.warn("\(place) \(difference) its \(map.name), which is left out")
      }
      if material[keyPath: map.key] == nil { material.removeFactor(ofTexture: map.key) }
      first = first ?? map.name
    }
    let (scale, strength) = (
      value["normalTexture"]?["scale"], value["occlusionTexture"]?["strength"]
    )
    take(
      scale, as: .normal, of: &material.normalTexture, "\(place): the strength of its normal map")
    take(
      strength, as: .occlusion, of: &material.occlusionTexture,
      "\(place): the strength of its occlusion map")
  }

  /// Makes the picture of a map one of its strength.
  ///
  /// - Parameter name: What the strength is called.
  private mutating func take(
    _ strength: JSONValue?, as map: TextureStrengths.Map, of texture: inout Int?, _ name: String
  ) {
    guard let strength = strength?.number, strength != 1, let index = texture else { return }
    do throws(ImageError) {
      texture = try textures.index(of: index, as: map, strength: Float(strength))
    } catch {
      reader.warn("\(name) is left out: \(error.message)")
    }
  }

  /// The set of texture coordinates of a reference to a texture.
  private func set(_ reference: JSONValue, _ place: String) throws -> Int {
    let texCoord = Self.transform(reference)?["texCoord"] ?? reference["texCoord"]
    return try reader.integer(texCoord, place) ?? 0
  }

  private static func transform(_ reference: JSONValue?) -> JSONValue? {
    reference?["extensions"]?["KHR_texture_transform"]
  }

  /// Whether a texture is clamped or mirrored instead of repeated.
  private func isBordered(_ texture: JSONValue) throws -> Bool {
    guard let index = try reader.integer(texture["sampler"], "a texture's sampler") else {
      return false
    }
    let (sampler, repeated) = (try reader.element("samplers", index), 10_497.0)
    return ["wrapS", "wrapT"].contains { sampler[$0]?.number ?? repeated != repeated }
  }

  /// Loads the image of a texture, once.
  private mutating func load(_ texture: JSONValue, _ index: Int, _ place: String) throws -> Int? {
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

  // MARK: Factors

  private func alphaMode(of value: JSONValue, _ place: String) -> Material.AlphaMode {
    switch value["alphaMode"]?.text ?? "OPAQUE" {
    case "OPAQUE": return .opaque
    case "MASK": return .mask(cutoff: Self.fraction(value["alphaCutoff"], 0.5))
    case "BLEND": return .blend
    case let other:
      reader.warn("\(place): the alphaMode '\(other.prefix(64))' is unknown; it is read as opaque")
      return .opaque
    }
  }

  /// The emitted light, which may be more than white.
  private func emissive(of value: JSONValue, _ path: String) throws -> SIMD3<Float> {
    let color = try Self.vector(
      value["emissiveFactor"], standard: [0, 0, 0], reader: reader, at: path)
    let strength =
      value["extensions"]?[GLTFExtensions.emissiveStrength]?["emissiveStrength"]?.number ?? 1
    return SIMD3(color[0], color[1], color[2])
      * Float(min(max(strength, 0), Double(Material.mostEmissive)))
  }

  private static func fraction(_ value: JSONValue?, _ standard: Double) -> Float {
    Float(min(max(value?.number ?? standard, 0), 1))
  }

  private static func vector(
    _ value: JSONValue?, standard: [Float], reader: GLTFReader, at place: String
  ) throws -> [Float] {
    guard let value else { return standard }
    let numbers = value.elements.compactMap(\.number).map { min(max(Float($0), 0), 1) }
    guard numbers.count == standard.count else { throw reader.fault(place, "a colour is invalid") }
    return numbers
  }
}

/// The effect of `KHR_texture_transform` on texture coordinates, which glTF counts from the upper
/// left.
struct GLTFTextureTransform: Sendable, Equatable {
  private var offset = SIMD2<Float>(0, 0)
  private var scale = SIMD2<Float>(1, 1)
  private var turn = SIMD2<Float>(1, 0)

  /// Nil for one that changes nothing.
  init?(_ value: JSONValue) {
    func pair(_ key: String, _ standard: SIMD2<Float>) -> SIMD2<Float> {
      let numbers = value[key]?.elements.compactMap(\.number) ?? []
      return numbers.count == 2 ? SIMD2(Float(numbers[0]), Float(numbers[1])) : standard
    }
    offset = pair("offset", offset)
    scale = pair("scale", scale)
    if let angle = value["rotation"]?.number { turn = SIMD2(Float(cos(angle)), Float(sin(angle))) }
    if offset == .zero, scale == SIMD2(1, 1), turn == SIMD2(1, 0) { return nil }
  }

  func apply(_ point: SIMD2<Float>) -> SIMD2<Float> {
    let scaled = point * scale
    return SIMD2(
      scaled.x * turn.x + scaled.y * turn.y, scaled.y * turn.x - scaled.x * turn.y) + offset
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
