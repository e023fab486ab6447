package import MeshPipeline

extension PCD: ReadableFormat {
  package static let canBring: Set<SceneFeature> = .ofPoints

  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: "# .PCD v") || head.begins(with: "VERSION 0.7")
      || head.begins(with: "VERSION .7")
  }

  /// Reads points; those without finite coordinates are left out.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    let scene = try context.reading(path) { try PCDReader(file: $0, context: context).scene() }
    try context.stage.progress(1)
    return scene
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    DeclaredCoordinates.inHead(of: path) { $0.hasPrefix("#") }
  }
}
