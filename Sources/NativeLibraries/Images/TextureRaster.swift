package import MeshpipeScene

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
    let pixels = Parallel.array(count: target.x * target.y, chunkSize: 1 << 12) { index in
      let mean = mean(ofPixel: SIMD2(index % target.x, index / target.x), of: target, linear)
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
    ofPixel position: SIMD2<Int>, of target: SIMD2<Int>, _ linear: [Float]
  ) -> SIMD4<Float> {
    let scale = SIMD2(Float(size.x) / Float(target.x), Float(size.y) / Float(target.y))
    let low = SIMD2(Float(position.x), Float(position.y)) * scale
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

extension TextureRaster {
  /// Decodes a texture of any ``PictureKind``.
  ///
  /// - Parameter isData: Whether the values of a picture of numbers (OpenEXR) are such, instead of light.
  /// - Throws: ``ImageError`` for an unreadable image.
  package init(_ texture: Texture, isData: Bool = false) throws(ImageError) {
    if texture.encoding == .ktx2 {
      self = try KTX2.raster(of: texture.bytes, path: texture.fileName)
      return
    }
    let (bytes, path) = (texture.bytes, texture.fileName)
    let kind = PictureKind(texture)
    switch kind {
    case .jpeg:
      try ImageLimits.check(bytes, path: path)
      self = try JPEG.raster(bytes, path: path)
    case .png: self = try PNG.raster(of: bytes, path: path)
    case .webp?, .heic?, .avif?:
      self = try ModernPictures.raster(of: bytes, kind ?? .webp, path: path)
    case let kind?: self = try RarePictures.raster(of: bytes, kind, isData: isData, path: path)
    case nil: self.init(try Image.decoded(from: bytes, path: path))
    }
  }

  /// An image without opacity.
  init(_ image: Image) {
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: image.width * image.height) { pixel in
      SIMD4(image.pixels[3 * pixel], image.pixels[3 * pixel + 1], image.pixels[3 * pixel + 2], 255)
    }
    self.init(size: image.size, pixels: pixels)
  }

  /// A texture with at most this many pixels per side, as ``bounded(to:of:isData:)`` makes it, without all of a much
  /// larger one in memory.
  ///
  /// JPEG is decoded at a fraction of its size that is still twice as large, so that most of the mean is taken in linear
  /// light. PNG is read row by row.
  /// - Returns: Also the size that the picture has.
  package static func bounded(
    _ texture: Texture, to maximum: Int, isData: Bool
  ) throws(ImageError) -> (raster: TextureRaster, original: SIMD2<Int>) {
    let size = texture.pixelSize.flatMap { $0.min() > 0 ? $0 : nil }
    let reduction = size.map { Self.reduction(of: $0, to: maximum) } ?? 1
    let large: TextureRaster
    switch PictureKind(texture) {
    case .jpeg where reduction > 1:
      try ImageLimits.check(texture.bytes, path: texture.fileName)
      large = try JPEG.raster(texture.bytes, reducedBy: min(reduction, 8), path: texture.fileName)
    case .png where reduction > 1:
      large = try PNG.raster(
        of: texture.bytes, reducedBy: reduction, isData: isData, path: texture.fileName)
    default: large = try TextureRaster(texture, isData: isData)
    }
    let raster = isData ? large.opaque : large
    // As the whole one would be bounded: rounding twice could give another size.
    let original = size ?? raster.size
    return (raster.bounded(to: maximum, of: original, isData: isData), original)
  }

  /// The power of two by which a picture may be reduced before it is bounded.
  private static func reduction(of size: SIMD2<Int>, to maximum: Int) -> Int {
    var reduction = 1
    while size.max() / (2 * reduction) >= 2 * maximum { reduction *= 2 }
    // Twice as large is too much of a large result.
    while size.x / reduction * (size.y / reduction) > 1 << 26,
      size.max() / (2 * reduction) >= maximum
    {
      reduction *= 2
    }
    return reduction
  }

  /// The image without opacity.
  var image: Image {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(3 * pixels.count)
    for pixel in pixels {
      bytes.append(pixel.x)
      bytes.append(pixel.y)
      bytes.append(pixel.z)
    }
    return Image(width: size.x, height: size.y, pixels: bytes)
  }

  /// The file of the image: PNG, WebP, AVIF, or JPEG, which has no opacity.
  ///
  /// - Parameter quality: That of JPEG and WebP, and of an AVIF that looks like it, from 1 to 100; nil for WebP and AVIF
  ///   without loss.
  package func encoded(as encoding: Texture.Encoding, quality: Int?) throws(ImageError) -> [UInt8] {
    if encoding == .webp { return try WebP.encode(pixels, size: size, quality: quality) }
    if encoding == .avif {
      return try AVIF.encode(pixels, size: size, quality: quality.map { AVIF.quality(asJPEG: $0) })
    }
    guard encoding == .png else { return try JPEG.encode(image, quality: quality ?? 100) }
    return hasTransparency
      ? try PNG.encode(image, alpha: pixels.map(\.w), level: 6)
      : try PNG.encode(image, level: 6)
  }
}
