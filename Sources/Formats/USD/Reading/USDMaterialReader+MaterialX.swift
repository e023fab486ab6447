import MeshPipeline
import NativeLibraries

/// Materials whose surface is one of MaterialX: what materials have a place for, where a picture or numbers say it.
extension USDMaterialReader {
  /// A surface, and where its parts are.
  struct MaterialXSurface {
    var shader: USDObject
    var model: MaterialXModel
  }

  /// One warning for all materials.
  func warnOfLeftOut() {
    let names = unreadInputs.sorted() + network.leftOut.sorted()
    guard !names.isEmpty else { return }
    let shown = names.prefix(12).map { "'\($0)'" }.joined(separator: ", ")
    let rest = names.count > 12 ? " and \(names.count - 12) more" : ""
    stage.warn("its MaterialX materials are read without what has no place here: \(shown)\(rest)")
  }

  mutating func materialXSurface(of material: USDObject) throws -> MaterialXSurface? {
    for name in ["outputs:mtlx:surface", "outputs:surface", "outputs:universal:surface"] {
      guard case .shader(var source) = try shading.input(name, of: material) else { continue }
      for _ in 0..<USDShading.mostLinks {
        guard let (category, _) = try network.category(of: source.shader) else { break }
        if let model = MaterialXModel.named(category) {
          return MaterialXSurface(shader: source.shader, model: model)
        }
        network.leaveOut(category)
        // Of surfaces one above the other, the one below.
        guard let next = try below(source.shader) else { break }
        source = next
      }
    }
    return nil
  }

  private func below(_ shader: USDObject) throws -> USDShading.Source? {
    for name in ["inputs:bg", "inputs:in1", "inputs:base", "inputs:fg"] {
      if case .shader(let source) = try shading.input(name, of: shader) { return source }
    }
    return nil
  }

  mutating func read(
    _ surface: MaterialXSurface, of prim: USDObject, _ material: inout Material, _ use: inout Use
  ) throws {
    network.begin()
    material.isUnlit = surface.model.isUnlit
    let color = try readColor(surface, &material, &use)
    try readOpacity(surface, color, &material)
    try readMetallicRoughness(surface, &material, &use)
    try readEmission(surface, &material, &use)
    try readNormals(surface, &material, &use)
    for part in surface.model.covers.map({ $0.weight }) + surface.model.others {
      let isNeutral =
        switch try shading.input("inputs:" + part.name, of: surface.shader) {
        case .value(.numbers(let numbers), _): numbers == part.standard
        case .shader: false
        default: true
        }
      if !isNeutral { unreadInputs.insert(part.name) }
    }
    if try shading.input("outputs:mtlx:displacement", of: prim) != nil {
      unreadInputs.insert("displacement")
    }
  }

  private mutating func value(
    _ part: MaterialXModel.Part, _ surface: MaterialXSurface
  ) throws -> MaterialXValue {
    try network.value(part.name, of: surface.shader) ?? .numbers(part.standard)
  }

  /// The numbers of a part; nil, which is remembered, if a picture says them.
  private mutating func numbers(
    _ part: MaterialXModel.Part, _ surface: MaterialXSurface
  ) throws -> [Double]? {
    if case .numbers(let numbers) = try value(part, surface) { return numbers }
    unreadInputs.insert(part.name)
    return nil
  }

  // MARK: Pictures

  /// The index of a picture; nil, after a warning, if there is none.
  private mutating func texture(_ picture: MaterialXPicture, _ use: inout Use) throws -> Int? {
    let layer = stage.layers[picture.layer].name
    guard let texture = try stage.files.texture(anyOf: picture.files, from: layer) else {
      return nil
    }
    use.hasBorders = use.hasBorders || picture.hasBorders
    setCoordinates(picture.coordinates, picture.transform, &use)
    return texture
  }

  /// The index of a picture of colours and what multiplies them; nil if it is not one, or not there.
  private mutating func colors(
    _ picture: MaterialXPicture, _ use: inout Use
  ) throws -> (texture: Int, factor: [Double])? {
    if picture.isShifted { network.leaveOut("add") }
    if let space = picture.colorSpace, MaterialXNetwork.linearSpaces.contains(space) {
      network.leaveOut("pictures of colours in linear light")
    }
    guard let texture = try texture(picture, &use) else { return nil }
    if Array(picture.channels.prefix(3)) != [0, 1, 2] {
      network.leaveOut("single channels of pictures as colours")
    }
    return (texture, Self.color(picture.factor, ifEmpty: 1))
  }

  /// The numbers of a colour: of fewer than three, the first stands for all.
  private static func color(_ numbers: [Double], ifEmpty standard: Double) -> [Double] {
    numbers.count < 3 ? [Double](repeating: numbers.first ?? standard, count: 3) : numbers
  }

  // MARK: Parts

