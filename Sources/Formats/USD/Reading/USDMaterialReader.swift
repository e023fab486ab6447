import MeshPipeline
import NativeLibraries
import POSIX

/// Reads materials whose surface is a `UsdPreviewSurface`, each once.
struct USDMaterialReader {
  private(set) var materials: [Material] = []
  /// Those with a texture that is clamped or mirrored beyond its border.
  private(set) var bordered: Set<UInt32> = []
  let stage: USDStage
  let shading: USDShading
  /// The network of the MaterialX materials, which knows what it passed over.
  var network: MaterialXNetwork
  /// What MaterialX surfaces have and materials have not.
  var unreadInputs: Set<String> = []
  private var uses: [Key: Use] = [:]
  /// The same by the paths that name them, nil for what does not exist: instances name them again and again.
  private var useOfPlace: [Place: Use?] = [:]

  private struct Place: Hashable {
    var target: USDTarget
    var isDoubleSided: Bool
  }

  private struct Key: Hashable {
    var site: USDSite
    var isDoubleSided: Bool
  }

  /// The material of faces.
  struct Use {
    /// Index into ``USDMaterialReader/materials``.
    var index: UInt32
    /// The primvar that its textures read; nil without textures.
    var coordinates: String?
    var transform: USDTextureTransform?
    var hasBorders = false
  }

  private struct ColorKey: Hashable {
    var color: SIMD4<Float>?
    var isDoubleSided: Bool
  }
  private var indexOfColor: [ColorKey: UInt32] = [:]

  init(_ stage: USDStage) {
    self.stage = stage
    shading = USDShading(stage)
    network = MaterialXNetwork(stage, shading)
  }

  /// The default material of faces.
  mutating func plain() -> UInt32 { materials.indexOfPlain() }

  /// A material that is only a colour, white if it is nil.
  mutating func index(ofColor color: SIMD4<Float>?, isDoubleSided: Bool) -> UInt32 {
    let key = ColorKey(color: color, isDoubleSided: isDoubleSided)
    if let known = indexOfColor[key] { return known }
    var material = Material(name: color == nil ? "default" : "color")
    if let color { material.baseColor = color }
    material.isDoubleSided = isDoubleSided
    materials.append(material)
    indexOfColor[key] = UInt32(materials.count - 1)
    return UInt32(materials.count - 1)
  }

  /// The material that a prim names; nil, with a warning, if there is none.
  mutating func use(_ target: USDTarget, isDoubleSided: Bool) throws -> Use? {
    let index = Place(target: target, isDoubleSided: isDoubleSided)
    if let known = useOfPlace[index] { return known }
    let found = try findUse(target, isDoubleSided: isDoubleSided)
    useOfPlace[index] = .some(found)
    return found
  }

  private mutating func findUse(_ target: USDTarget, isDoubleSided: Bool) throws -> Use? {
    guard let prim = try stage.prim(at: target), let site = prim.sites.first else {
      stage.warn("the material '\(target.path.text.prefix(120))' does not exist")
      return nil
    }
    let key = Key(site: site, isDoubleSided: isDoubleSided)
    if let known = uses[key] { return known }
    var material = Material(name: prim.name, isDoubleSided: isDoubleSided)
    if case .text(let name) = try stage.value("userProperties:name", of: prim) {
      material.name = name
    }
    var use = Use(index: UInt32(materials.count))
    if let surface = try surface(of: prim) {
      try read(surface, &material, &use)
    } else if let surface = try materialXSurface(of: prim) {
      try read(surface, of: prim, &material, &use)
    } else {
      stage.warn(
        "materials without a 'UsdPreviewSurface' or a plain MaterialX surface are read as plain ones"
      )
    }
    materials.append(material)
    if use.hasBorders { bordered.insert(use.index) }
    uses[key] = use
    return use
  }

  private func surface(of material: USDObject) throws -> USDObject? {
    for name in ["outputs:surface", "outputs:universal:surface", "outputs:glslfx:surface"] {
      guard let input = try shading.input(name, of: material), case .shader(let source) = input,
        case .text("UsdPreviewSurface") = try stage.value("info:id", of: source.shader)
      else { continue }
      return source.shader
    }
    return nil
  }

  // MARK: Surfaces

