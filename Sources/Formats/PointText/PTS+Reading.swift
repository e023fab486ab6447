package import MeshPipeline

extension PTS: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .points, .normals, .colors, .customAttributes,
  ]

  /// Reads points; without intensities all are zero, which are left out.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    var scene = try context.reading(path) {
      try PointTextReader(file: $0, context: context, isLeica: true).scene()
    }
    scene.coordinateSystem = .blender
    let intensities = scene.pointClouds[0].attributes["intensity"]
    if let intensities, intensities.values.doubles.allSatisfy({ $0 == 0 }) {
      scene.pointClouds[0].attributes["intensity"] = nil
    }
    return scene
  }

  /// Scanners stand upright.
  package static func coordinateSystem(of path: String) -> CoordinateSystem? { .blender }
}
