package import MeshPipeline

extension TextureRaster {
  /// Decodes a texture.
  ///
  /// - Throws: ``ImageError`` for an unreadable image.
  package init(_ texture: Texture) throws(ImageError) {
    if texture.encoding == .ktx2 {
      self = try KTX2.raster(of: texture.bytes, path: texture.fileName)
      return
    }
    if texture.encoding == .webp || texture.encoding == .avif {
      self = try ModernPictures.raster(
        of: texture.bytes, texture.encoding == .webp ? .webp : .avif, path: texture.fileName)
      return
    }
    if texture.encoding == .png {
      let samples = try PNG.samples(of: texture.bytes, path: texture.fileName)
      if samples.bitDepth == 8, samples.channels == 2 || samples.channels == 4 {
        let size = SIMD2(samples.width, samples.height)
        let (step, bytes) = (samples.channels, samples.bytes)
        let pixels: [SIMD4<UInt8>] = Parallel.array(count: size.x * size.y) { pixel in
          let at = pixel * step
          return step == 4
            ? SIMD4(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3])
            : SIMD4(bytes[at], bytes[at], bytes[at], bytes[at + 1])
        }
        self.init(size: size, pixels: pixels)
        return
      }
    }
    let image = try Image.decoded(from: texture.bytes, path: texture.fileName)
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: image.width * image.height) { pixel in
      SIMD4(image.pixels[3 * pixel], image.pixels[3 * pixel + 1], image.pixels[3 * pixel + 2], 255)
    }
    self.init(size: image.size, pixels: pixels)
  }

  /// The image without opacity.
  var image: Image {
    Image(width: size.x, height: size.y, pixels: pixels.flatMap { [$0.x, $0.y, $0.z] })
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
