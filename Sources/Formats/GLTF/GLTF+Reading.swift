package import MeshPipeline

extension GLTF: ReadableFormat {
  package static let canBring = features

  package static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("{") && keys.contains { head.text?.contains("\"\($0)\"") == true }
  }

  /// Some of the keys of the document, of which one begins it.
  private static let keys = [
    "asset", "accessors", "bufferViews", "buffers", "meshes", "nodes", "scenes", "scene",
    "materials", "images", "textures", "samplers", "animations", "skins", "cameras",
    "extensionsUsed", "extensionsRequired",
  ]

  /// Reads the scene with all node transforms applied; see ``GLB/read(_:in:)``.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try GLB.read(path, in: context)
  }
}

extension GLB: ReadableFormat {
  package static let canBring = GLTF.features

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "glTF") }

  /// Reads the scene with all node transforms applied, one mesh per node with a mesh.
  ///
  /// Vertices split at seams are welded; normals and texture coordinates that differ there are
  /// stored per corner. Classes come from `classification` in extras or from the names of meshes or
  /// materials.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let container = try GLTFContainer(file)
      if let remark = container.remark {
        context.stage.warn("\(FileSystem.name(of: path)): \(remark)")
      }
      let reader = try GLTFReader(container, in: context)
      defer { reader.finish() }
      var scene = GLTFScene(reader, in: context)
      return try scene.read()
    }
  }
}
