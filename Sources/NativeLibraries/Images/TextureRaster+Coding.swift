package import MeshpipeScene

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
