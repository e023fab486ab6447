package import MeshPipeline
import NativeLibraries
import Rendering

/// The small image of a result in the report of a batch.
package enum Thumbnail {
  /// Width and height in pixels.
  package static let size = SIMD2(160, 120)

  /// Renders an image of the scene as JPEG, about 4 kB.
  ///
  /// Takes about 10 ms on one core for a small scan, and 0.5 s more for a million faces.
  /// - Returns: Nil if there is nothing to see.
  package static func jpeg(
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

  /// Renders the image of an item's result into the folder of its batch.
  ///
  /// The file appears complete or not at all, and is not synced: it may be lost in a power cut.
  /// - Returns: The value of ``JournalEntry/thumbnail``; empty if there is nothing to see.
  package static func write(
    _ scene: Scene, ofItem name: String, in folder: BatchFolder,
    cancellation: Cancellation = Cancellation()
  ) throws -> String {
    guard let bytes = try jpeg(of: scene, cancellation: cancellation) else { return "" }
    return try folder.write(bytes, ofItem: name, among: "thumbnails", extension: "jpg")
  }
}

extension BatchFolder {
  /// Writes a file about an item, which appears complete or not at all.
  ///
  /// - Parameter kind: The folder for all such files.
  /// - Returns: Its path within the folder of the batch: `thumbnails/3f/a20c….jpg`.
  func write(
    _ bytes: [UInt8], ofItem name: String, among kind: String, extension ending: String
  ) throws -> String {
    let hash = SHA256.hexadecimal(of: Array(name.utf8))
    let path = "\(kind)/\(hash.prefix(2))/\(hash.dropFirst(2).prefix(30)).\(ending)"
    let file = "\(self.path)/\(path)"
    try FileSystem.createFolder(FileSystem.folder(of: file))
    try FileSystem.replaceFile(file, with: bytes, synchronizing: false)
    return path
  }
}
