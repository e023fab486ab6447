package import MeshPipeline

extension ThreeMF: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "PK\u{3}\u{4}") }

  /// Reads the build items of the package: one mesh per item, and per component of an assembled
  /// item.
  ///
  /// Faces with a colour get a material of that colour, unless vertices have the colours. Anything
  /// without triangles, such as slices and beam lattices, is skipped with a warning.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    guard try FileSystem.status(of: path)?.isRegularFile != false else {
      throw ReadingError.content(
        path: path, "is not a regular file, which \(name) requires")
    }
    return try context.reading(path) { file in
      guard file.withBytes({ $0.count >= 4 && $0[0] == 0x50 && $0[1] == 0x4B }) else {
        throw ReadingError.content(path: path, "is not a 3MF package, which is a ZIP archive")
      }
      var assembly = ThreeMFAssembly(try ThreeMFPackage(path, in: context), in: context)
      var scene = try assembly.scene()
      scene.detectClasses()
      scene.takeOrigin()
      try context.stage.progress(1)
      return scene
    }
  }
}
