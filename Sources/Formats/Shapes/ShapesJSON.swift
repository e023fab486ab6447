package import MeshPipeline

/// The shapes that were found in a scene, as JSON.
package enum ShapesJSON: Format {
  package static let id = "shapes-json"
  package static let name = "Shapes"
  package static let extensions = ["shapes.json"]
}

extension ShapesJSON: WritableFormat {
  package static let keeps: Set<SceneFeature> = [.shapes]
  package static let axes = AxisConvention.declared
  package static let remark = """
    The planes, spheres, cylinders, cones and tori that `detect-shapes` found, in the axes and the unit of the \
    scene, which are given at the beginning: end the file's name with .shapes.json. Places are those of the scan's file, as in a national grid; \
    `origin` is what they have more than those in outputs that are relative to a place near the scan. Directions are unit vectors, \
    angles degrees. A plane has its `normal` and the rectangle around it: `center`, the direction `reference` of its \
    longer side, and the `size` along it and across; `outline` is how far it goes, as polygons along `reference` and \
    across (`normal` × `reference`) from `center`, counterclockwise, and clockwise around holes. `angles` of other shapes count around the `axis` from \
    `reference`, counterclockwise. `count` is the number of faces or points on the shape, `area` that of the faces, `rms` \
    the root mean square of their distances from it.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let system = scene.coordinateSystem
    let shapes = scene.shapes.map { $0.json(origin: scene.origin, hasOutline: true) }
    let content: JSONValue = [
      "up": JSONValue(.string(system.up.rawValue)),
      "handedness": JSONValue(.string(system.handedness.rawValue)),
      "metersPerUnit": JSONValue(.number(system.metersPerUnit)),
      "origin": (0..<3).map { scene.origin[$0] }.json,
      "shapes": JSONValue(.array(shapes)),
    ]
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(content.prettyText)
    try writer.finish()
  }
}
