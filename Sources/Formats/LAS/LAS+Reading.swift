package import MeshPipeline

extension LAS: ReadableFormat {
  package static let canBring: Set<SceneFeature> = .ofPoints

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "LASF") }

  /// Reads the points of all versions up to 1.4 and all point formats, without waveforms.
  ///
  /// Fields that are the same default in all points are left out. Codes of the ASPRS are classes by
  /// their names, or by those that the file gives them. Feet become metres, and degrees a zone of UTM.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let header: LASHeader
      do throws(LASHeader.Fault) {
        header = try file.withBytes { bytes throws(LASHeader.Fault) in try LASHeader(bytes) }
      } catch {
        throw ReadingError.byte(path: file.path, offset: error.offset, error.message)
      }
      for remark in header.remarks {
        context.stage.warn("\(FileSystem.name(of: path)): \(remark)")
      }
      let scene = try LASAssembly(file: file, header: header, context: context).scene()
      try context.stage.progress(1)
      return scene
    }
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? { .blender }
}
