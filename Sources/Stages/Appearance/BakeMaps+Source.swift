import MeshPipeline
import NativeLibraries
import SurfaceKernels

extension BakeMaps {
  /// The heavy scene in the axes, the unit and the place of the light one.
  func source(for scene: borrowing Scene, _ context: StageContext) throws -> Scene {
    // A stage that is run alone has no other scene than its own.
    var source = context.scene(of: parameters.from) ?? copy scene
    guard source.faceCount > 0 || scene.faceCount == 0 else {
      throw Failure.emptySource(id: parameters.from.id)
    }
    source.capture = nil
    source.pointClouds = []
    try requireColors(in: source)
    source.align(with: scene)
    for index in source.meshes.indices {
      source.meshes[index] = source.meshes[index].withNormals(source.coordinateSystem)
    }
    return source
  }

  /// Colours that the source does not have would be one grey.
  private func requireColors(in source: borrowing Scene) throws {
    guard source.faceCount > 0 else { return }
    var has: [ColorSource: String] = [:]
    for index in source.meshes.indices where source.meshes[index].faceCount > 0 {
      let mesh = source.meshes[index]
      if mesh.colors != nil || mesh.faceColors != nil { has[.vertex] = "vertex colours" }
      if mesh.classes != nil { has[.classification] = "classes" }
      for material in Set(mesh.faceMaterials ?? []) {
        has[.material] = "materials"
        let isTextured = source.materials[Int(material)].baseColorTexture != nil
        if isTextured, mesh.textureCoordinates != nil { has[.texture] = "textures" }
      }
    }
    func require(_ wanted: ColorSource, _ words: String) throws {
      guard has[wanted] == nil else { return }
      throw Failure.noColors(
        id: parameters.from.id, wanted: words,
        has: ColorSource.allCases.compactMap { has[$0] })
    }
    if parameters.maps.contains(.classification) { try require(.classification, "classes") }
    guard parameters.maps.contains(.color) else { return }
    switch parameters.colors {
    case .texture: try require(.texture, "textures")
    case .vertex: try require(.vertex, "vertex colours")
    case .material: try require(.material, "materials")
    case .classification: try require(.classification, "classes")
    case .auto, .none: break
    }
  }

  /// Whether colours are those of materials, whose opacity belongs to them.
  var bakesOpacity: Bool {
    guard parameters.maps.contains(.color) else { return false }
    return switch parameters.colors {
    case .auto, .texture, .vertex, .material: true
    case .classification, .none: false
    }
  }

  /// The heavy surface with what the maps need of its looks and materials.
  func mapSource(
    of source: Scene, _ context: StageContext
  ) throws(NativeLibraryError) -> MapSource {
    let materials = mapMaterials(of: source, context)
    var textures = DecodedTextures(of: source, context)
    let isColored = parameters.maps.contains(.color)
    var (opaque, others): ([Int: Int], [Int: Int]) = ([:], [:])
    if isColored, parameters.colors.usesTextures {
      let isOpaque = { (material: Material) in !bakesOpacity || !material.isSeeThrough }
      opaque = textures.places(of: \.baseColorTexture, as: .color, where: isOpaque)
      others = textures.places(of: \.baseColorTexture, as: .colorWithOpacity) { !isOpaque($0) }
    }
    let looks = SurfaceLooks(
      source, choice: isColored ? parameters.colors : .none, textures: opaque,
      texturesWithOpacity: others, combinesColors: isColored,
      keepsMaterials: !materials.entries.isEmpty)
    let surface = SceneSurface(source, looks)
    return try MapSource(SceneSampler(surface: surface, textures: textures.all), materials)
  }

  /// What the materials have besides colours; nothing if no map needs it.
  private func mapMaterials(of source: Scene, _ context: StageContext) -> MapMaterials {
    var result = MapMaterials()
    var textures = DecodedTextures(of: source, context)
    func places(_ map: Map, _ key: KeyPath<Material, Int?>, _ kind: MipTexture.Kind) -> [Int: Int] {
      parameters.maps.contains(map) ? textures.places(of: key, as: kind) { _ in true } : [:]
    }
    let normals = places(.normal, \.normalTexture, .data)
    let surfaces = places(.metallicRoughness, \.metallicRoughnessTexture, .data)
    let lights = places(.emissive, \.emissiveTexture, .color)
    let wanted = Set(parameters.maps)
    let isNeeded =
      !normals.isEmpty || !wanted.isDisjoint(with: [.metallicRoughness, .emissive])
      || bakesOpacity && source.materials.contains(where: \.isSeeThrough)
    guard isNeeded else { return result }
    result.entries = source.materials.map { material in
      var entry = MapMaterials.Entry()
      if bakesOpacity, material.isSeeThrough {
        (entry.alphaMode, entry.opacity) = (material.shownAlphaMode, material.baseColor.w)
      }
      entry.normalMap = material.normalTexture.flatMap { normals[$0] }
      // A factor means something else without its texture.
      var whole = material
      entry.metallicRoughnessMap = material.metallicRoughnessTexture.flatMap { surfaces[$0] }
      if entry.metallicRoughnessMap == nil { whole.removeTexture(\.metallicRoughnessTexture) }
      entry.emissiveMap = material.emissiveTexture.flatMap { lights[$0] }
      if entry.emissiveMap == nil { whole.removeTexture(\.emissiveTexture) }
      (entry.metallic, entry.roughness) = (whole.metallic, whole.roughness)
      entry.emissive = whole.emissive
      return entry
    }
    result.textures = textures.all
    if !normals.isEmpty { result.tangents = Self.tangents(of: source, result.entries) }
    return result
  }

  /// The tangents of the corners of all faces: those of the scan, or Mikkelsen's; none for meshes without normal maps.
  private static func tangents(of source: Scene, _ materials: [MapMaterials.Entry]) -> [Tangent] {
    source.meshes.filter { $0.faceCount > 0 }.flatMap { mesh in
      let isDetailed = Set(mesh.faceMaterials ?? []).contains {
        materials[Int($0)].normalMap != nil
      }
      let tangents = isDetailed ? mesh.tangents ?? mesh.tangentSpace() : nil
      return tangents ?? [Tangent](repeating: .none, count: mesh.cornerCount)
    }
  }
}

/// The decoded textures of a source.
private struct DecodedTextures {
  private(set) var all: [MipTexture] = []
  private let source: Scene
  private let context: StageContext
  private let materials: [Material]

  init(of source: Scene, _ context: StageContext) {
    (self.source, self.context) = (source, context)
    materials = source.usedMaterials.map { source.materials[$0] }
  }

  /// Decodes a texture of some materials.
  ///
  /// - Returns: The places of the scene's textures in ``all``.
  mutating func places(
    of key: KeyPath<Material, Int?>, as kind: MipTexture.Kind, where isWanted: (Material) -> Bool
  ) -> [Int: Int] {
    let used = Set(materials.filter(isWanted).compactMap { $0[keyPath: key] })
    let (textures, places) = source.decodedTextures(used, as: kind) {
      context.warn("\($0); its faces are baked without it")
    }
    let first = all.count
    all += textures
    return places.mapValues { first + $0 }
  }
}

extension Mesh {
  /// The mesh with normals, which are smooth if it had none.
  func withNormals(_ system: CoordinateSystem) -> Mesh {
    guard normals == nil, cornerNormals == nil else { return self }
    var mesh = self
    mesh.normals = vertexNormals(
      weight: .angle, fallback: Vector3(SIMD3<Float>(system.up.vector)))
    return mesh
  }
}
