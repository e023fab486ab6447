package import MeshPipeline

/// Leica's points as text: their number, then lines of coordinates, intensity and colour.
package enum PTS: Format {
  package static let id = "pts"
  package static let name = "Leica PTS"
  package static let extensions = ["pts"]
}

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

extension PTS: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.points, .colors]
  package static let axes = AxisConvention.fixed(.blender)
  package static let addsOrigin = true
  package static let remark = """
    The number of points, then a line with x, y, z, intensity, red, green and blue for each point or vertex of a mesh; the \
    intensity is that of a custom attribute `intensity`, otherwise 0. Without colours a line has x, y, z and intensity, if there is one. \
    Reading also finds normals, columns that a comment names, and further scans, each after the number of its points, \
    which the attribute `scan` numbers.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    var points = scene.asPoints(in: .blender)
    try context.requirePoints(in: points, of: Self.self)
    let features = points.features
    let hasIntensity = points.pointClouds.contains { $0.attributes["intensity"]?.width == 1 }
    warnOfLosses(of: scene, in: context)
    for index in points.pointClouds.indices {
      let intensity = points.pointClouds[index].attributes["intensity"]
      points.pointClouds[index].attributes = intensity.map { [$0] } ?? []
    }
    var rows = PointRows(points, delimiter: UInt8(ascii: " "), origin: points.origin)
    let hasColors = features.contains(.colors)
    rows.select(
      orZero: ["x", "y", "z"] + (hasColors || hasIntensity ? ["intensity"] : [])
        + (hasColors ? ["red", "green", "blue"] : []))
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write("\(points.pointCount)\n")
    try rows.write(to: writer)
    try writer.finish()
  }

  /// The intensity is kept.
  private static func warnOfLosses(of scene: Scene, in context: WritingContext) {
    var scene = scene
    for index in scene.meshes.indices {
      scene.meshes[index].vertexAttributes["intensity"] = nil
    }
    for index in scene.pointClouds.indices {
      scene.pointClouds[index].attributes["intensity"] = nil
    }
    context.warnOfLosses(of: scene, in: Self.self)
  }
}
