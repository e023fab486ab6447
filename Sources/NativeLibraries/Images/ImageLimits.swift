import MeshPipeline

/// Limits on the size of images before decoding: a small file can claim any size.
enum ImageLimits {
  /// More pixels than a camera has.
  static let pixels = PictureHeader.mostPixels

  /// Throws if the header of an image claims too much.
  static func check(_ bytes: [UInt8], path: String) throws(ImageError) {
    guard let size = PictureHeader(bytes).size, size.x > pixels / max(size.y, 1) else { return }
    throw error(path, width: size.x, height: size.y)
  }

  static func error(_ path: String, width: Int, height: Int) -> ImageError {
    ImageError(
      path, "claims to be \(width) x \(height), more than \(pixels / 1_000_000) megapixels")
  }
}
