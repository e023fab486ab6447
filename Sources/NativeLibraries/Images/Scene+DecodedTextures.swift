package import MeshPipeline

extension Scene {
  /// Decodes the textures with colours of the scene's materials, on all cores.
  ///
  /// - Parameters:
  ///   - reduction: The fraction of its size at which a texture is decoded: 1, 2, 4 or 8.
  ///   - warn: Called with a message for a texture that can't be decoded, which is left out.
  /// - Returns: The textures, and the place in them of each texture of the scene.
  package func decodedColorTextures(
    reducedBy reduction: @Sendable (Texture) -> Int = { _ in 1 }, warn: (String) -> Void
  ) -> (textures: [MipTexture], places: [Int: Int]) {
    let used = Set(materials.compactMap(\.baseColorTexture)).sorted()
      .filter(self.textures.indices.contains)
    let images = Parallel.map(count: used.count) { index in
      let texture = self.textures[used[index]]
      return Result { () throws(ImageError) in
        try Image.decoded(
          from: texture.bytes, path: texture.fileName, reducedBy: reduction(texture))
      }
    }
    var (textures, places): ([MipTexture], [Int: Int]) = ([], [:])
    for (index, image) in zip(used, images) {
      switch image {
      case .success(let image):
        places[index] = textures.count
        textures.append(MipTexture(image))
      case .failure(let error): warn("texture \(error.message)")
      }
    }
    return (textures, places)
  }
}
