import MeshpipeBase
package import MeshpipeScene

/// Pictures of maps at another strength than their own, since materials show theirs in full.
///
/// The values are those of glTF 2.0: `scale` of a normal map and `strength` of an occlusion map (3.9.3).
package struct TextureStrengths {
  /// What a picture holds.
  package enum Map: Hashable {
    /// Directions in tangent space, of which x and y are multiplied.
    case normal
    /// Light in red, whose shade is multiplied.
    case occlusion
  }

  private struct Key: Hashable {
    var texture: Int
    var map: Map
    var strength: Float
  }

  private var known: [Key: Int] = [:]
  private var budget: PixelBudget
  /// Directions of a higher scale are flat: there is nothing to see.
  private static let most: Float = 1000

  /// - Parameter budget: The pixels that may be changed.
  package init(budget: PixelBudget = PixelBudget()) { self.budget = budget }

  /// The index of a picture of a texture at a strength; it is added to the textures if it is another one.
  ///
  /// - Parameter strength: 1 for the texture as it is. Occlusion has at most that.
  /// - Throws: ``ImageError`` for a picture that can't be read, or is too large.
  package mutating func index(
    of texture: Int, as map: Map, strength: Float, in textures: inout [Texture]
  ) throws(ImageError) -> Int {
    let range = map == .normal ? -Self.most...Self.most : 0...1
    let strength = min(max(strength, range.lowerBound), range.upperBound)
    guard strength != 1, !strength.isNaN else { return texture }
    let key = Key(texture: texture, map: map, strength: strength)
    if let index = known[key] { return index }
    try budget.spend(on: [textures[texture]])
    let raster = try TextureRaster(textures[texture], isData: true).with(map, at: strength)
    let stem = FileSystem.stem(of: textures[texture].fileName)
    textures.append(
      Texture(
        fileName: "\(stem)-\(Int((100 * strength).rounded())).png", encoding: .png,
        bytes: try raster.encoded(as: .png, quality: nil)))
    known[key] = textures.count - 1
    return textures.count - 1
  }
}

extension TextureRaster {
  /// - Parameter strength: Finite.
  fileprivate func with(_ map: TextureStrengths.Map, at strength: Float) -> TextureRaster {
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: pixels.count, chunkSize: 1 << 12) { index in
      let pixel = self.pixels[index]
      switch map {
      case .normal:
        let direction = 2 * MipTexture.numbers(of: pixel) - 1
        let scaled = (direction * SIMD3(strength, strength, 1)).normalized
        guard scaled != .zero else { return SIMD4(128, 128, 255, 255) }
        let codes = ((scaled + 1) * 127.5).rounded(.toNearestOrAwayFromZero)
        return SIMD4(UInt8(codes.x), UInt8(codes.y), UInt8(codes.z), 255)
      case .occlusion:
        let light = UInt8((255 + strength * (Float(pixel.x) - 255)).rounded())
        return SIMD4(light, light, light, 255)
      }
    }
    return TextureRaster(size: size, pixels: pixels)
  }
}