  private func read(_ surface: USDObject, _ material: inout Material, _ use: inout Use) throws {
    try readColor(of: surface, &material, &use)
    try readMetallicRoughness(of: surface, &material, &use)
    try readEmissive(of: surface, &material, &use)
    if case .shader(let source) = try shading.input("inputs:normal", of: surface) {
      material.normalTexture = try texture(source, &use)
    }
    if case .shader(let source) = try shading.input("inputs:occlusion", of: surface) {
      material.occlusionTexture = try texture(source, &use)
    }
  }

  private func readColor(
    of surface: USDObject, _ material: inout Material, _ use: inout Use
  ) throws {
    var color = SIMD3<Double>(repeating: 0.18)
    switch try shading.input("inputs:diffuseColor", of: surface) {
    case .value(.numbers(let numbers), _) where numbers.count == 3:
      color = SIMD3(numbers[0], numbers[1], numbers[2])
    case .shader(let source):
      material.baseColorTexture = try texture(source, &use)
      color = try factor(of: source, isFound: material.baseColorTexture != nil)
    default: break
    }
    var opacity = 1.0
    switch try shading.input("inputs:opacity", of: surface) {
    case .value(.numbers(let numbers), _):
      opacity = numbers.first ?? 1
      if opacity < 1 { material.alphaMode = .blend }
    case .shader(let source):
      let own = try place(source, &use)
      guard let place = own?.place, place.channel == 3, place.texture == material.baseColorTexture
      else {
        if own != nil { stage.warn("opacity from another texture than the colours is left out") }
        break
      }
      opacity = own?.factor ?? 1
      material.alphaMode = .blend
    default: break
    }
    if material.alphaMode == .blend,
      let cutoff = try number("opacityThreshold", 0, of: surface), cutoff > 0
    {
      material.alphaMode = .mask(cutoff: cutoff)
    }
    material.baseColor = SIMD4(
      Self.fraction(color.x), Self.fraction(color.y), Self.fraction(color.z),
      Self.fraction(opacity))
  }

  /// Metalness and roughness, of which a material has one picture.
  private func readMetallicRoughness(
    of surface: USDObject, _ material: inout Material, _ use: inout Use
  ) throws {
    func part(_ name: String, _ standard: Float) throws -> (factor: Float, place: TexturePlace?) {
      if case .shader(let source) = try shading.input("inputs:\(name)", of: surface) {
        guard let (place, factor) = try place(source, &use) else { return (standard, nil) }
        return (Self.fraction(factor), place)
      }
      return (try number(name, standard, of: surface) ?? standard, nil)
    }
    let (metallic, roughness) = (try part("metallic", 0), try part("roughness", 0.5))
    try setMetallicRoughness(metallic: metallic, roughness: roughness, of: &material)
  }

  func setMetallicRoughness(
    metallic: (factor: Float, place: TexturePlace?),
    roughness: (factor: Float, place: TexturePlace?),
    of material: inout Material
  ) throws {
    (material.metallic, material.roughness) = (metallic.factor, roughness.factor)
    do {
      material.metallicRoughnessTexture = try stage.files.textures.metallicRoughness(
        roughness: roughness.place, metallic: metallic.place,
        isUsed: (roughness.factor > 0, metallic.factor > 0))
    } catch {
      stage.warn("the metalness and roughness of '\(material.name)' are left out: \(error.message)")
      material.removeFactor(ofTexture: \.metallicRoughnessTexture)
    }
  }

  private func readEmissive(
    of surface: USDObject, _ material: inout Material, _ use: inout Use
  ) throws {
    var light = SIMD3<Double>.zero
    switch try shading.input("inputs:emissiveColor", of: surface) {
    case .value(.numbers(let numbers), _) where numbers.count == 3:
      light = SIMD3(numbers[0], numbers[1], numbers[2])
    case .shader(let source):
      material.emissiveTexture = try texture(source, &use)
      if material.emissiveTexture != nil { light = try factor(of: source, isFound: true) }
    default: break
    }
    material.emissive = Self.emitted([light.x, light.y, light.z])
  }

  static func emitted(_ light: [Double]) -> SIMD3<Float> {
    let bounded = light.map { value in
      value.isNaN ? 0 : Float(min(max(value, 0), Double(Material.mostEmissive)))
    }
    return SIMD3(bounded[0], bounded[1], bounded[2])
  }

