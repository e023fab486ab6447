internal import CTurboJPEG
package import MeshPipeline

/// JPEG with libjpeg-turbo.
///
/// EXIF orientation is ignored: cameras refer to the stored pixels.
package enum JPEG {
  /// Width and height of the image.
  package static func size(of bytes: [UInt8], path: String) throws(ImageError) -> SIMD2<Int> {
    try unsafe withDecoder(path) { decoder throws(ImageError) in
      try unsafe header(of: bytes, decoder, path).size
    }
  }

  /// Decodes an image at 1/1, 1/2, 1/4 or 1/8 of its size, rounded up.
  ///
  /// CMYK and YCCK are converted by multiplication, inverted as Adobe stores them and all programs
  /// expect; colour profiles are ignored.
  /// - Throws: If the data is damaged or truncated.
  package static func decode(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> Image {
    try unsafe withDecoder(path) { decoder throws(ImageError) in
      let header = try unsafe header(of: bytes, decoder, path)
      let size = (header.size &+ (reduction - 1)) / reduction
      let pixels: [UInt8] = try unsafe decompressed(
        bytes, decoder, to: size, as: header.isInInks ? TJPF_CMYK : TJPF_RGB,
        count: (header.isInInks ? 4 : 3) * size.x * size.y, path)
      return Image(
        width: size.x, height: size.y, pixels: header.isInInks ? printed(pixels) : pixels)
    }
  }

  /// Decodes an image as ``decode(_:reducedBy:path:)`` does, to opaque pixels: at no time there are two copies of them.
  package static func raster(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> TextureRaster {
    try unsafe withDecoder(path) { decoder throws(ImageError) in
      let header = try unsafe header(of: bytes, decoder, path)
      if header.isInInks {
        return TextureRaster(try decode(bytes, reducedBy: reduction, path: path))
      }
      let size = (header.size &+ (reduction - 1)) / reduction
      let pixels: [SIMD4<UInt8>] = try unsafe decompressed(
        bytes, decoder, to: size, as: TJPF_RGBA, count: size.x * size.y, path)
      return TextureRaster(size: size, pixels: pixels)
    }
  }

  /// Encodes an image; deterministic for the same pixels and quality (1 to 100).
  package static func encode(_ image: Image, quality: Int) throws(ImageError) -> [UInt8] {
    guard let encoder = unsafe tjInitCompress() else { throw ImageError("JPEG", "can't encode") }
    defer { unsafe tjDestroy(encoder) }
    var bytes: UnsafeMutablePointer<UInt8>?
    var count: UInt = 0
    let subsampling = quality >= 90 ? TJSAMP_444 : TJSAMP_420
    let failed = unsafe image.pixels.withUnsafeBufferPointer { source in
      unsafe tjCompress2(
        encoder, source.baseAddress, Int32(image.width), 0, Int32(image.height),
        Int32(TJPF_RGB.rawValue), &bytes, &count, Int32(subsampling.rawValue), Int32(quality),
        TJFLAG_ACCURATEDCT) != 0
    }
    defer { unsafe tjFree(bytes) }
    guard !failed, let bytes = unsafe bytes else {
      throw ImageError("JPEG", unsafe reason(encoder))
    }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
  }

  private static func withDecoder<Result>(
    _ path: String, _ body: (tjhandle) throws(ImageError) -> Result
  ) throws(ImageError) -> Result {
    guard let decoder = unsafe tjInitDecompress() else {
      throw ImageError(path, "libjpeg-turbo can't start")
    }
    defer { unsafe tjDestroy(decoder) }
    return try unsafe body(decoder)
  }

  /// The colours of inverted inks: what cyan, magenta and yellow leave, times what black leaves.
  private static func printed(_ inks: [UInt8]) -> [UInt8] {
    var pixels = [UInt8]()
    pixels.reserveCapacity(inks.count / 4 * 3)
    for start in stride(from: 0, to: inks.count, by: 4) {
      let black = Int(inks[start + 3])
      for ink in start..<start + 3 { pixels.append(UInt8((Int(inks[ink]) * black + 127) / 255)) }
    }
    return pixels
  }

  private static func header(
    of bytes: [UInt8], _ decoder: tjhandle, _ path: String
  ) throws(ImageError) -> (size: SIMD2<Int>, isInInks: Bool) {
    var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let failed = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe tjDecompressHeader3(
        decoder, source.baseAddress, UInt(source.count), &width, &height, &subsampling, &colors)
        != 0
    }
    guard !failed, width > 0, height > 0 else { throw ImageError(path, unsafe reason(decoder)) }
    let isInInks = [TJCS_CMYK, TJCS_YCCK].contains { Int32($0.rawValue) == colors }
    return (SIMD2(Int(width), Int(height)), isInInks)
  }

  /// The samples of an image whose header was read: bytes, or pixels of bytes.
  private static func decompressed<Sample>(
    _ bytes: [UInt8], _ decoder: tjhandle, to size: SIMD2<Int>, as format: TJPF, count: Int,
    _ path: String
  ) throws(ImageError) -> [Sample] {
    var failed = false
    let samples = unsafe [Sample](unsafeUninitializedCapacity: count) { target, filled in
      unsafe bytes.withUnsafeBufferPointer { source in
        failed =
          unsafe tjDecompress2(
            decoder, source.baseAddress, UInt(source.count),
            UnsafeMutableRawPointer(target.baseAddress)?.assumingMemoryBound(to: UInt8.self),
            Int32(size.x), 0, Int32(size.y), format.rawValue, TJFLAG_STOPONWARNING) != 0
      }
      filled = failed ? 0 : count
    }
    if failed { throw ImageError(path, unsafe reason(decoder)) }
    return samples
  }

  private static func reason(_ handle: tjhandle) -> String {
    guard let text = unsafe tjGetErrorStr2(handle) else { return "is not a JPEG" }
    return "incomplete JPEG: \(unsafe String(cString: text))"
  }
}
