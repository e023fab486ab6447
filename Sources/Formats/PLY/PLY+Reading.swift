package import MeshPipeline

extension PLY: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates, .materials, .textures,
    .classification, .splats, .customAttributes,
  ]

  package static func recognizes(_ head: FileHead) -> Bool {
    head.begins(with: "ply\n") || head.begins(with: "ply\r")
  }

  /// Reads a scan; one without faces is a point cloud.
  ///
  /// Classes come from a property `classification`, `label` or `class` of the faces, or otherwise
  /// of the vertices, in which case a face takes the label of most of its corners. Other properties
  /// with one number become custom attributes, by which Gaussian splats are recognised. Positions in double precision that are far from zero are
  /// relative to a round place near them.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { try scene(of: $0, in: context) }
  }

  private static func scene(of file: MappedFile, in context: ReadingContext) throws -> Scene {
    var header: PLYHeader
    do throws(LineFault) {
      header = try file.withBytes { bytes throws(LineFault) in try PLYHeader(bytes) }
    } catch {
      throw ReadingError.line(path: file.path, line: error.line + 1, error.message)
    }
    for line in header.strayLines.prefix(3) {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)):\(line): not a line of a PLY header; it is ignored"
      )
    }
    header.findOrigin(in: file)
    let contents: [String: PLYContents]
    do {
      contents = try PLYElementReader(file: file, header: header, context: context).read()
    } catch {
      try context.stage.checkCancellation()
      throw error
    }
    try context.stage.progress(0.7)
    let assembly = try PLYAssembly(file: file, header: header, contents: contents)
    var scene = assembly.scene(in: context)
    scene.coordinateSystem = coordinateSystem(of: file.path) ?? scene.coordinateSystem
    try scene.requireLengths(beyond: header.origin, of: file.path, in: context)
    scene.takeOrigin(header.origin)
    try context.stage.progress(1)
    return scene
  }

  package static func coordinateSystem(of path: String) -> CoordinateSystem? {
    DeclaredCoordinates.inHead(of: path) { $0.hasPrefix("comment ") }
  }
}
