package import MeshPipeline

/// A mesh or points compressed with Google's Draco, in a file of their own.
package enum Draco: Format {
  package static let id = "drc"
  package static let name = "Draco"
  package static let extensions = ["drc"]
}

extension Draco: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates,
  ]

  /// Draco's own tools make such files of OBJ, and viewers on the web take them so.
  package static let axesInUse: AxisConvention? = .undeclared(usually: .arkit)

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "DRACO") }

  /// Reads a file, as a point cloud if it holds no faces.
  ///
  /// Vertices at the same place, of which the codec makes several where other attributes differ, become one. Attributes
  /// that Draco has no meaning for are left out, with a warning.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      var scene = try DracoReader(file: file, context: context).scene()
      scene.takeOrigin()
      try context.stage.progress(1)
      return scene
    }
  }
}
