internal import CPNG
package import MeshpipeScene
import POSIX

/// PNG with libpng, which decodes in cells.
///
/// Samples are returned as stored, whatever the gamma or profile.
package enum PNG {
  /// Decoded samples, row by row.
  package struct Samples: Sendable {
    package var width: Int
    package var height: Int
    /// 1 grey, 2 grey and alpha, 3 RGB, 4 RGBA.
    package var channels: Int
    /// 8 or 16.
    package var bitDepth: Int
    /// 16-bit samples are in the machine's byte order.
    package var bytes: [UInt8]
  }

  /// Decodes an image of any kind.
  package static func samples(of bytes: [UInt8], path: String) throws(ImageError) -> Samples {
    try PictureDecoding.samples(ofPNG: bytes, path: path)
  }

  /// Decodes an image to three bytes per pixel, ignoring alpha.
  package static func decode(_ bytes: [UInt8], path: String) throws(ImageError) -> Image {
    try PictureDecoding.image(of: bytes, .png, path: path)
  }

  /// Decodes an image with its opacity; samples of 16 bits are rounded.
  static func raster(of bytes: [UInt8], path: String) throws(ImageError) -> TextureRaster {
    try PictureDecoding.raster(of: bytes, .png, path: path)
  }

  /// Decodes an image at a fraction of its size, rounded up, with a few of its rows in memory.
  ///
  /// - Parameters:
  ///   - factor: The pixels along a side of which one becomes the mean.
  ///   - isData: Whether means are those of the codes instead of light.
  static func raster(
    of bytes: [UInt8], reducedBy factor: Int, isData: Bool, path: String
  ) throws(ImageError) -> TextureRaster {
    try ImageLimits.check(bytes, path: path)
    return try PictureDecoding.raster(
      of: bytes, .png, reducedBy: factor, isData: isData, path: path)
  }

  /// Encodes an image; `level` is zlib's, 1 (fast) to 9 (small).
  ///
  /// - Parameter dotsPerInch: The resolution for a print of it; nil to say nothing.
  package static func encode(
    _ image: Image, level: Int = 3, dotsPerInch: Int? = nil
  ) throws(ImageError) -> [UInt8] {
    try encode8(
      image.pixels, width: image.width, height: image.height, channels: 3, level: level,
      dotsPerInch: dotsPerInch)
  }

  /// Encodes 8-bit grey samples, row by row.
  package static func encodeGray8(
    _ samples: [UInt8], width: Int, height: Int, level: Int = 3
  ) throws(ImageError) -> [UInt8] {
    try encode8(samples, width: width, height: height, channels: 1, level: level)
  }

  /// Encodes an image with an opacity for each pixel.
  package static func encode(
    _ image: Image, alpha: [UInt8], level: Int = 3, dotsPerInch: Int? = nil
  ) throws(ImageError) -> [UInt8] {
    precondition(3 * alpha.count == image.pixels.count, "an opacity for each pixel")
    var pixels = [UInt8]()
    pixels.reserveCapacity(4 * alpha.count)
    for (pixel, opacity) in alpha.enumerated() {
      pixels += image.pixels[3 * pixel..<3 * pixel + 3]
      pixels.append(opacity)
    }
    return try encode8(
      pixels, width: image.width, height: image.height, channels: 4, level: level,
      dotsPerInch: dotsPerInch)
  }

  private static func encode8(
    _ samples: [UInt8], width: Int, height: Int, channels: Int, level: Int,
    dotsPerInch: Int? = nil
  ) throws(ImageError) -> [UInt8] {
    precondition(samples.count == width * height * channels, "a sample per pixel and channel")
    let pixelsPerMeter = dotsPerInch.map { UInt32((Double($0) / 0.0254).rounded()) } ?? 0
    return try unsafe encoded { bytes, count, error, size in
      unsafe samples.withUnsafeBufferPointer { source in
        unsafe meshpipe_png_write(
          source.baseAddress, UInt32(width), UInt32(height), Int32(channels), Int32(level),
          pixelsPerMeter, &bytes, &count, error, size)
      }
    }
  }

  /// Encodes 16-bit grey samples, row by row.
  package static func encodeGray16(
    _ samples: [UInt16], width: Int, height: Int, level: Int = 3
  ) throws(ImageError) -> [UInt8] {
    try encode16(samples, width: width, height: height, channels: 1, level: level)
  }

  /// Encodes 16-bit samples, row by row.
  ///
  /// - Parameters:
  ///   - channels: 1 grey, 3 RGB.
  ///   - description: What the values mean, in ASCII, for readers of the file.
  package static func encode16(
    _ samples: [UInt16], width: Int, height: Int, channels: Int, level: Int = 3,
    description: String? = nil
  ) throws(ImageError) -> [UInt8] {
    precondition(samples.count == width * height * channels, "a sample per pixel and channel")
    return try unsafe encoded { bytes, count, error, size in
      unsafe samples.withUnsafeBufferPointer { source in
        func write(_ text: UnsafePointer<CChar>?) -> Int32 {
          unsafe meshpipe_png_write16(
            source.baseAddress, UInt32(width), UInt32(height), Int32(channels), Int32(level), text,
            &bytes, &count, error, size)
        }
        guard let description else { return write(nil) }
        return unsafe description.withCString(write)
      }
    }
  }

  private static func encoded(
    _ body: (
      inout UnsafeMutablePointer<UInt8>?, inout Int, UnsafeMutablePointer<CChar>?, Int
    ) -> Int32
  ) throws(ImageError) -> [UInt8] {
    var bytes: UnsafeMutablePointer<UInt8>?
    var count = 0
    try unsafe check("PNG") { error, size in unsafe body(&bytes, &count, error, size) }
    defer { unsafe free(bytes) }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// Calls a function of the shim and throws its message if it fails.
  private static func check(
    _ path: String, _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int32
  ) throws(ImageError) {
    var failed = false
    let words = unsafe nativeMessage { error, size in failed = unsafe body(error, size) != 0 }
    if failed { throw ImageError(path, "incomplete PNG: \(words)") }
  }
}
