internal import CPictures
import MeshPipeline
import POSIX

/// WebP with libwebp, HEIC and AVIF with libheif, which are loaded when the first such image is
/// decoded.
///
/// Orientation for viewers is ignored: cameras refer to the stored pixels.
enum ModernPictures {
  /// Decodes an image.
  ///
  /// - Throws: If the data is damaged or truncated, or the library is not installed.
  static func decode(
    _ bytes: [UInt8], _ kind: PictureKind, path: String
  ) throws(ImageError) -> Image {
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    var isRead = false
    let words = unsafe nativeMessage { error, size in
      let read = unsafe kind == .webp ? meshpipe_webp_read : meshpipe_heif_read
      isRead = unsafe bytes.withUnsafeBufferPointer { source in
        unsafe read(
          source.baseAddress, source.count, &width, &height, &pixels, error, size)
          == meshpipe_picture_ok
      }
    }
    defer { unsafe free(pixels) }
    guard isRead, let pixels = unsafe pixels else { throw ImageError(path, words) }
    let size = SIMD2(Int(width), Int(height))
    // Cameras are for the size in the header.
    if let told = PictureHeader(bytes).size, told != size {
      throw ImageError(
        path, "has \(size.x) x \(size.y) pixels, but its header says \(told.x) x \(told.y)")
    }
    return unsafe Image(
      width: size.x, height: size.y,
      pixels: Array(UnsafeBufferPointer(start: pixels, count: 3 * size.x * size.y)))
  }
}
