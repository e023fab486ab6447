public import MeshPipeline
import NativeLibraries
import Rendering

/// The small picture of a result in the report of a batch.
public enum Thumbnail {
  /// Width and height in pixels.
  public static let size = SIMD2(160, 120)

  /// Renders a picture of the scene as JPEG; some 4 kB.
  ///
  /// Takes about 10 ms of one core for a small scan, and 0.5 s more for a million faces.
  /// - Returns: Nil when there is nothing to see.
  public static func jpeg(
    of scene: Scene, cancellation: Cancellation = Cancellation()
  ) throws -> [UInt8]? {
    var style = RenderStyle()
    style.largestTexture = 512
    do {
      let renderer = try SceneRenderer(scene, style: style)
      let camera = renderer.camera(for: renderer.defaultView, size: size)
      let picture = try renderer.picture(from: camera, samples: 2, cancellation: cancellation)
      return try JPEG.encode(picture.image, quality: 80)
    } catch is EmptyScene {
      return nil
    }
  }

  /// Renders the picture of an item's result into the folder of its batch.
  ///
  /// The file appears complete or not at all, and is not waited for: a picture that is lost with the
  /// power is not missed.
  /// - Returns: What ``JournalEntry/thumbnail`` holds; empty when there is nothing to see.
  public static func write(
    _ scene: Scene, ofItem name: String, in folder: BatchFolder,
    cancellation: Cancellation = Cancellation()
  ) throws -> String {
    guard let bytes = try jpeg(of: scene, cancellation: cancellation) else { return "" }
    let path = path(ofItem: name)
    let file = "\(folder.path)/\(path)"
    try FileSystem.createFolder(FileSystem.folder(of: file))
    try FileSystem.replaceFile(file, with: bytes, synchronizing: false)
    return path
  }

  /// The picture's path within the folder of the batch: `thumbnails/3f/a20c….jpg`.
  static func path(ofItem name: String) -> String {
    let hash = SHA256.hexadecimal(of: Array(name.utf8))
    return "thumbnails/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(30)).jpg"
  }
}
