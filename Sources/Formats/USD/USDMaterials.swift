import MeshPipeline

/// The materials of a layer, each a surface of the kind `UsdPreviewSurface` with its textures.
struct USDMaterials {
  private var table: MaterialTable
  /// The path of the prim that holds them.
  private let parent: String
  private var identifiers = USDNames()
  /// The names of the prims, by entry of the table.
  private(set) var names: [String] = []
  /// Whether a mesh with colours has the material, by entry.
  private var isColored: [Bool] = []

  init(of scene: Scene, under parent: String, sides: Sides?) {
    table = MaterialTable(of: scene, splitsByClass: false, sides: sides)
    self.parent = parent
    addNames()
  }

  private mutating func addNames() {
    for entry in table.entries[names.count...] {
      names.append(identifiers.unique(entry.name, or: "material"))
      isColored.append(false)
    }
  }

  /// The entry of faces of a material and a class; of faces with neither, the default material.
  ///
  /// - Parameter isColored: Whether their mesh has colours.
  mutating func index(material: UInt32?, className: String?, isColored: Bool) -> Int {
    let index = table.index(material: material, className: className) ?? table.plainIndex()
    addNames()
    if isColored { self.isColored[index] = true }
    return index
  }

  func isDoubleSided(_ entry: Int) -> Bool { table.entries[entry].material.isDoubleSided }

  func className(_ entry: Int) -> String? { table.entries[entry].className }

  func path(_ entry: Int) -> String { "\(parent)/\(names[entry])" }

  // MARK: Prims

  /// - Parameter textures: The files of textures, by index.
  func prims(textures: [String?]) -> [USDPrim] {
    names.indices.map { prim($0, textures) }
  }

  /// The prims of one material: the surface, and what reads its textures and colours.
  private struct Parts {
    var surface = USDMaterials.shader("surface", "UsdPreviewSurface")
    var textures: [USDPrim] = []
    var colors: USDPrim?
  }

  private func prim(_ index: Int, _ textures: [String?]) -> USDPrim {
    var material = table.entries[index].material
    // Those that USD can't hold.
    for key in Material.textureKeys where material[keyPath: key].map({ textures[$0] }) == .some(nil)
    {
      material.removeTexture(key)
    }
    let path = path(index)
    func file(_ texture: Int?) -> String? { texture.flatMap { textures[$0] } }
    var parts = Parts()
    if let file = file(material.baseColorTexture) {
      Self.add(
        material.baseColor, textured: file, isTransparent: material.shownAlphaMode != .opaque,
        to: &parts, path)
    } else {
      Self.add(material.baseColor, isColored: isColored[index], to: &parts, path)
    }
    if case .mask(let cutoff) = material.alphaMode, cutoff > 0 {
      parts.surface.set("inputs:opacityThreshold", "float", .float(cutoff))
    }
    Self.addEmissive(of: material, textured: file(material.emissiveTexture), to: &parts, path)
    Self.addMetallicRoughness(
      of: material, textured: file(material.metallicRoughnessTexture), to: &parts, path)
    if let file = file(material.normalTexture) {
      parts.surface.connect("inputs:normal", "normal3f", to: "\(path)/normal.outputs:rgb")
      parts.textures.append(Self.normalMap(file, path))
    }
    if let file = file(material.occlusionTexture) {
      parts.surface.connect("inputs:occlusion", "float", to: "\(path)/occlusion.outputs:r")
      var texture = Self.texture("occlusion", file: file, colorSpace: "raw", path: path)
      texture.set("outputs:r", "float", nil)
      parts.textures.append(texture)
    }
    parts.surface.set("outputs:surface", "token", nil)
    var prim = USDPrim("Material", names[index])
    prim.connect("outputs:surface", "token", to: "\(path)/surface.outputs:surface")
    prim.setName(material.name)
    prim.children = [parts.surface]
    if !parts.textures.isEmpty {
      var reader = Self.reader("coordinates", "UsdPrimvarReader_float2", "st")
      reader.set("outputs:result", "float2", nil)
      prim.children.append(reader)
    }
    prim.children += parts.textures
    if let colors = parts.colors { prim.children.append(colors) }
    return prim
  }

