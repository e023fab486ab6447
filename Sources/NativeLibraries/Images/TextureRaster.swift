import MeshpipeScene

/// The pixels of a texture, with opacity if it has any.
package struct TextureRaster {
  package let size: SIMD2<Int>
  /// Red, green, blue and opacity of each pixel, row by row from the top left.
  package let pixels: [SIMD4<UInt8>]

  /// - Parameter pixels: One for each pixel of the size.
  package init(size: SIMD2<Int>, pixels: [SIMD4<UInt8>]) {
    self.size = size
    self.pixels = pixels
  }

  package var hasTransparency: Bool { pixels.contains { $0.w != 255 } }

  /// The image without its opacity, which means nothing in a map of numbers and would weigh them.
  package var opaque: TextureRaster {
    hasTransparency
      ? TextureRaster(size: size, pixels: pixels.map { SIMD4($0.x, $0.y, $0.z, 255) }) : self
  }

  /// The image with at most this many pixels per side.
  ///
  /// - Parameters:
  ///   - original: The size of the picture of which this may be a reduced one.
  ///   - isData: Whether its values are directions or shares instead of light, whose means are those of the values.
  func bounded(to maximum: Int, of original: SIMD2<Int>, isData: Bool) -> TextureRaster {
    let largest = original.max()
    guard largest > maximum else { return self }
    func scaled(_ side: Int) -> Int { max(1, (side * maximum + largest / 2) / largest) }
    let target = SIMD2(scaled(original.x), scaled(original.y))
    guard target != size else { return self }
    let table = SRGBTable.shared
    let linear = isData ? (0..<256).map { Float($0) / 255 } : table.linear
    let pixels = Parallel.array(count: target.x * target.y, chunkSize: 1 << 12) { place in
      let mean = mean(ofPixel: SIMD2(place % target.x, place / target.x), of: target, linear)
      func code(_ value: Float) -> UInt8 {
        isData ? UInt8(max(0, min(255, (value * 255).rounded()))) : table.code(value)
      }
      let opacity = UInt8(max(0, min(255, (mean.w * 255).rounded())))
      return SIMD4(code(mean.x), code(mean.y), code(mean.z), opacity)
    }
    return TextureRaster(size: target, pixels: pixels)
  }

  /// The mean of the pixels covered by a pixel of a smaller image, weighted by coverage and
  /// opacity.
  private func mean(
    ofPixel place: SIMD2<Int>, of target: SIMD2<Int>, _ linear: [Float]
  ) -> SIMD4<Float> {
    let scale = SIMD2(Float(size.x) / Float(target.x), Float(size.y) / Float(target.y))
    let low = SIMD2(Float(place.x), Float(place.y)) * scale
    let high = low + scale
    var color = SIMD3<Float>.zero
    var (opacity, area, weight): (Float, Float, Float) = (0, 0, 0)
    for y in Int(low.y)..<min(size.y, Int(high.y.rounded(.up))) {
      let height = min(high.y, Float(y + 1)) - max(low.y, Float(y))
      for x in Int(low.x)..<min(size.x, Int(high.x.rounded(.up))) {
        let share = height * (min(high.x, Float(x + 1)) - max(low.x, Float(x)))
        let pixel = pixels[y * size.x + x]
        let alpha = Float(pixel.w) / 255
        area += share
        opacity += share * alpha
        let part = share * max(alpha, RowReduction.transparentWeight)
        weight += part
        color += part * SIMD3(linear[Int(pixel.x)], linear[Int(pixel.y)], linear[Int(pixel.z)])
      }
    }
    return SIMD4(
      color / max(weight, .leastNormalMagnitude), opacity / max(area, .leastNormalMagnitude))
  }
}
