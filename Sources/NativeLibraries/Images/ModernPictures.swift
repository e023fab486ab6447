import MeshpipeScene

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
    try PictureDecoding.image(of: bytes, kind == .webp ? .webp : .heif, path: path)
  }

  /// The pixels of an image with their opacity.
  ///
  /// - Throws: If the data are damaged or truncated, or the library is not installed.
  static func raster(
    of bytes: [UInt8], _ kind: PictureKind, path: String
  ) throws(ImageError) -> TextureRaster {
    try ImageLimits.check(bytes, path: path)
    return try PictureDecoding.raster(of: bytes, kind == .webp ? .webp : .heif, path: path)
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
