import MeshpipeBase
import MeshpipeScene

/// Limits on the size of images before decoding: a small file can claim any size.
enum ImageLimits {
  /// Throws if the header of an image claims too much.
  static func check(_ bytes: [UInt8], path: String) throws(ImageError) {
    if let size = PictureHeader.size(of: bytes) { try check(size, path: path) }
  }

  /// Throws for more pixels than a camera has.
  static func check(_ size: SIMD2<Int>, path: String) throws(ImageError) {
    do {
      try PictureDamage.check(size, mostPixels: PictureHeader.mostPixels)
    } catch {
      throw ImageError(path, error.reason)
    }
  }
}
