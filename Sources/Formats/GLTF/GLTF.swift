package import MeshPipeline

/// glTF 2.0 as a JSON file with separate buffers and images.
package enum GLTF: Format {
  package static let id = "gltf"
  package static let name = "glTF 2.0"
  package static let extensions = ["gltf"]
}

extension GLTF: ReadableFormat {
  package static let canBring = features

  package static func recognizes(_ head: FileHead) -> Bool {
    head.body.hasPrefix("{") && keys.contains { head.text?.contains("\"\($0)\"") == true }
  }

  /// Some of the keys of the document, of which one begins it.
  private static let keys = [
    "asset", "accessors", "bufferViews", "buffers", "meshes", "nodes", "scenes", "scene",
    "materials", "images", "textures", "samplers", "animations", "skins", "cameras",
    "extensionsUsed", "extensionsRequired",
  ]

  /// Reads the scene with all node transforms applied; see ``GLB/read(_:in:)``.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try GLB.read(path, in: context)
  }
}

extension GLB: ReadableFormat {
  package static let canBring = GLTF.features

  package static func recognizes(_ head: FileHead) -> Bool { head.begins(with: "glTF") }

  /// Reads the scene with all node transforms applied, one mesh per node with a mesh.
  ///
  /// Vertices split at seams are welded; normals and texture coordinates that differ there are
  /// stored per corner. Classes come from `classification` in extras or from the names of meshes or
  /// materials.
  package static func read(_ path: String, in context: ReadingContext) throws -> Scene {
    try context.reading(path) { file in
      let container = try GLTFContainer(file)
      if let remark = container.remark {
        context.stage.warn("\(FileSystem.name(of: path)): \(remark)")
      }
      let reader = try GLTFReader(container, in: context)
      defer { reader.finish() }
      var scene = GLTFScene(reader, in: context)
      return try scene.read()
    }
  }
}

extension GLTF: WritableFormat {
  package typealias Options = GLTFOptions

  package static let keeps = features
  package static let axes = AxisConvention.fixed(.arkit)
  package static let remark = "Buffer and textures are separate files. \(contents)"

  /// What is the same in one file and in several.
  static let contents = """
    Classes are materials by name, and custom attributes are vertex attributes whose names begin with an underscore; a \
    scene that is not Y-up in metres is converted by its root node. Textures are PNG, JPEG, WebP, AVIF or KTX2. What compression \
    costs in precision, which programs open it, and what is read: see `docs/gltf.md`.
    """

  package static let holdsLevels = true
  package static let holdsProvenance = Provenance.Extent.full
  package static let smallerForms = GLTFOptions.smallerForms
  package static let smallestForms = GLTFOptions.smallestForms

  package static func missing(for options: GLTFOptions) -> (any UserError)? {
    options.compression.fault ?? options.textures.fault
  }

  package static func write(
    _ scene: Scene, to output: OutputSet, in context: WritingContext
  ) throws {
    let options = try context.options(of: Self.self)
    let levels = try checkedLevels(of: scene, options, in: context)
    let textures = TextureFiles(of: levels.scene, beside: output, maps: Material.textureKeys) {
      GLTFDocument.mimeType(of: $0.encoding) != nil
    }
    try textures.write(levels.scene, to: output, in: context)
    let document = try GLTFDocument(levels, images: .beside(textures), options, in: context)
    let bufferName = output.sideStem + ".bin"
    let bufferWriter = try FileWriter(creating: output.sidePath(bufferName), in: context.stage)
    try document.buffer.write(to: bufferWriter)
    try bufferWriter.finish()
    let writer = try FileWriter(creating: output.mainPath, in: context.stage)
    try writer.write(document.json(bufferName: bufferName).prettyText)
    try writer.finish()
  }
}

extension WritableFormat where Options == GLTFOptions {
  /// The levels of a scene, after the errors and warnings common to both forms of glTF.
  static func checkedLevels(
    of scene: Scene, _ options: GLTFOptions, in context: WritingContext
  ) throws -> GLTFLevels {
    let levels = try GLTFLevels(scene, options, in: context)
    try check(levels.scene, options, in: context)
    context.warnOfLosses(of: levels.scene, in: Self.self)
    return levels
  }

  private static func check(
    _ scene: Scene, _ options: GLTFOptions, in context: WritingContext
  ) throws {
    if let fault = options.compression.fault { throw fault }
    try context.requireFinitePositions(of: scene)
    guard scene.faceCount + scene.pointCount > 0 else {
      throw UnwritableScene.nothingToWrite(format: name, holds: "faces and points")
    }
    context.warnOfLosses(of: scene, ofCustomAttributesOf: [.face], in: name)
    if scene.meshes.contains(where: { $0.tangents != nil && $0.normals ?? $0.cornerNormals == nil })
    {
      context.stage.warn("\(name) can't hold tangents without normals: tangents will be lost")
    }
    let lists = scene.meshes.flatMap { $0.vertexAttributes + $0.cornerAttributes }
    let rounded = (lists + scene.pointClouds.flatMap(\.attributes)).filter {
      !GLTFCustomAttribute.keeps($0)
    }
    if !rounded.isEmpty {
      context.stage.warn(
        "\(name) holds these attributes as floats, which rounds them: "
          + Set(rounded.map(\.name)).sorted().joined(separator: ", "))
    }
  }
}
