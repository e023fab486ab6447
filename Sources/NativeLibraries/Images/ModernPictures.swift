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
    let (size, samples) = try samples(of: bytes, kind, withAlpha: false, path: path)
    return Image(width: size.x, height: size.y, pixels: samples)
  }

  /// The samples of an image, row by row: red, green, blue, and with WebP opacity if it is asked for.
  static func samples(
    of bytes: [UInt8], _ kind: PictureKind, withAlpha: Bool, path: String
  ) throws(ImageError) -> (size: SIMD2<Int>, samples: [UInt8]) {
    var (width, height): (Int32, Int32) = (0, 0)
    var pixels: UnsafeMutablePointer<UInt8>?
    var isRead = false
    let words = unsafe nativeMessage { error, size in
      let read =
        unsafe kind != .webp
        ? meshpipe_heif_read : withAlpha ? meshpipe_webp_read_rgba : meshpipe_webp_read
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
    let count = (kind == .webp && withAlpha ? 4 : 3) * size.x * size.y
    return unsafe (size, Array(UnsafeBufferPointer(start: pixels, count: count)))
  }
}
