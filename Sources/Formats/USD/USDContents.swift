import MeshPipeline

/// What all forms of USD have in common.
enum USDContents {
  static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates,
    .secondTextureCoordinates, .materials, .textures, .occlusionMaps, .classification,
  ]

  static let remark = """
    Materials are of the kind `UsdPreviewSurface` and shown under the light of the viewer; textures are PNG or JPEG. \
    Classes are subsets of faces (`GeomSubset`), colours are `displayColor`, and a scene that is not Y-up in metres is \
    converted by its root prim.
    """

  /// Errors and warnings common to all forms.
  static func check(
    _ scene: Scene, _ format: any WritableFormat.Type, in context: WritingContext
  ) throws {
    try context.requireFinitePositions(of: scene)
    guard scene.faceCount + scene.pointCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: format.name, holds: "faces and points")
    }
    context.warnOfLosses(of: scene, in: format)
    let foreign = scene.usedMaterials.flatMap { index in
      Material.textureKeys.compactMap { scene.materials[index][keyPath: $0] }
    }
    .first { !isHeld(scene.textures[$0]) }
    if let foreign {
      context.stage.warn(
        "\(format.name) supports only PNG and JPEG: '\(scene.textures[foreign].fileName)' will be lost"
      )
    }
  }

  private static func isHeld(_ texture: Texture) -> Bool {
    texture.encoding == .png || texture.encoding == .jpeg
  }

  /// The files of the textures, with the extensions by which programs recognize their encoding.
  static func textureFiles(of scene: Scene, beside output: OutputSet) -> TextureFiles {
    var scene = scene
    for index in scene.textures.indices {
      let texture = scene.textures[index]
      guard isHeld(texture), !texture.fileName.isEmpty,
        !["jpeg", texture.encoding.usualExtension].contains(fileExtension(of: texture.fileName))
          || texture.encoding == .png && fileExtension(of: texture.fileName) != "png"
      else { continue }
      let stem = FileSystem.stem(of: texture.fileName)
      scene.textures[index].fileName = "\(stem).\(texture.encoding.usualExtension)"
    }
    return TextureFiles(of: scene, beside: output, maps: Material.textureKeys, where: isHeld)
  }
}
