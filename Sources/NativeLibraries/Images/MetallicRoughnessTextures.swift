import MeshpipeBase
package import MeshpipeScene

/// Where one of a material's numbers is in the textures of a scan.
package struct TexturePlace: Hashable {
  /// Index of the texture.
  package let texture: Int
  /// 0 is red, 1 green, 2 blue and 3 opacity.
  package let channel: Int

  package init(texture: Int, channel: Int) {
    self.texture = texture
    self.channel = channel
  }
}

/// The textures of roughness and metalness of a scan, of which other formats than glTF have two.
package struct MetallicRoughnessTextures {
  /// The textures made of two others.
  private var joined: [[TexturePlace?]: Int] = [:]
  private var budget: PixelBudget

  /// - Parameter budget: The pixels that may be joined.
  package init(budget: PixelBudget = PixelBudget()) { self.budget = budget }

  /// The texture whose green is the roughness and whose blue is the metalness.
  ///
  /// A picture that has them there is taken as it is; others are joined in a new one, as large as the
  /// larger one, which is added to the textures.
  /// - Parameters:
  ///   - roughness: Nil if it is 1 everywhere.
  ///   - metallic: Likewise.
  ///   - isUsed: Whether each is multiplied by more than 0.
  /// - Returns: Its index, or nil if both are numbers.
  /// - Throws: ``ImageError`` for a picture that can't be read, or is too large to be joined.
  package mutating func index(
    roughness: TexturePlace?, metallic: TexturePlace?, isUsed: (roughness: Bool, metallic: Bool),
    in textures: inout [Texture]
  ) throws(ImageError) -> Int? {
    let roughness = isUsed.roughness ? roughness : nil
    let metallic = isUsed.metallic ? metallic : nil
    guard let any = roughness ?? metallic else { return nil }
    func isThere(_ place: TexturePlace?, _ channel: Int, _ isUsed: Bool) -> Bool {
      !isUsed || place == TexturePlace(texture: any.texture, channel: channel)
    }
    if isThere(roughness, 1, isUsed.roughness), isThere(metallic, 2, isUsed.metallic) {
      return any.texture
    }
    if let known = joined[[roughness, metallic]] { return known }
    let sources = [roughness, metallic].compactMap(\.self).map { textures[$0.texture] }
    try budget.spend(on: sources)
    func channel(_ place: TexturePlace?) throws(ImageError) -> TextureRaster.Channel? {
      guard let place else { return nil }
      return (try TextureRaster(textures[place.texture], isData: true), place.channel)
    }
    let raster = TextureRaster(
      roughness: try channel(roughness), metallic: try channel(metallic))
    let stem = FileSystem.stem(of: textures[any.texture].fileName)
    textures.append(
      Texture(
        fileName: "\(stem)-metallic-roughness.png", encoding: .png,
        bytes: try raster.encoded(as: .png, quality: 100)))
    joined[[roughness, metallic]] = textures.count - 1
    return textures.count - 1
  }

  /// Gives a material pictures of its roughness and metalness, as formats have them that multiply neither by a factor.
  ///
  /// - Parameters:
  ///   - roughness: The index of a grey picture, or of one whose green is the roughness; nil if there is none.
  ///   - metallic: Likewise, with the metalness in blue.
  /// - Throws: ``ImageError``, after which the material has neither such a map nor the metalness of one.
  package mutating func give(
    roughness: Int?, metallic: Int?, to material: inout Material, in textures: inout [Texture]
  ) throws(ImageError) {
    if roughness != nil { material.roughness = 1 }
    if metallic != nil { material.metallic = 1 }
    do throws(ImageError) {
      material.metallicRoughnessTexture = try index(
        roughness: roughness.map { TexturePlace(texture: $0, channel: 1) },
        metallic: metallic.map { TexturePlace(texture: $0, channel: 2) },
        isUsed: (material.roughness > 0, material.metallic > 0), in: &textures)
    } catch {
      if metallic != nil { material.metallic = 0 }
      throw error
    }
  }
}

extension TextureRaster {
  fileprivate typealias Channel = (raster: TextureRaster, index: Int)

  /// - Parameters: The values of green and blue; nil for 1.
  fileprivate init(roughness: Channel?, metallic: Channel?) {
    let sizes = [roughness, metallic].compactMap { $0?.raster.size }
    let size = sizes.max { $0.x * $0.y < $1.x * $1.y } ?? SIMD2(1, 1)
    @Sendable func value(_ channel: Channel?, _ x: Int, _ y: Int) -> UInt8 {
      guard let (raster, index) = channel else { return 255 }
      let row = y * raster.size.y / size.y
      return raster.pixels[row * raster.size.x + x * raster.size.x / size.x][index]
    }
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: size.x * size.y) { position in
      let (x, y) = (position % size.x, position / size.x)
      return SIMD4(0, value(roughness, x, y), value(metallic, x, y), 255)
    }
    self.init(size: size, pixels: pixels)
  }

  /// A channel as a grey picture, multiplied by a factor of 0 to 1.
  package func gray(of channel: Int, times factor: Float) -> TextureRaster {
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: self.pixels.count) { position in
      let value = UInt8((Float(self.pixels[position][channel]) * factor).rounded())
      return SIMD4(value, value, value, 255)
    }
    return TextureRaster(size: size, pixels: pixels)
  }
}