  /// An input that is a number from 0 to 1; nil if it is connected.
  private func number(
    _ name: String, _ standard: Float, of surface: USDObject
  ) throws -> Float? {
    switch try shading.input("inputs:\(name)", of: surface) {
    case .value(.numbers(let numbers), _): Self.fraction(numbers.first ?? Double(standard))
    case .shader: nil
    default: standard
    }
  }

  static func fraction(_ value: Double) -> Float {
    value.isNaN ? 1 : Float(min(max(value, 0), 1))
  }

  // MARK: Textures

  /// What multiplies the colours of a texture, or stands for one that was not found.
  private func factor(of source: USDShading.Source, isFound: Bool) throws -> SIMD3<Double> {
    try warnOfBias(of: source.shader)
    let name = isFound ? "inputs:scale" : "inputs:fallback"
    let numbers = try stage.numbers(name, of: source.shader) ?? []
    return numbers.count < 3 ? SIMD3(repeating: 1) : SIMD3(numbers[0], numbers[1], numbers[2])
  }

  /// The channel of a texture that a number comes from, and what multiplies it; nil if it is not found.
  private func place(
    _ source: USDShading.Source, _ use: inout Use
  ) throws -> (place: TexturePlace, factor: Double)? {
    guard let texture = try texture(source, &use) else { return nil }
    try warnOfBias(of: source.shader)
    let channel = ["outputs:r", "outputs:g", "outputs:b", "outputs:a"].firstIndex(of: source.output)
    let scale = try stage.numbers("inputs:scale", of: source.shader) ?? []
    let place = TexturePlace(texture: texture, channel: channel ?? 0)
    return (place, scale.count == 4 ? scale[place.channel] : 1)
  }

  private func warnOfBias(of shader: USDObject) throws {
    let bias = try stage.numbers("inputs:bias", of: shader) ?? []
    if bias.contains(where: { $0 != 0 }) {
      stage.warn("what is added to the values of textures is left out")
    }
  }

  /// The texture of a shader; nil if it is of another kind.
  private func texture(_ source: USDShading.Source, _ use: inout Use) throws -> Int? {
    guard case .text("UsdUVTexture") = try stage.value("info:id", of: source.shader),
      let input = try shading.input("inputs:file", of: source.shader),
      case .value(.asset(let file), let site) = input, !file.isEmpty
    else { return nil }
    guard let index = try stage.files.texture(file, from: stage.layers[site.layer].name) else {
      return nil
    }
    for side in ["inputs:wrapS", "inputs:wrapT"] {
      if case .text(let mode) = try stage.value(side, of: source.shader),
        ["black", "clamp", "mirror"].contains(mode)
      {
        use.hasBorders = true
      }
    }
    let (name, transform) = try coordinates(of: source.shader)
    setCoordinates(name, transform, &use)
    return index
  }

  func setCoordinates(_ name: String, _ transform: USDTextureTransform, _ use: inout Use) {
    let transform = transform.unlessIdentity
    if use.coordinates == nil {
      use.coordinates = name
      use.transform = transform
    } else if use.coordinates != name || use.transform != transform {
      stage.warn("a material's textures use different coordinates; those of the first are read")
    }
  }

  /// The primvar that a texture reads, and what changes it before.
  private func coordinates(
    of texture: USDObject
  ) throws -> (name: String, transform: USDTextureTransform) {
    var transform = USDTextureTransform()
    var shader = texture
    var name = "inputs:st"
    for _ in 0..<USDShading.mostLinks {
      guard case .shader(let source) = try shading.input(name, of: shader),
        case .text(let id) = try stage.value("info:id", of: source.shader)
      else { break }
      shader = source.shader
      if id == "UsdTransform2d" {
        let found = USDTextureTransform(
          scale: try stage.numbers("inputs:scale", of: shader),
          rotation: try stage.numbers("inputs:rotation", of: shader)?.first,
          translation: try stage.numbers("inputs:translation", of: shader))
        // The one next to the texture is applied last.
        transform = found.then(transform)
        name = "inputs:in"
        continue
      }
      switch try shading.input("inputs:varname", of: shader) {
      case .value(.text(let primvar), _): return (primvar, transform)
      default: return ("st", transform)
      }
    }
    return ("st", transform)
  }
}
