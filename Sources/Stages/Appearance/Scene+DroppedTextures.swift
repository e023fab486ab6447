import MeshPipeline

extension Scene {
  /// Leaves out textures and what places them on the surface.
  mutating func dropTextures() {
    for index in meshes.indices {
      meshes[index].textureCoordinates = nil
      meshes[index].secondTextureCoordinates = nil
      meshes[index].tangents = nil
    }
    for index in materials.indices {
      for key in Material.textureKeys { materials[index].removeTexture(key) }
    }
    surfaceMaps = []
    textures = []
  }
}