  /// - Returns: The picture of the colour, whose opacity may be that of the surface.
  private mutating func readColor(
    _ surface: MaterialXSurface, _ material: inout Material, _ use: inout Use
  ) throws -> MaterialXPicture? {
    var part = surface.model.color
    var weight = try surface.model.weight.flatMap { try numbers($0, surface)?.first } ?? 1
    for cover in surface.model.covers {
      // Glass and wax have the colour of what goes through, not of what they lack.
      if case .numbers(let share) = try value(cover.weight, surface), share.first ?? 0 >= 0.5 {
        (part, weight) = (cover.color, 1)
      }
    }
    var (factor, picture): ([Double], MaterialXPicture?) = ([1, 1, 1], nil)
    switch try value(part, surface) {
    case .numbers(let numbers): factor = Self.color(numbers, ifEmpty: 1)
    case .picture(let found):
      if let (texture, own) = try colors(found, &use) {
        (material.baseColorTexture, factor, picture) = (texture, own, found)
      }
    }
    material.baseColor = SIMD4(
      Self.fraction(factor[0] * weight), Self.fraction(factor[1] * weight),
      Self.fraction(factor[2] * weight), 1)
    return picture
  }

  private mutating func readOpacity(
    _ surface: MaterialXSurface, _ color: MaterialXPicture?, _ material: inout Material
  ) throws {
    switch try value(surface.model.opacity, surface) {
    case .numbers(let numbers):
      let opacity = Self.fraction(numbers.reduce(0, +) / Double(max(1, numbers.count)))
      material.baseColor.w = opacity
      if opacity < 1 { material.alphaMode = .blend }
    case .picture(let picture):
      guard let color, color.isSameFile(as: picture), picture.channels.first == 3 else {
        unreadInputs.insert(surface.model.opacity.name)
        return
      }
      material.baseColor.w = Self.fraction(picture.factor.first ?? 1)
      material.alphaMode = .blend
    }
    // As in glTF, a mode says whether opacity counts; `UsdPreviewSurface` cuts out above a threshold.
    let mode = try network.numbers("alpha_mode", of: surface.shader)?.first
    let cutoff = try network.numbers("alpha_cutoff", of: surface.shader)?.first ?? 0.5
    let threshold = try network.numbers("opacityThreshold", of: surface.shader)?.first ?? 0
    if mode == 0 { (material.alphaMode, material.baseColor.w) = (.opaque, 1) }
    if mode == 1 { material.alphaMode = .mask(cutoff: Self.fraction(cutoff)) }
    if threshold > 0, material.alphaMode == .blend {
      material.alphaMode = .mask(cutoff: Self.fraction(threshold))
    }
  }

  private mutating func readMetallicRoughness(
    _ surface: MaterialXSurface, _ material: inout Material, _ use: inout Use
  ) throws {
    func found(
      _ part: MaterialXModel.Part?, _ standard: Double
    ) throws -> (factor: Float, place: TexturePlace?) {
      guard let part else { return (Self.fraction(standard), nil) }
      switch try value(part, surface) {
      case .numbers(let numbers): return (Self.fraction(numbers.first ?? standard), nil)
      case .picture(let picture):
        if picture.isShifted { network.leaveOut("add") }
        guard let texture = try texture(picture, &use) else {
          return (Self.fraction(part.standard.first ?? standard), nil)
        }
        return (
          Self.fraction(picture.factor.first ?? 1),
          TexturePlace(texture: texture, channel: picture.channels.first ?? 0)
        )
      }
    }
    let metallic = try found(surface.model.metallic, 0)
    let roughness = try found(surface.model.roughness, 1)
    try setMetallicRoughness(metallic: metallic, roughness: roughness, of: &material)
  }

  private mutating func readEmission(
    _ surface: MaterialXSurface, _ material: inout Material, _ use: inout Use
  ) throws {
    guard let part = surface.model.emission else { return }
    let weight =
      try surface.model.emissionWeight.map { try numbers($0, surface)?.first ?? 0 } ?? 1
    guard weight > 0 else { return }
    let light: [Double]
    switch try value(part, surface) {
    case .numbers(let numbers): light = Self.color(numbers, ifEmpty: 0)
    case .picture(let picture):
      guard let (texture, factor) = try colors(picture, &use) else { return }
      material.emissiveTexture = texture
      light = factor
    }
    material.emissive = Self.emitted(light.map { $0 * weight / surface.model.emissionUnit })
  }

  private mutating func readNormals(
    _ surface: MaterialXSurface, _ material: inout Material, _ use: inout Use
  ) throws {
    if let name = surface.model.normal,
      case .picture(let picture) = try network.value(name, of: surface.shader),
      let texture = try texture(picture, &use)
    {
      material.normalTexture = texture
      if picture.strength != 1 {
        do throws(ImageError) {
          material.normalTexture = try stage.files.textures.index(
            of: texture, as: .normal, strength: Float(picture.strength))
        } catch {
          stage.warn(
            "the strength of the normal map of '\(material.name)' is left out: \(error.message)")
        }
      }
    }
    if let name = surface.model.occlusion,
      case .picture(let picture) = try network.value(name, of: surface.shader),
      let texture = try texture(picture, &use)
    {
      if picture.channels.first != 0 { network.leaveOut("occlusion in another channel than red") }
      material.occlusionTexture = texture
    }
  }
}
