package import MeshPipeline

/// 3D Manufacturing Format, for slicers and print services.
///
/// Specifications of the 3MF Consortium: core 1.3, materials and properties 1.2, production 1.1.
package enum ThreeMF: Format {
  package static let id = "3mf"
  package static let name = "3D Manufacturing Format"
  package static let extensions = ["3mf"]
}

extension ThreeMF: ReadableFormat {
  package static let canBring: Set<SceneFeature> = [
    .faces, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "PK\u{3}\u{4}") }

  /// Reads the build items of the package: one mesh per item, and per component of an assembled
  /// item.
  ///
  /// Faces with a colour get a material of that colour, unless vertices have the colours. Anything
  /// without triangles, such as slices and beam lattices, is skipped with a warning.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    guard try FileSystem.status(of: path)?.isRegularFile != false else {
      throw ReadingError.content(
        path: path, "is not a regular file, which \(name) requires")
    }
    return try context.reading(path) { file in
      guard file.withBytes({ $0.count >= 4 && $0[0] == 0x50 && $0[1] == 0x4B }) else {
        throw ReadingError.content(path: path, "is not a 3MF package, which is a ZIP archive")
      }
      var assembly = ThreeMFAssembly(try ThreeMFPackage(path, in: context), in: context)
      var scene = try assembly.scene()
      scene.detectClasses()
      scene.takeOrigin()
      try context.stage.progress(1)
      return scene
    }
  }
}

extension ThreeMF: WritableFormat {
  package static let keeps: Set<SceneFeature> = [
    .faces, .colors, .textureCoordinates, .materials, .textures, .classification,
  ]
  package static let holdsProvenance = Provenance.Extent.full
  package static let axes = AxisConvention.fixed(
    CoordinateSystem(up: .z, forward: .y, metersPerUnit: 0.001))
  package static let remark = """
    For printing: always Z-up in millimetres. Materials are names with colours, \
    classes are materials by name, per triangle. PNG and JPEG textures, with the texture \
    coordinates of their faces, and vertex colours use the materials extension.
    """

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    _ = try context.options(of: Self.self)
    try context.requireFinitePositions(of: scene)
    guard scene.faceCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces")
    }
    context.warnOfLosses(of: scene, in: Self.self)
    let scene = try scene.withCommonTextures(
      .pngAndJPEG, maps: [\.baseColorTexture], onlyIn: "3MF", in: context)
    let package = try ThreeMFPackageWriter(creating: output.mainPath, in: context.stage)
    let model = ThreeMFModel(scene)
    try package.add("[Content_Types].xml", Array(contentTypes.utf8))
    try package.add("_rels/.rels", Array(relationships.utf8))
    for picture in model.pictures {
      try package.add(picture.path, scene.textures[picture.texture].bytes)
    }
    if !model.pictures.isEmpty {
      try package.add(
        "3D/_rels/3dmodel.model.rels", Array(relationships(of: model.pictures).utf8))
    }
    try package.begin("3D/3dmodel.model")
    try model.write(context.provenance, to: package)
    try package.finish()
  }

  private static let contentTypes = """
    <?xml version="1.0" encoding="UTF-8"?>
    <Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
    <Default Extension="rels" \
    ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
    <Default Extension="png" ContentType="image/png"/>
    <Default Extension="jpg" ContentType="image/jpeg"/>
    <Default Extension="model" \
    ContentType="application/vnd.ms-package.3dmanufacturing-3dmodel+xml"/>
    </Types>

    """

  private static let relationships = """
    <?xml version="1.0" encoding="UTF-8"?>
    <Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
    <Relationship Target="/3D/3dmodel.model" Id="model" \
    Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel"/>
    </Relationships>

    """

  /// The relationships of the model.
  private static func relationships(of pictures: [ThreeMFModel.Picture]) -> String {
    let lines = pictures.enumerated().map { index, picture in
      """
      <Relationship Target="/\(picture.path)" Id="picture\(index)" \
      Type="http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture"/>

      """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
      \(lines.joined())</Relationships>

      """
  }
}
