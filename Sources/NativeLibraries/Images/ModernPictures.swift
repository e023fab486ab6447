import MeshPipeline

/// WebP with libwebp, HEIC and AVIF with libheif, in cells.
///
/// Orientation for viewers is ignored: cameras refer to the stored pixels.
enum ModernPictures {
  /// Decodes an image.
  ///
  /// - Throws: If the data is damaged or truncated, or the library is not installed.
  static func decode(
    _ bytes: [UInt8], _ kind: PictureKind, path: String
  ) throws(ImageError) -> Image {
    let (size, samples) = try samples(of: bytes, kind, channels: 3, path: path)
    return Image(width: size.x, height: size.y, pixels: samples)
  }

  /// The samples of an image, row by row: red, green, blue, and with 4 channels opacity.
  static func samples(
    of bytes: [UInt8], _ kind: PictureKind, channels: Int, path: String
  ) throws(ImageError) -> (size: SIMD2<Int>, samples: [UInt8]) {
    let (size, samples) = try PictureDecoding.samples(
      of: bytes, kind == .webp ? .webp : .heif, channels: channels, path: path)
    // Cameras are for the size in the header.
    if let told = PictureHeader(bytes).size, told != size {
      throw ImageError(
        path, "has \(size.x) x \(size.y) pixels, but its header says \(told.x) x \(told.y)")
    }
    return (size, samples)
  }

  /// The pixels of an image with their opacity.
  ///
  /// - Throws: If the data are damaged or truncated, or the library is not installed.
  static func raster(
    of bytes: [UInt8], _ kind: PictureKind, path: String
  ) throws(ImageError) -> TextureRaster {
    try ImageLimits.check(bytes, path: path)
    let (size, samples) = try samples(of: bytes, kind, channels: 4, path: path)
    let pixels: [SIMD4<UInt8>] = Parallel.array(count: size.x * size.y) { pixel in
      let at = 4 * pixel
      return SIMD4(samples[at], samples[at + 1], samples[at + 2], samples[at + 3])
    }
    return TextureRaster(size: size, pixels: pixels)
  }

  /// The samples of pixels for an encoder, without opacity if all are opaque.
  static func samples(of pixels: [SIMD4<UInt8>]) -> (samples: [UInt8], channels: Int) {
    let channels = pixels.contains { $0.w != 255 } ? 4 : 3
    var samples: [UInt8] = []
    samples.reserveCapacity(channels * pixels.count)
    for pixel in pixels {
      for channel in 0..<channels { samples.append(pixel[channel]) }
    }
    return (samples, channels)
  }
}
