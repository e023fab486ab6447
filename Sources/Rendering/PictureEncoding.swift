import MeshPipeline
import NativeLibraries

/// The files that a picture can be written as.
public enum PictureEncoding: String, Sendable, CaseIterable {
  case png, jpeg

  /// The encoding that the name of a file asks for; nil when it is another one, or none.
  public init?(path: String) {
    switch fileExtension(of: path) {
    case "png": self = .png
    case "jpg", "jpeg": self = .jpeg
    default: return nil
    }
  }

  /// The bytes of the file; the same for the same pixels.
  public func bytes(of picture: RenderedPicture, isTransparent: Bool = false) throws -> [UInt8] {
    switch self {
    case .png where isTransparent: try PNG.encode(picture.image, alpha: picture.coverage)
    case .png: try PNG.encode(picture.image)
    case .jpeg: try JPEG.encode(picture.image, quality: 92)
    }
  }
}
