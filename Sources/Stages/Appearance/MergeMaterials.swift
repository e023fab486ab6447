public import MeshPipeline
internal import NativeLibraries
import Photogrammetry
import SurfaceKernels

/// Reduces the number of materials, so that a model needs few draw calls.
public struct MergeMaterials: Stage {
  public static let otherNames = ["palette", "dedup", "join-materials"]
  public static let summary =
    "Reduces the number of materials, so that a model needs few draw calls."
  public static let discussion = """
    Materials that look the same become one, whatever their names. Plain colours that are \
    otherwise equal become one material with a small texture, the palette, in which each colour \
    is a square.

    Unused materials and textures are removed.

    A viewer draws each mesh once per material, and glTF also keeps classes apart: `meshpipe \
    info` shows the resulting number of draw calls. With `classes` false the classes are \
    dropped, except for their colours where faces have no materials; run `merge` first to reduce \
    the meshes to one.
    """
  public static let example = #"{ "use": "merge-materials", "with": { "classes": false } }"#

  public struct Parameters: StageParameters {
    @Parameter("Make plain colours one material with a palette texture.")
    public var palette = true

    @Parameter("Keep the classes of faces, each of which is a draw call.")
    public var classes = true

    public init() {}
  }

  private let parameters: Parameters
  public init(_ parameters: Parameters) { self.parameters = parameters }

  public func run(_ scene: consuming Scene, in context: StageContext) throws -> Scene {
    try context.progress(0)
    context.note("drawCallsBefore", scene.drawCalls.json)
    if !parameters.classes {
      colorClasses(of: &scene)
      for index in scene.meshes.indices { scene.meshes[index].classes = nil }
      for index in scene.pointClouds.indices { scene.pointClouds[index].classes = nil }
    }
    joinEqual(&scene)
    try context.progress(0.4)
    if parameters.palette { try makePalettes(&scene) }
    try context.progress(0.8)
    scene.removeUnusedMaterials()
    context.note("drawCalls", scene.drawCalls.json)
    try context.progress(1)
    return scene
  }

  /// Gives faces that have only a class the class's colour as shown by formats.
  private func colorClasses(of scene: inout Scene) {
    let isColored = scene.features.contains(.colors)
    var numbers: [String: UInt32] = [:]
    for index in scene.meshes.indices where scene.meshes[index].faceMaterials == nil {
      guard let classes = scene.meshes[index].classes else { continue }
      let present = Set(classes.presentNames)
      let materials = classes.names.map { name -> UInt32 in
        guard present.contains(name) else { return 0 }
        if let known = numbers[name] { return known }
        scene.materials.append(Material(ofClass: name, isColored: isColored))
        numbers[name] = UInt32(scene.materials.count - 1)
        return UInt32(scene.materials.count - 1)
      }
      scene.meshes[index].faceMaterials = classes.labels.map { materials[Int($0)] }
    }
  }

  /// Gives faces with equal materials the same one.
  private func joinEqual(_ scene: inout Scene) {
    var firsts: [UInt32] = []
    for (index, material) in scene.materials.enumerated() {
      let same = scene.materials[..<index].firstIndex { $0.looksLike(material, scene.textures) }
      firsts.append(UInt32(same ?? index))
    }
    for index in scene.meshes.indices {
      guard var materials = scene.meshes[index].faceMaterials.take() else { continue }
      for face in materials.indices { materials[face] = firsts[Int(materials[face])] }
      scene.meshes[index].faceMaterials = materials
    }
  }

  // MARK: Palettes

  private func makePalettes(_ scene: inout Scene) throws {
    var used = Set<UInt32>()
    for mesh in scene.meshes { used.formUnion(mesh.faceMaterials ?? []) }
    var groups: [(look: Material, members: [UInt32])] = []
    for index in used.sorted() {
      let material = scene.materials[Int(index)]
      guard Material.textureKeys.allSatisfy({ material[keyPath: $0] == nil }) else { continue }
      let look = material.withoutColor
      if let known = groups.firstIndex(where: { $0.look == look }) {
        groups[known].members.append(index)
      } else {
        groups.append((look, [index]))
      }
    }
    for group in groups where group.members.count > 1 {
      try makePalette(of: group.members, &scene)
    }
  }

  /// Moves the colours of materials that are otherwise equal into a texture.
  private func makePalette(of members: [UInt32], _ scene: inout Scene) throws {
    let colors = members.map { scene.materials[Int($0)].baseColor }
    let palette = Palette(colors)
    let number = scene.textures.contains { $0.fileName == "palette.png" } ? scene.textures.count : 0
    let name = number == 0 ? "palette" : "palette-\(number + 1)"
    scene.textures.append(
      Texture(fileName: "\(name).png", encoding: .png, bytes: try PNG.encode(palette.image)))
    var material = scene.materials[Int(members[0])].withoutColor
    material.name = name
    material.baseColorTexture = scene.textures.count - 1
    scene.materials.append(material)
    let new = UInt32(scene.materials.count - 1)
    var places: [UInt32: Vector2] = [:]
    for (place, member) in members.enumerated() { places[member] = palette.center(of: place) }
    for index in scene.meshes.indices {
      guard var materials = scene.meshes[index].faceMaterials,
        materials.contains(where: { places[$0] != nil })
      else { continue }
      var coordinates =
        scene.meshes[index].textureCoordinates
        ?? [Vector2](repeating: .zero, count: scene.meshes[index].cornerCount)
      for face in materials.indices {
        guard let place = places[materials[face]] else { continue }
        materials[face] = new
        for corner in 3 * face..<3 * face + 3 { coordinates[corner] = place }
      }
      scene.meshes[index].faceMaterials = materials
      scene.meshes[index].textureCoordinates = coordinates
    }
  }

  // MARK: Leftovers
}

extension Material {
  /// Whether two materials look the same.
  fileprivate func looksLike(_ other: Material, _ textures: [Texture]) -> Bool {
    func bytes(_ index: Int?) -> [UInt8]? {
      index.flatMap { textures.indices.contains($0) ? textures[$0].bytes : nil }
    }
    var (one, two) = (self, other)
    for key in Material.textureKeys {
      if one[keyPath: key] == two[keyPath: key] { continue }
      guard let own = bytes(one[keyPath: key]), own == bytes(two[keyPath: key]) else {
        return false
      }
      one[keyPath: key] = two[keyPath: key]
    }
    two.name = one.name
    return one == two
  }

  /// The material with the colour white, the same opacity, and without a name.
  fileprivate var withoutColor: Material {
    var material = self
    material.name = ""
    material.baseColor = SIMD4(1, 1, 1, baseColor.w)
    return material
  }
}
