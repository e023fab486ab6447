import MeshPipeline
import POSIX

/// Reads materials whose surface is a `UsdPreviewSurface`, each once.
struct USDMaterialReader {
  private(set) var materials: [Material] = []
  private let stage: USDStage
  private var uses: [Key: Use] = [:]

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
  }

  /// A shader that an input takes its value from.
  private struct Source {
    var shader: USDObject
    var output: String
  }

  private enum Input {
    case value(USDContent)
    case shader(Source)
  }

  private struct ColorKey: Hashable {
    var color: SIMD4<Float>?
    var isDoubleSided: Bool
  }
  private var indexOfColor: [ColorKey: UInt32] = [:]

  private static let mostLinks = 16

  init(_ stage: USDStage) { self.stage = stage }

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

  /// The material at a path, as seen by a layer; nil, with a warning, if there is none.
  mutating func use(_ path: USDPath, _ layer: Int, isDoubleSided: Bool) throws -> Use? {
    guard let prim = try stage.prim(at: path, from: layer), let site = prim.sites.first else {
      stage.warn("the material '\(path.text.prefix(120))' does not exist")
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
    } else {
      stage.warn("materials without a 'UsdPreviewSurface' are read as plain ones")
    }
    materials.append(material)
    uses[key] = use
    return use
  }

  private func surface(of material: USDObject) throws -> USDObject? {
    for name in ["outputs:surface", "outputs:universal:surface", "outputs:glslfx:surface"] {
      guard let input = try input(name, of: material), case .shader(let source) = input,
        case .text("UsdPreviewSurface") = try stage.value("info:id", of: source.shader)
      else { continue }
      return source.shader
    }
    return nil
  }

  /// What an input or output of a prim is: its value, or what it is connected to through other prims.
  private func input(_ name: String, of prim: USDObject) throws -> Input? {
    var (name, prim) = (name, prim)
    for _ in 0..<Self.mostLinks {
      guard let property = stage.property(name, of: prim) else { return nil }
      guard let (path, layer) = try stage.target("connectionPaths", of: property),
        let next = path.property
      else { return try stage.value(of: property).map { .value($0) } }
      guard let target = try stage.prim(at: USDPath(prims: path.prims), from: layer) else {
        return nil
      }
      if stage.property("info:id", of: target) != nil, next.hasPrefix("outputs:") {
        return .shader(Source(shader: target, output: next))
      }
      (name, prim) = (next, target)
    }
    return nil
  }

  // MARK: Surfaces

  private func read(_ surface: USDObject, _ material: inout Material, _ use: inout Use) throws {
    func number(_ name: String, _ standard: Float) throws -> (value: Float, isTextured: Bool) {
      switch try input("inputs:\(name)", of: surface) {
      case .value(.numbers(let numbers)): (Self.fraction(numbers.first ?? Double(standard)), false)
      case .shader: (standard, true)
      default: (standard, false)
      }
    }
    try readColor(of: surface, &material, &use)
    let (metallic, roughness) = (try number("metallic", 0), try number("roughness", 0.5))
    material.metallic = metallic.value
    material.roughness = roughness.isTextured ? 1 : roughness.value
    if case .value(.numbers(let light)) = try input("inputs:emissiveColor", of: surface),
      light.count == 3
    {
      material.emissive = SIMD3(
        Self.fraction(light[0]), Self.fraction(light[1]), Self.fraction(light[2]))
    } else if try number("emissiveColor", 0).isTextured {
      stage.warn("textures of emitted light are left out")
    }
    if metallic.isTextured || roughness.isTextured {
      stage.warn("textures of metal and roughness are left out")
    }
    if case .shader(let source) = try input("inputs:normal", of: surface) {
      material.normalTexture = try texture(source, &use)
    }
    if case .shader(let source) = try input("inputs:occlusion", of: surface) {
      material.occlusionTexture = try texture(source, &use)
    }
  }

  private func readColor(
    of surface: USDObject, _ material: inout Material, _ use: inout Use
  ) throws {
    var color: [Double] = [0.18, 0.18, 0.18]
    var opacity = 1.0
    switch try input("inputs:diffuseColor", of: surface) {
    case .value(.numbers(let numbers)) where numbers.count == 3: color = numbers
    case .shader(let source):
      let found = try texture(source, &use)
      material.baseColorTexture = found
      let factor = found == nil ? "inputs:fallback" : "inputs:scale"
      color = Array((try stage.numbers(factor, of: source.shader) ?? [1, 1, 1]).prefix(3))
      if color.count < 3 { color = [1, 1, 1] }
      if found != nil, let bias = try stage.numbers("inputs:bias", of: source.shader),
        bias.prefix(3).contains(where: { $0 != 0 })
      {
        stage.warn("what is added to the colours of textures is left out")
      }
    default: break
    }
    switch try input("inputs:opacity", of: surface) {
    case .value(.numbers(let numbers)): opacity = numbers.first ?? 1
    case .shader(let source):
      let scale = try stage.numbers("inputs:scale", of: source.shader) ?? []
      opacity = scale.count == 4 ? scale[3] : 1
    default: break
    }
    material.baseColor = SIMD4(
      Self.fraction(color[0]), Self.fraction(color[1]), Self.fraction(color[2]),
      Self.fraction(opacity))
  }

  private static func fraction(_ value: Double) -> Float {
    value.isNaN ? 1 : Float(min(max(value, 0), 1))
  }

  // MARK: Textures

  /// The texture of a shader; nil if it is of another kind.
  private func texture(_ source: Source, _ use: inout Use) throws -> Int? {
    guard case .text("UsdUVTexture") = try stage.value("info:id", of: source.shader),
      let input = try input("inputs:file", of: source.shader),
      case .value(.asset(let file)) = input, !file.isEmpty
    else { return nil }
    let layer = fileLayer(of: source.shader)
    guard let index = try stage.files.texture(file, from: layer) else { return nil }
    let isFirst = use.coordinates == nil
    let (name, transform) = try coordinates(of: source.shader)
    if isFirst {
      use.coordinates = name
      use.transform = transform
    } else if use.coordinates != name || use.transform != transform {
      stage.warn("a material's textures use different coordinates; those of the first are read")
    }
    return index
  }

  /// The name of the layer that names a texture's file, to which it is relative.
  private func fileLayer(of shader: USDObject) -> String {
    let site = stage.property("inputs:file", of: shader)?.sites.first ?? shader.sites.first
    return site.map { stage.layers[$0.layer].name } ?? ""
  }

  /// The primvar that a texture reads, and what changes it before.
  private func coordinates(
    of texture: USDObject
  ) throws -> (name: String, transform: USDTextureTransform?) {
    var transform: USDTextureTransform?
    var shader = texture
    var name = "inputs:st"
    for _ in 0..<Self.mostLinks {
      guard case .shader(let source) = try input(name, of: shader),
        case .text(let id) = try stage.value("info:id", of: source.shader)
      else { break }
      shader = source.shader
      if id == "UsdTransform2d" {
        let found = USDTextureTransform(
          scale: try stage.numbers("inputs:scale", of: shader),
          rotation: try stage.numbers("inputs:rotation", of: shader)?.first,
          translation: try stage.numbers("inputs:translation", of: shader))
        // The one next to the texture is applied last.
        if transform != nil { stage.warn("chains of changes to texture coordinates are not read") }
        transform = transform ?? found
        name = "inputs:in"
        continue
      }
      switch try input("inputs:varname", of: shader) {
      case .value(.text(let primvar)): return (primvar, transform)
      default: return ("st", transform)
      }
    }
    return ("st", transform)
  }
}

/// What a `UsdTransform2d` does to texture coordinates: scaling, turning and moving, in this order.
struct USDTextureTransform: Equatable {
  private var scale = SIMD2<Float>(1, 1)
  private var turn = SIMD2<Float>(1, 0)
  private var translation = SIMD2<Float>(0, 0)

  init?(scale: [Double]?, rotation: Double?, translation: [Double]?) {
    if let scale, scale.count == 2 { self.scale = SIMD2(Float(scale[0]), Float(scale[1])) }
    if let translation, translation.count == 2 {
      self.translation = SIMD2(Float(translation[0]), Float(translation[1]))
    }
    if let rotation {
      let angle = rotation * .pi / 180
      turn = SIMD2(Float(cos(angle)), Float(sin(angle)))
    }
    if self.scale == SIMD2(1, 1), turn == SIMD2(1, 0), self.translation == .zero { return nil }
  }

  func apply(_ point: Vector2) -> Vector2 {
    let scaled = SIMD2(point.x, point.y) * scale
    return Vector2(
      scaled.x * turn.x - scaled.y * turn.y + translation.x,
      scaled.x * turn.y + scaled.y * turn.x + translation.y)
  }
}
