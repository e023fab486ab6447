package import MeshPipeline

/// The Stanford polygon file format, ASCII and binary.
package enum PLY: Format {
  package static let id = "ply"
  package static let name = "Stanford PLY"
  package static let extensions = ["ply"]
}

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

extension PLY: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Write text instead of binary; two to three times as large.")
    package var ascii = false
    @Parameter(
      "Offset that is added to positions, as for a national grid, which are then in double precision. By default as in the file that was read."
    )
    package var origin: NumberVector? = nil

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates, .textures,
    .classification, .splats, .customAttributes,
  ]
  package static let holdsFaceColors = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let axes = AxisConvention.undeclared(usually: .blender)
  package static let addsOrigin = true
  package static let remark = """
    All meshes and points are merged. Classes are a property of each face (or point), named in \
    comments, and colours those of vertices or of faces, as in the scan. Custom attributes of vertices and faces are \
    properties under their names, and so are the numbers of Gaussian splats; integers of 64 bits are a `double` where \
    all fit into one, otherwise two properties, `_low32` and `_high32`. Texture coordinates are a list per face, as MeshLab \
    and CloudCompare write them, \
    since vertices stay shared (Blender reads them from PLY only if vertices are split; use \
    glTF there). Textures are separate files, named in comments that MeshLab supports; 'bake-colors' makes colours \
    that other programs show too. Positions far from zero in double precision, as in national grids, are read relative to a \
    round place near them, which is \
    added again when they are written.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    guard scene.vertexCount + scene.pointCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces and points")
    }
    guard scene.vertexCount + scene.pointCount <= Int(Int32.max) else {
      throw UnwritableScene.tooLarge(format: name, limit: "\(Int32.max) vertices")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfLosses(of: scene, ofCustomAttributesOf: [.corner], in: name)
    context.warnOfAxes(of: scene, in: Self.self)
    let textured = scene.usedMaterials.contains { scene.materials[$0].baseColorTexture != nil }
    if textured, !scene.features.contains(.colors) {
      context.stage.warn(
        """
        Stanford PLY names its textures in comments, which MeshLab supports, but Blender and most others \
        do not: for colours that they can show, end with 'bake-colors'
        """)
    }

    var scene = try scene.withCommonTextures(.inModellersFiles, in: context)
    try scene.uniteSplats()
    let textures = TextureFiles(of: scene, beside: output)
    try textures.write(scene, to: output, in: context)
    var body = PLYBody(scene, textures: textures, options)
    body.remarks = context.provenance?.lines ?? []
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(body.header)
    try body.writeVertices(to: writer)
    try body.writeFaces(to: writer)
    try writer.finish()
  }
}
