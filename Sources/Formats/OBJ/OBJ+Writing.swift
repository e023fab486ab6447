package import MeshPipeline

extension OBJ: WritableFormat {
  package struct Options: StageParameters {
    @Parameter(
      "Offset that is added to positions, as for a national grid. By default as in the file that was read."
    )
    package var origin: NumberVector? = nil

    package init() {}
  }

  package static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
    .metallicRoughnessMaps, .emissiveMaps, .classification,
  ]
  package static let axes = AxisConvention.undeclared(usually: .arkit)
  package static let addsOrigin = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let remark = """
    Classes are groups, and materials too if the scene has none. Materials are in an MTL \
    file next to it, with their textures; roughness and metalness are pictures of their own (`map_Pr`, \
    `map_Pm`). Colours have no opacity. A file that ends within its \
    vertices or faces is read with a question. Positions far from zero, as in national grids, are read relative to a \
    round place near them, which is added again when they are written.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    guard scene.vertexCount + scene.pointCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces and points")
    }
    guard scene.vertexCount + scene.pointCount < UInt32.max else {
      throw UnwritableScene.tooLarge(format: name, limit: "\(UInt32.max) vertices")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    context.warnOfAxes(of: scene, in: Self.self)
    let hasAlpha = scene.meshes.contains { $0.colors?.hasAlpha == true }
    if hasAlpha { context.stage.warn("\(name) can't hold the opacity of vertex colours") }

    let scene = try scene.withCommonTextures(.inModellersFiles, in: context)
    var body = OBJBody(scene, origin: options.origin?.value ?? scene.origin)
    body.remarks = context.provenance?.lines ?? []
    if !body.materials.entries.isEmpty {
      let textures = try OBJTextures(of: body.materials, in: scene, beside: output, context)
      try textures.write(to: output, in: context)
      body.materialLibrary = output.sideStem + ".mtl"
      let library = try FileWriter(
        creating: output.sidePath(body.materialLibrary ?? ""), in: context.stage)
      let remarks = context.provenance?.extent(.short)?.lines ?? []
      try library.write(textures.libraryText(remarks: remarks))
      try library.finish()
    }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try body.write(to: writer)
    try writer.finish()
  }
}
