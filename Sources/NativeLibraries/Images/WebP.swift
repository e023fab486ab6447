internal import CPictures
import MeshpipeBase
import MeshpipeScene

/// WebP with libwebp, which is opened for the first picture.
package enum WebP {
  /// Why the library can't be used, with the way out; nil if it can.
  package static var fault: NativeLibraryError? {
    guard let reason = unsafe meshpipe_webp_fault() else { return nil }
    return NativeLibraryError("libwebp", unsafe String(cString: reason))
  }

  /// The most pixels along a side.
  package static let largestSide = 16_383

  /// Encodes pixels, row by row from the top left; the bytes depend on them and the library's version alone.
  ///
  /// - Parameters:
  ///   - pixels: Red, green, blue and opacity, which is left out if all pixels are opaque.
  ///   - quality: From 0 to 100; nil keeps every pixel, though not the colours of fully transparent ones.
  package static func encode(
    _ pixels: [SIMD4<UInt8>], size: SIMD2<Int>, quality: Int?
  ) throws(ImageError) -> [UInt8] {
    precondition(pixels.count == size.x * size.y, "a colour for each pixel")
    if let fault { throw ImageError("WebP", fault.message) }
    guard size.max() <= largestSide, size.min() > 0 else {
      throw ImageError("WebP", "can't have \(size.x) x \(size.y) pixels")
    }
    let (samples, channels) = ModernPictures.samples(of: pixels)
    var bytes: UnsafeMutablePointer<UInt8>?
    let count = unsafe meshpipe_webp_write(
      samples, Int32(size.x), Int32(size.y), Int32(channels), Int32(quality ?? 101), &bytes)
    defer { unsafe meshpipe_webp_free(bytes) }
    guard count > 0 else { throw ImageError("WebP", "does not fit into memory") }
    return unsafe Array(UnsafeBufferPointer(start: bytes, count: count))
  }
}
