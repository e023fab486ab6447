package import MeshPipeline

extension PLY: WritableFormat {
  package struct Options: StageParameters {
    @Parameter("Write text instead of binary; two to three times as large.")
    package var ascii = false
    @Parameter(
      "Added to positions, as for a national grid, which are then in double precision. By default as in the file that was read."
    )
    package var origin: NumberVector? = nil

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates, .textures,
    .classification, .splats, .customAttributes,
  ]
  package static let holdsFaceColors = true
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
    let body = PLYBody(scene, textures: textures, options)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(body.header)
    try body.writeVertices(to: writer)
    try body.writeFaces(to: writer)
    try writer.finish()
  }
}
