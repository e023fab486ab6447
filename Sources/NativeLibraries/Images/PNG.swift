internal import CPNG
package import MeshPipeline
import POSIX

/// PNG with libpng.
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
    var header = meshpipe_png_header()
    try unsafe check(path) { error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe meshpipe_png_inspect(source.baseAddress, source.count, &header, error, size)
      }
    }
    let (width, height) = (Int(header.width), Int(header.height))
    let count = width * height * Int(header.channels) * Int(header.bit_depth) / 8
    guard width <= ImageLimits.pixels / max(height, 1) else {
      throw ImageLimits.error(path, width: width, height: height)
    }
    // zlib expands a byte to at most 1,032, and a pixel of one bit becomes four bytes.
    guard count / 32 / 1100 <= bytes.count else {
      throw ImageError(path, "incomplete PNG: too short for \(width) x \(height) pixels")
    }
    var pixels = [UInt8](repeating: 0, count: count)
    try unsafe check(path) { error, size in
      unsafe bytes.withUnsafeBufferPointer { source in
        unsafe pixels.withUnsafeMutableBufferPointer { target in
          unsafe meshpipe_png_read(
            source.baseAddress, source.count, target.baseAddress, target.count, error, size)
        }
      }
    }
    return Samples(
      width: width, height: height, channels: Int(header.channels),
      bitDepth: Int(header.bit_depth), bytes: pixels)
  }

  /// Decodes an image to three bytes per pixel, ignoring alpha.
  package static func decode(_ bytes: [UInt8], path: String) throws(ImageError) -> Image {
    let samples = try samples(of: bytes, path: path)
    let step = samples.bitDepth / 8
    // The high byte of a 16-bit sample, in machine byte order.
    let high = step == 2 && 1.littleEndian == 1 ? 1 : 0
    let stride = samples.channels * step
    let isGray = samples.channels < 3
    var pixels = [UInt8]()
    pixels.reserveCapacity(3 * samples.width * samples.height)
    for pixel in 0..<samples.width * samples.height {
      for channel in 0..<3 {
        pixels.append(samples.bytes[pixel * stride + (isGray ? 0 : channel) * step + high])
      }
    }
    return Image(width: samples.width, height: samples.height, pixels: pixels)
  }

  /// Encodes an image; `level` is zlib's, 1 (fast) to 9 (small).
  package static func encode(_ image: Image, level: Int = 3) throws(ImageError) -> [UInt8] {
    try encode8(
      image.pixels, width: image.width, height: image.height, channels: 3, level: level)
  }

  /// Encodes 8-bit grey samples, row by row.
  package static func encodeGray8(
    _ samples: [UInt8], width: Int, height: Int, level: Int = 3
  ) throws(ImageError) -> [UInt8] {
    try encode8(samples, width: width, height: height, channels: 1, level: level)
  }

  /// Encodes an image with an opacity for each pixel.
  package static func encode(
    _ image: Image, alpha: [UInt8], level: Int = 3
  ) throws(ImageError) -> [UInt8] {
    precondition(3 * alpha.count == image.pixels.count, "an opacity for each pixel")
    var pixels = [UInt8]()
    pixels.reserveCapacity(4 * alpha.count)
    for (pixel, opacity) in alpha.enumerated() {
      pixels += image.pixels[3 * pixel..<3 * pixel + 3]
      pixels.append(opacity)
    }
    return try encode8(
      pixels, width: image.width, height: image.height, channels: 4, level: level)
  }

  private static func encode8(
    _ samples: [UInt8], width: Int, height: Int, channels: Int, level: Int
  ) throws(ImageError) -> [UInt8] {
    precondition(samples.count == width * height * channels, "a sample per pixel and channel")
    return try unsafe encoded { bytes, count, error, size in
      unsafe samples.withUnsafeBufferPointer { source in
        unsafe meshpipe_png_write(
          source.baseAddress, UInt32(width), UInt32(height), Int32(channels), Int32(level), &bytes,
          &count, error, size)
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
  static func check(
    _ path: String, _ body: (UnsafeMutablePointer<CChar>?, Int) -> Int32
  ) throws(ImageError) {
    var failed = false
    let words = unsafe nativeMessage { error, size in failed = unsafe body(error, size) != 0 }
    if failed { throw ImageError(path, "incomplete PNG: \(words)") }
  }
}
