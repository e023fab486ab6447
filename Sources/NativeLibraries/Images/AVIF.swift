internal import CPictures
import MeshpipeBase
import MeshpipeScene
import POSIX

/// AVIF with libheif's encoder, which is opened for the first picture.
package enum AVIF {
  /// Why it can't be written on this machine, with the way out; nil if it can.
  package static var fault: NativeLibraryError? {
    guard let reason = unsafe meshpipe_avif_fault() else { return nil }
    return NativeLibraryError("libheif", unsafe String(cString: reason))
  }

  /// The most pixels along a side: more are beyond the limits of libheif's reader.
  package static let largestSide = 32_768

  /// Encodes pixels, row by row from the top left, with opacity as it is; the bytes depend on them and the versions of
  /// the library and its encoder alone.
  ///
  /// - Parameters:
  ///   - pixels: Red, green, blue and opacity, which is left out if all pixels are opaque.
  ///   - quality: From 0 to 100; nil keeps every pixel.
  /// - Throws: ``ImageError``, without a quality also if the library loses something nevertheless.
  package static func encode(
    _ pixels: [SIMD4<UInt8>], size: SIMD2<Int>, quality: Int?
  ) throws(ImageError) -> [UInt8] {
    precondition(pixels.count == size.x * size.y, "a colour for each pixel")
    if let fault { throw ImageError("AVIF", fault.message) }
    guard size.max() <= largestSide, size.min() > 0 else {
      throw ImageError("AVIF", "can't have \(size.x) x \(size.y) pixels")
    }
    let (samples, channels) = ModernPictures.samples(of: pixels)
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe meshpipe_avif_write(
      samples, Int32(size.x), Int32(size.y), Int32(channels), Int32(quality ?? 101), &bytes)
    defer { unsafe free(bytes) }
    guard count > 0 else { throw ImageError("AVIF", "can't be encoded by the installed libheif") }
    let result = unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
    // Whether an encoder can do without loss depends on its kind and version.
    if quality == nil {
      let found = try ModernPictures.raster(of: result, .avif, path: "AVIF")
      guard found.size == size, found.pixels == pixels else {
        throw ImageError("AVIF", "is not exact with the installed libheif")
      }
    }
    return result
  }

  /// The encoder's quality for pictures about as near to the original as JPEG makes them.
  ///
  /// Measured on baked textures, by the mean square error.
  ///
  /// - Parameter quality: JPEG's, from 1 to 100.
  package static func quality(asJPEG quality: Int) -> Int {
    let (usual, same) = (85, 63)
    return quality <= usual
      ? quality * same / usual
      : same + (quality - usual) * (100 - same) / (100 - usual)
  }
}
