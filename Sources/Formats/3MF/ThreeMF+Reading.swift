public import MeshPipeline

extension ThreeMF: ReadableFormat {
  public static let canBring: Set<SceneFeature> = [
    .faces, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]

  public static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "PK\u{3}\u{4}") }

  /// Reads what the package builds: a mesh for each item, and for each component of an item that is put
  /// together.
  ///
  /// Faces of a colour have a material of that colour, unless vertices have the colours. What has no
  /// triangles, such as slices and lattices of beams, is left out with a warning.
  public static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    guard try FileSystem.status(of: path)?.isRegularFile != false else {
      throw ReadingError.content(
        path: path, "is no regular file, and \(name) is read from files only")
    }
    return try context.reading(path) { file in
      guard file.withBytes({ $0.count >= 4 && $0[0] == 0x50 && $0[1] == 0x4B }) else {
        throw ReadingError.content(path: path, "is no 3MF package, which would be a ZIP archive")
      }
      var assembly = ThreeMFAssembly(try ThreeMFPackage(path, in: context), in: context)
      var scene = try assembly.scene()
      scene.detectClasses()
      try context.stage.progress(1)
      return scene
    }
  }
}
