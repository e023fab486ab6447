import MeshPipeline
import NativeLibraries

/// The materials of a written OBJ file with their texture files.
///
/// MTL has separate pictures of roughness and metalness, each of which is the value itself.
struct OBJTextures {
  /// The scene with these pictures added.
  private var scene: Scene
  private var materials: [(entry: MaterialTable.Entry, split: Split?)] = []
  private var splits: [SplitKey: Split] = [:]
  private var files: TextureFiles
  private var budget = PixelBudget()

  /// The pictures of a material's roughness and metalness; nil for one that is a number.
  private struct Split {
    var roughness: Int?
    var metallic: Int?
  }

  private struct SplitKey: Hashable {
    var texture: Int
    var roughness: Float
    var metallic: Float
  }

  init(
    of table: MaterialTable, in scene: Scene, beside output: OutputSet, _ context: WritingContext
  ) throws {
    self.scene = scene
    files = TextureFiles([], used: [], beside: output)
    var used = Set<Int>()
    for var entry in table.entries {
      var split: Split?
      if let texture = entry.material.metallicRoughnessTexture {
        do throws(ImageError) {
          split = try self.split(texture, of: entry.material)
        } catch {
          context.stage.warn(
            "texture \(error.message); '\(entry.name)' loses its roughness and metalness")
          entry.material.removeTexture(\.metallicRoughnessTexture)
        }
      }
      entry.material.removeDarkEmissiveTexture()
      materials.append((entry, split))
      let material = entry.material
      used.formUnion(
        [
          material.baseColorTexture, material.normalTexture, material.emissiveTexture,
          split?.roughness, split?.metallic,
        ].compactMap { $0 })
    }
    files = TextureFiles(self.scene.textures, used: used, beside: output)
  }

  private mutating func split(_ texture: Int, of material: Material) throws(ImageError) -> Split {
    let key = SplitKey(
      texture: texture, roughness: material.roughness, metallic: material.metallic)
    if let known = splits[key] { return known }
    try budget.spend(on: [scene.textures[texture]])
    let raster = try TextureRaster(scene.textures[texture], isData: true)
    let stem = FileSystem.stem(of: scene.textures[texture].fileName)
    func add(_ channel: Int, _ factor: Float, _ name: String) throws(ImageError) -> Int? {
      guard factor > 0 else { return nil }
      let gray = raster.gray(of: channel, times: min(factor, 1))
      scene.textures.append(
        Texture(
          fileName: "\(stem)-\(name).png", encoding: .png,
          bytes: try gray.encoded(as: .png, quality: 100)))
      return scene.textures.count - 1
    }
    let split = Split(
      roughness: try add(1, key.roughness, "roughness"),
      metallic: try add(2, key.metallic, "metallic"))
    splits[key] = split
    return split
  }

  func write(to output: OutputSet, in context: WritingContext) throws {
    try files.write(scene, to: output, in: context)
  }

  /// The materials as MTL, with the physically based extension supported by Blender and others.
  ///
  /// - Parameter remarks: What comments say.
  func libraryText(remarks: [String]) -> String {
    var text = "# meshpipe\n" + remarks.map { "# \($0)\n" }.joined()
    for (entry, split) in materials {
      let material = entry.material
      let color = material.baseColor
      text += "\nnewmtl \(entry.name)\n"
      text += "Kd \(color.x) \(color.y) \(color.z)\n"
      text += "d \(color.w)\n"
      // "Color on and ambient off": not affected by lights.
      if material.isUnlit { text += "illum 0\n" }
      text += "Pr \(material.roughness)\nPm \(material.metallic)\n"
      let emissive = material.emissive
      if emissive != .zero { text += "Ke \(emissive.x) \(emissive.y) \(emissive.z)\n" }
      func add(_ keyword: String, _ texture: Int?) {
        if let file = texture.flatMap({ files.names[$0] }) { text += "\(keyword) \(file)\n" }
      }
      add("map_Kd", material.baseColorTexture)
      // Programs take the opacity of the picture in the place of `d`.
      if material.alphaMode != .opaque, color.w == 1,
        let texture = material.baseColorTexture, scene.textures[texture].encoding != .jpeg
      {
        add("map_d", texture)
      }
      add("norm", material.normalTexture)
      add("map_Ke", material.emissiveTexture)
      add("map_Pr", split?.roughness)
      add("map_Pm", split?.metallic)
    }
    return text
  }
}
