import MeshpipeBase
import NativeLibraries

/// The file formats of rendered images.
public enum PictureEncoding: String, Sendable, CaseIterable {
  /// PNG, or JPEG of quality 92.
  case png, jpeg

  /// The encoding for a file name; nil if its extension is unknown or missing.
  public init?(path: String) {
    switch fileExtension(of: path) {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    default: return nil
    }
  }

  /// The bytes of the file; deterministic.
  ///
  /// - Parameter dotsPerInch: The resolution for a print of it; nil to say nothing.
  public func bytes(
    of picture: RenderedPicture, isTransparent: Bool = false, dotsPerInch: Int? = nil
  ) throws -> [UInt8] {
    switch self {
    case .png where isTransparent:
      try PNG.encode(picture.image, alpha: picture.coverage, dotsPerInch: dotsPerInch)
    case .png: try PNG.encode(picture.image, dotsPerInch: dotsPerInch)
    case .jpeg: try JPEG.encode(picture.image, quality: 92, dotsPerInch: dotsPerInch)
    }
  }
}
