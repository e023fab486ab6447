import MeshPipeline

extension Scene {
  /// Warns before vertices get colours whose faces have a texture.
  ///
  /// glTF multiplies the two, and so do most programs: the texture would be painted over itself.
  func warnOfTextures(under stage: String, in context: StageContext) {
    let textured = meshes.first { mesh in
      guard mesh.textureCoordinates != nil, let faces = mesh.faceMaterials else { return false }
      let used = Set(faces)
      return materials.indices.contains {
        materials[$0].baseColorTexture != nil && used.contains(UInt32($0))
      }
    }
    guard let textured else { return }
    context.warn(
      "'\(textured.name)' has a texture, which most programs multiply by the colours of vertices: put "
        + "'\(stage)' before 'bake-texture', and let each output name the stage that it shows with "
        + "\"from\"")
  }
}
