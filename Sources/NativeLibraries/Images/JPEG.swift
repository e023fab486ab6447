internal import CTurboJPEG
package import MeshpipeScene

/// JPEG with libjpeg-turbo, which decodes in cells.
///
/// EXIF orientation is ignored: cameras refer to the stored pixels.
package enum JPEG {
  /// Decodes an image at 1/1, 1/2, 1/4 or 1/8 of its size, rounded up.
  ///
  /// CMYK and YCCK are converted by multiplication, inverted as Adobe stores them and all programs
  /// expect; colour profiles are ignored.
  /// - Throws: If the data is damaged or truncated.
  package static func decode(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> Image {
    try PictureDecoding.image(of: bytes, .jpeg, reducedBy: reduction, path: path)
  }

  /// Decodes an image as ``decode(_:reducedBy:path:)`` does, to opaque pixels.
  static func raster(
    _ bytes: [UInt8], reducedBy reduction: Int = 1, path: String
  ) throws(ImageError) -> TextureRaster {
    try PictureDecoding.raster(of: bytes, .jpeg, reducedBy: reduction, path: path)
  }

  /// Encodes an image; deterministic for the same pixels and quality (1 to 100).
  ///
  /// - Parameter dotsPerInch: The resolution for a print of it, at most 65535; nil to say nothing.
  package static func encode(
    _ image: Image, quality: Int, dotsPerInch: Int? = nil
  ) throws(ImageError) -> [UInt8] {
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
      throw ImageError("JPEG", unsafe JPEGDecoder.reason(encoder))
    }
    var file = unsafe Array(UnsafeBufferPointer(start: bytes, count: Int(count)))
    if let dotsPerInch { setResolution(dotsPerInch, of: &file) }
    return file
  }

  /// Writes the resolution into the header of JFIF, which TurboJPEG puts first and leaves without one.
  private static func setResolution(_ dotsPerInch: Int, of file: inout [UInt8]) {
    guard file.count > 18, file[6..<11].elementsEqual([UInt8]("JFIF\0".utf8)) else { return }
    let dots = UInt16(clamping: dotsPerInch)
    let (high, low) = (UInt8(dots >> 8), UInt8(dots & 255))
    let dotsPerInchUnit: UInt8 = 1
    file.replaceSubrange(13..<18, with: [dotsPerInchUnit, high, low, high, low])
  }
}
