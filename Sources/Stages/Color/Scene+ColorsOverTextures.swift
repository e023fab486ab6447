import MeshPipeline

extension Scene {
  /// Warns before vertices of textured faces get colours.
  ///
  /// glTF multiplies the two, and so do most programs: the texture would be tinted by itself.
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
      "'\(textured.name)' has a texture, which most programs multiply by vertex colours: put "
        + "'\(stage)' before 'bake-texture', and select the stage for each output with "
        + "\"from\"")
  }
}