  /// A picture, which the colour multiplies.
  private static func add(
    _ color: SIMD4<Float>, textured file: String, isTransparent: Bool, to parts: inout Parts,
    _ path: String
  ) {
    parts.surface.connect("inputs:diffuseColor", "color3f", to: "\(path)/baseColor.outputs:rgb")
    var texture = texture("baseColor", file: file, colorSpace: "sRGB", path: path)
    if color != SIMD4(repeating: 1) { texture.set("inputs:scale", "float4", .float4(color)) }
    texture.set("outputs:rgb", "float3", nil)
    if isTransparent {
      parts.surface.connect("inputs:opacity", "float", to: "\(path)/baseColor.outputs:a")
      texture.set("outputs:a", "float", nil)
    }
    parts.textures.append(texture)
  }

  /// The colours of the mesh if there are some, or else one colour.
  private static func add(
    _ color: SIMD4<Float>, isColored: Bool, to parts: inout Parts, _ path: String
  ) {
    let plain = SIMD3(color.x, color.y, color.z)
    if isColored {
      parts.surface.connect("inputs:diffuseColor", "color3f", to: "\(path)/colors.outputs:result")
      var reader = reader("colors", "UsdPrimvarReader_float3", "displayColor")
      reader.set("inputs:fallback", "float3", .float3(plain))
      reader.set("outputs:result", "float3", nil)
      parts.colors = reader
    } else {
      parts.surface.set("inputs:diffuseColor", "color3f", .float3(plain))
    }
    if color.w < 1 { parts.surface.set("inputs:opacity", "float", .float(color.w)) }
  }

  private static func addEmissive(
    of material: Material, textured file: String?, to parts: inout Parts, _ path: String
  ) {
    let light = material.emissive
    guard let file else {
      if light != .zero { parts.surface.set("inputs:emissiveColor", "color3f", .float3(light)) }
      return
    }
    parts.surface.connect("inputs:emissiveColor", "color3f", to: "\(path)/emissive.outputs:rgb")
    var texture = texture("emissive", file: file, colorSpace: "sRGB", path: path)
    if light != SIMD3(repeating: 1) {
      texture.set("inputs:scale", "float4", .float4(SIMD4(light, 1)))
    }
    texture.set("outputs:rgb", "float3", nil)
    parts.textures.append(texture)
  }

  /// Two numbers, or two channels of one picture, which they multiply.
  private static func addMetallicRoughness(
    of material: Material, textured file: String?, to parts: inout Parts, _ path: String
  ) {
    let (metallic, roughness) = (material.metallic, material.roughness)
    guard let file else {
      parts.surface.set("inputs:metallic", "float", .float(metallic))
      parts.surface.set("inputs:roughness", "float", .float(roughness))
      return
    }
    let name = "metallicRoughness"
    parts.surface.connect("inputs:metallic", "float", to: "\(path)/\(name).outputs:b")
    parts.surface.connect("inputs:roughness", "float", to: "\(path)/\(name).outputs:g")
    var texture = texture(name, file: file, colorSpace: "raw", path: path)
    if metallic != 1 || roughness != 1 {
      texture.set("inputs:scale", "float4", .float4(SIMD4(1, roughness, metallic, 1)))
    }
    texture.set("outputs:g", "float", nil)
    texture.set("outputs:b", "float", nil)
    parts.textures.append(texture)
  }

  private static func shader(_ name: String, _ id: String) -> USDPrim {
    var shader = USDPrim("Shader", name)
    shader.set("info:id", "token", .token(id), isUniform: true)
    return shader
  }

  /// A shader that reads a primvar of the mesh.
  private static func reader(_ name: String, _ id: String, _ primvar: String) -> USDPrim {
    var reader = shader(name, id)
    reader.set("inputs:varname", "string", .string(primvar))
    return reader
  }

  private static func texture(
    _ name: String, file: String, colorSpace: String, path: String
  ) -> USDPrim {
    var texture = shader(name, "UsdUVTexture")
    texture.set("inputs:file", "asset", .asset("./" + file))
    texture.set("inputs:sourceColorSpace", "token", .token(colorSpace))
    texture.connect("inputs:st", "float2", to: "\(path)/coordinates.outputs:result")
    texture.set("inputs:wrapS", "token", .token("repeat"))
    texture.set("inputs:wrapT", "token", .token("repeat"))
    return texture
  }

  /// A picture has values from 0 to 1, a direction from -1 to 1.
  private static func normalMap(_ file: String, _ path: String) -> USDPrim {
    var texture = texture("normal", file: file, colorSpace: "raw", path: path)
    texture.set("inputs:scale", "float4", .float4(SIMD4(2, 2, 2, 1)))
    texture.set("inputs:bias", "float4", .float4(SIMD4(-1, -1, -1, 0)))
    texture.set("outputs:rgb", "float3", nil)
    return texture
  }
}
