internal import CTurboJPEG
public import MeshPipeline

/// JPEG through libjpeg-turbo.
///
/// EXIF turns are not applied: cameras refer to the stored pixels.
public enum JPEG {
  /// Width and height of the picture.
  public static func size(of bytes: [UInt8], path: String) throws(ImageError) -> SIMD2<Int> {
    try unsafe withDecoder(path) { decoder throws(ImageError) in
      try unsafe size(of: bytes, decoder, path)
    }
  }

  /// Decodes a picture at 1/1, 1/2, 1/4 or 1/8 of its size, rounded up.
  ///
  /// - Throws: When the data is damaged or cut off.
  public static func decode(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> Image {
    try unsafe withDecoder(path) { decoder throws(ImageError) in
      let full = try unsafe size(of: bytes, decoder, path)
      let size = (full &+ (reduction - 1)) / reduction
      var failed = false
      let pixels = unsafe [UInt8](unsafeUninitializedCapacity: 3 * size.x * size.y) {
        target, count in
        unsafe bytes.withUnsafeBufferPointer { source in
          failed =
            unsafe tjDecompress2(
              decoder, source.baseAddress, UInt(source.count), target.baseAddress,
              Int32(size.x), 0, Int32(size.y), Int32(TJPF_RGB.rawValue), TJFLAG_STOPONWARNING) != 0
        }
        if failed { unsafe target.initialize(repeating: 0) }
        count = 3 * size.x * size.y
      }
      if failed { throw ImageError(path, unsafe reason(decoder)) }
      return Image(width: size.x, height: size.y, pixels: pixels)
    }
  }

  /// Encodes a picture; the same bytes for the same pixels and quality (1 to 100).
  public static func encode(_ image: Image, quality: Int) throws(ImageError) -> [UInt8] {
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

  private static func size(
    of bytes: [UInt8], _ decoder: tjhandle, _ path: String
  ) throws(ImageError) -> SIMD2<Int> {
    var (width, height, subsampling, colors): (Int32, Int32, Int32, Int32) = (0, 0, 0, 0)
    let failed = unsafe bytes.withUnsafeBufferPointer { source in
      unsafe tjDecompressHeader3(
        decoder, source.baseAddress, UInt(source.count), &width, &height, &subsampling, &colors)
        != 0
    }
    guard !failed, width > 0, height > 0 else { throw ImageError(path, unsafe reason(decoder)) }
    return SIMD2(Int(width), Int(height))
  }

  private static func reason(_ handle: tjhandle) -> String {
    guard let text = unsafe tjGetErrorStr2(handle) else { return "is no JPEG" }
    return "not a whole JPEG: \(unsafe String(cString: text))"
  }
}
