package import MeshpipeBase
import MeshpipeScene

/// An image that can't be read.
package struct ImageError: UserError, Equatable {
  package var path: String
  package var reason: String
  package var exitCode: ExitCode

  package init(_ path: String, _ reason: String, _ exitCode: ExitCode = .data) {
    self.path = path
    self.reason = reason
    self.exitCode = exitCode
  }

  package var message: String { "\(path): \(reason)" }
}

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
