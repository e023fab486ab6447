package import MeshPipeline

/// A form of USD; each is read as any of them.
package protocol USDForm: ReadableFormat {}

extension USDForm {
  package static var canBring: Set<SceneFeature> { USDContents.keeps }

  /// Reads what a file of any form of USD shows; see ``USDContents/read(_:in:)``.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try USDContents.read(path, in: context)
  }
}

extension USDContents {
  /// Reads what a file shows, be it text, a crate or a package: its extension need not say which.
  ///
  /// Meshes, simple shapes, instances and points with their transforms, at rest; materials of the kind
  /// `UsdPreviewSurface` or plain ones of MaterialX; classes that meshpipe wrote, or else from the names of meshes and
  /// materials. What does not fit into a scene is told.
  ///
  /// - Parameter mostElements: The vertices, corners and polygons, and the prims of instances, that a small file may
  ///   expand to; a large one may expand to more.
  static func read(
    _ path: String, in context: ReadingContext, mostElements: Int = 10_000_000
  ) throws -> Scene {
    try context.reading(path) { file in
      let stage = try USDStage(USDFiles(file, in: context), path: path)
      var reader = USDSceneReader(stage, path: path, in: context, mostElements: mostElements)
      return try reader.read(path)
    }
  }

  /// Whether a ZIP archive begins with a layer, as a package must.
  static func isPackage(_ head: FileHead) -> Bool {
    let size = 30
    guard head.begins(with: "PK\u{3}\u{4}"), head.bytes.count > size else { return false }
    let length = Int(head.bytes[26]) | Int(head.bytes[27]) << 8
    let name = String(decoding: head.bytes[size...].prefix(length), as: UTF8.self)
    return ["usd", "usda", "usdc"].contains(fileExtension(of: name))
  }
}
