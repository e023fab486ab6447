package import MeshPipeline

/// The options of all forms of USD.
package struct USDOptions: StageParameters {
  @Parameter(
    "Sides from which faces are seen: `both`, or `front` alone, as to look into a room; by default as materials say, and from both sides where they say nothing."
  )
  package var sides: Sides? = nil

  package init() {}
}

/// What all forms of USD have in common.
enum USDContents {
  static let keeps: Set<SceneFeature> = [
    .faces, .points, .normals, .colors, .confidences, .textureCoordinates,
    .secondTextureCoordinates, .materials, .textures, .occlusionMaps, .metallicRoughnessMaps,
    .emissiveMaps, .alphaMasks, .classification,
  ]

  static let remark = """
    Materials are of the kind `UsdPreviewSurface` and shown under the light of the viewer; textures are PNG or JPEG. \
    Classes are subsets of faces (`GeomSubset`), colours are `displayColor`, and a scene that is not Y-up in metres is \
    converted by its root prim. Of MaterialX, as a document (`.mtlx`) or in USD itself, colours, roughness, metalness, \
    normals, emitted light and opacity of the usual surfaces are read where they are numbers or pictures; the rest is named.
    """

  /// Checks a scene, and makes the layer that says it in all forms.
  ///
  /// - Returns: The layer, and the files of the textures beside it.
  static func layer<Form: WritableFormat>(
    of scene: Scene, for output: OutputSet, as form: Form.Type, in context: WritingContext
  ) throws -> (layer: USDLayer, textures: TextureFiles) where Form.Options == USDOptions {
    let options = try context.options(of: form)
    let scene = scene.withFaceColorsAsMaterials(atMost: mostColoredMaterials)
    try check(scene, form, in: context)
    let textures = textureFiles(of: scene, beside: output)
    var layer = USDLayer(
      scene, textures: textures.names, named: output.stem, sides: options.sides)
    layer.provenance = context.provenance
    return (layer, textures)
  }

  /// More materials would make files slow to show.
  private static let mostColoredMaterials = 256

  private static func check(
    _ scene: Scene, _ format: any WritableFormat.Type, in context: WritingContext
  ) throws {
    try context.requireFinitePositions(of: scene)
    guard scene.faceCount + scene.pointCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: format.name, holds: "faces and points")
    }
    context.warnOfLosses(of: scene, in: format)
    if scene.hasTintedTextures, !context.expectedLosses.contains(.colors) {
      context.stage.warn(
        """
        \(format.name) can't multiply textures by vertex colours, as glTF does: the textures are shown alone; \
        'bake-maps' with "maps": ["color"] makes textures of both
        """)
    }
  }

  private static func isHeld(_ texture: Texture) -> Bool {
    Set<Texture.Encoding>.pngAndJPEG.contains(texture.encoding)
  }

  /// The files of the textures, with the extensions by which programs recognize their encoding.
  private static func textureFiles(of scene: Scene, beside output: OutputSet) -> TextureFiles {
    var scene = scene
    for index in scene.textures.indices {
      let texture = scene.textures[index]
      let known = texture.encoding == .png ? ["png"] : ["jpg", "jpeg"]
      guard isHeld(texture), !texture.fileName.isEmpty,
        !known.contains(fileExtension(of: texture.fileName))
      else { continue }
      let stem = FileSystem.stem(of: texture.fileName)
      scene.textures[index].fileName = "\(stem).\(texture.encoding.usualExtension)"
    }
    return TextureFiles(of: scene, beside: output, maps: Material.textureKeys, where: isHeld)
  }
}

extension Scene {
  /// Whether a texture lies under vertex colours that change it.
  fileprivate var hasTintedTextures: Bool {
    meshes.contains { mesh in
      guard let colors = mesh.colors, colors.contains(where: { !$0.isWhite }) else { return false }
      return Set(mesh.faceMaterials ?? []).contains { material in
        materials[Int(material)].baseColorTexture != nil
      }
    }
  }
}

extension Color {
  fileprivate var isWhite: Bool { red & green & blue == 255 }
}

/// A form of USD; each is read as any of them, and holds what all do.
package protocol USDForm: ReadableFormat, WritableFormat where Options == USDOptions {}

extension USDForm {
  package static var canBring: Set<SceneFeature> { USDContents.keeps }
  package static var keeps: Set<SceneFeature> { USDContents.keeps }
  package static var holdsFaceColors: Bool { true }
  package static var holdsProvenance: Provenance.Extent { .full }
  package static var axes: AxisConvention { .fixed(.arkit) }

  /// Writes a layer in a file of its own, with its textures beside it.
  static func writeLayer(
    of scene: Scene, to output: OutputSet, in context: WritingContext,
    as body: (USDLayer, FileWriter) throws -> Void
  ) throws {
    let scene = try scene.withCommonTextures(.pngAndJPEG, onlyIn: name, in: context)
    let (layer, textures) = try USDContents.layer(
      of: scene, for: output, as: Self.self, in: context)
    try textures.write(scene, to: output, in: context)
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try body(layer, writer)
    try writer.finish()
  }

  /// Reads what a file of any form of USD shows; see ``USDContents/read(_:in:)``.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try USDContents.read(path, in: context)
  }
}

extension USDContents {
  /// Reads what a file shows, be it text, a crate or a package: its extension need not say which.
  ///
  /// Meshes, simple shapes, instances and points with their transforms, at rest; materials of the kind
  /// `UsdPreviewSurface` or plain ones of MaterialX; classes that meshpipe wrote, or else from the names of meshes and
  /// materials. What does not fit into a scene is told.
  ///
  /// - Parameter mostElements: The vertices, corners and polygons, and the prims of instances, that a small file may
  ///   expand to; a large one may expand to more.
  static func read(
    _ path: String, in context: ReadingContext, mostElements: Int = 10_000_000
  ) throws -> Scene {
    try context.reading(path) { file in
      let stage = try USDStage(USDFiles(file, in: context), path: path)
      var reader = USDSceneReader(stage, path: path, in: context, mostElements: mostElements)
      return try reader.read(path)
    }
  }

  /// Whether a ZIP archive begins with a layer, as a package must.
  static func isPackage(_ head: FileHead) -> Bool {
    let size = 30
    guard head.begins(with: "PK\u{3}\u{4}"), head.bytes.count > size else { return false }
    let length = Int(head.bytes[26]) | Int(head.bytes[27]) << 8
    let name = String(decoding: head.bytes[size...].prefix(length), as: UTF8.self)
    return ["usd", "usda", "usdc"].contains(fileExtension(of: name))
  }
}
