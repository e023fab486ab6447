package import MeshPipeline

extension OBJ: WritableFormat {
  package static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .textureCoordinates, .materials, .textures,
    .classification,
  ]
  package static let axes = AxisConvention.undeclared(usually: .arkit)
  package static let remark = """
    Classes are groups, and materials too if the scene has none. Materials are in an MTL \
    file next to it, with their textures; colours have no opacity.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
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

    let scene = scene.withCommonTextures(in: context)
    var body = OBJBody(scene)
    if !body.materials.entries.isEmpty {
      let textures = TextureFiles(of: scene, beside: output)
      try textures.write(scene, to: output, in: context)
      body.materialLibrary = output.sideStem + ".mtl"
      let library = try FileWriter(
        creating: output.sidePath(body.materialLibrary ?? ""), in: context.stage)
      try library.write(materialLibraryText(of: body.materials, textures: textures))
      try library.finish()
    }
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try body.write(to: writer)
    try writer.finish()
  }

  /// The materials as MTL, with the physically based extension supported by Blender and others.
  private static func materialLibraryText(
    of table: MaterialTable, textures: TextureFiles
  ) -> String {
    var text = "# meshpipe\n"
    for entry in table.entries {
      let material = entry.material
      let color = material.baseColor
      text += "\nnewmtl \(entry.name)\n"
      text += "Kd \(color.x) \(color.y) \(color.z)\n"
      text += "d \(color.w)\n"
      // "Color on and ambient off": not affected by lights.
      if material.isUnlit { text += "illum 0\n" }
      text += "Pr \(material.roughness)\nPm \(material.metallic)\n"
      let emissive = material.emissive
      if emissive != .zero { text += "Ke \(emissive.x) \(emissive.y) \(emissive.z)\n" }
      if let file = material.baseColorTexture.flatMap({ textures.names[$0] }) {
        text += "map_Kd \(file)\n"
      }
      if let file = material.normalTexture.flatMap({ textures.names[$0] }) {
        text += "norm \(file)\n"
      }
    }
    return text
  }
}
