package import MeshpipeScene

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
    decodedTextures(
      Set(materials.compactMap(\.baseColorTexture)), as: .color, reducedBy: reduction, warn: warn)
  }

  /// Decodes some textures of the scene, on all cores.
  ///
  /// - Parameters:
  ///   - indices: Those of the textures; those outside of the scene's are left out.
  ///   - kind: Data and colours without opacity may be reduced.
  ///   - reduction: As for ``decodedColorTextures(reducedBy:warn:)``.
  ///   - warn: Likewise.
  /// - Returns: The textures, and the place in them of each texture of the scene.
  package func decodedTextures(
    _ indices: Set<Int>, as kind: MipTexture.Kind,
    reducedBy reduction: @Sendable (Texture) -> Int = { _ in 1 }, warn: (String) -> Void
  ) -> (textures: [MipTexture], places: [Int: Int]) {
    let used = indices.sorted().filter(self.textures.indices.contains)
    let decoded = Parallel.map(count: used.count) { index in
      let texture = self.textures[used[index]]
      return Result { () throws(ImageError) in
        try MipTexture(texture, as: kind, reducedBy: reduction(texture))
      }
    }
    var (textures, places): ([MipTexture], [Int: Int]) = ([], [:])
    for (index, texture) in zip(used, decoded) {
      switch texture {
      case .success(let texture):
        places[index] = textures.count
        textures.append(texture)
      case .failure(let error): warn("texture \(error.message)")
      }
    }
    return (textures, places)
  }
}

extension MipTexture {
  fileprivate init(
    _ texture: Texture, as kind: Kind, reducedBy reduction: Int
  ) throws(ImageError) {
    if kind == .colorWithOpacity {
      let raster = try TextureRaster(texture)
      self.init(pixels: raster.pixels, size: raster.size)
    } else {
      let image = try Image.decoded(
        from: texture.bytes, path: texture.fileName, isData: kind == .data, reducedBy: reduction)
      self.init(image, as: kind)
    }
  }
}
