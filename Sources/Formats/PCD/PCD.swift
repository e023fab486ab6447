package import MeshPipeline

/// The point cloud data of PCL, as text, binary or compressed.
package enum PCD: Format {
  package static let id = "pcd"
  package static let name = "PCL point cloud"
  package static let extensions = ["pcd"]
}

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

extension PCD: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Write text instead of binary; two to three times as large.")
    package var ascii = false

    package init() {}
  }

  package static let holdsProvenance = Provenance.Extent.full
  package static let keeps: Set<SceneFeature> = .ofPoints
  package static let axes = AxisConvention.undeclared(usually: .blender)
  package static let remark = """
    Points of clouds and vertices of meshes, in binary. Colours are `rgb`, or `rgba` where some are not opaque; classes are `label`, \
    named in comments; other attributes are fields of their own. Compressed files are read too. Points without finite coordinates, as in \
    organized clouds, are left out with a warning.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    try context.requirePoints(in: scene, of: Self.self)
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)
    var body = PCDBody(scene.asPoints, isText: options.ascii)
    body.remarks = context.provenance?.lines ?? []
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(body.header)
    try body.writePoints(to: writer)
    try writer.finish()
  }
}
