import MeshPipeline

/// The JSON part of a glTF file for writing.
struct GLTFDocument {
  /// Where the textures are.
  enum Images {
    case embedded
    case beside(TextureFiles)
  }

  let buffer: GLTFBuffer
  let scene: Scene
  let meshes: [GLTFMeshLayout]
  let materials: [MaterialTable.Entry]
  private let images: Images
  private let provenance: Provenance?
  /// The textures that glTF allows, in its own order.
  let textures: [Int]
  private var accessors: [JSONValue] = []
  private var meshValues: [JSONValue] = []

  let textureGrid: GLTFTextureGrid?
  let levels: GLTFLevels

  /// - Parameter options: For ``GLTFCompression/meshopt``, its ``GLTFCompression/fault`` must be nil.
  init(
    _ levels: GLTFLevels, images: Images, _ options: GLTFOptions, in context: WritingContext
  ) throws {
    let scene = levels.scene
    let compression = options.compression
    let grid = options.positionGrid(of: scene, in: context)
    self.scene = scene
    self.levels = levels
    self.images = images
    provenance = context.provenance
    var table = MaterialTable(of: scene, splitsByClass: true, sides: options.sides)
    var meshes =
      scene.meshes.filter { $0.faceCount > 0 }.map { GLTFMeshLayout($0, materials: &table) }
      + scene.pointClouds.filter { !$0.positions.isEmpty }.map { GLTFMeshLayout($0) }
    materials = table.entries
    var textures: [Int] = []
    for material in materials.map(\.material) {
      for texture in Material.textureKeys.compactMap({ material[keyPath: $0] })
      where Self.mimeType(of: scene.textures[texture].encoding) != nil
        && !textures.contains(texture)
      {
        textures.append(texture)
      }
    }
    self.textures = textures
    textureGrid =
      compression == .meshopt
      ? GLTFTextureGrid(of: meshes, materials: materials, textures: textures, in: scene) : nil
    let texels = textures.compactMap { scene.textures[$0].pixelSize?.max() }.max() ?? 0
    for index in meshes.indices where compression != .none {
      if compression == .draco, !meshes[index].isPoints {
        meshes[index].compressByDraco(on: grid, texels: texels)
      } else {
        meshes[index].quantize(on: grid.flatMap { $0.bits <= 16 ? $0 : nil }, textureGrid)
      }
    }
    self.meshes = meshes
    let embedded = if case .embedded = images { textures } else { [Int]() }
    buffer = try GLTFBuffer(
      meshes, textures: scene.textures, embedded: embedded, isCompressed: compression == .meshopt)
    for index in meshes.indices { addMesh(index) }
    if buffer.facesLeftOut > 0 {
      let count = buffer.facesLeftOut
      context.stage.warn(
        "Draco leaves out \(count) face\(count == 1 ? "" : "s") with fewer than three different vertices"
      )
    }
  }

  /// The media type of an image that glTF supports; others can't be included.
  static func mimeType(of encoding: Texture.Encoding) -> String? {
    switch encoding {
    case .png: "image/png"
    case .jpeg: "image/jpeg"
    case .webp: "image/webp"
    case .avif: "image/avif"
    case .ktx2: "image/ktx2"
    default: nil
    }
  }

  /// The encodings that glTF supports.
  static let encodings = Set(Texture.Encoding.allCases.filter { mimeType(of: $0) != nil })

  // MARK: Meshes

  private mutating func addMesh(_ index: Int) {
    let mesh = meshes[index]
    var primitives: [JSONValue] = []
    for (place, primitive) in mesh.primitives.enumerated() {
      var members: [JSONValue.Member]
      if let packed = buffer.draco(primitive: place, mesh: index) {
        members = dracoMembers(of: packed.primitive, packed.view, primitive, of: mesh)
      } else {
        members = [.init("attributes", attributes(of: primitive, mesh: index))]
      }
      if !mesh.isPoints, mesh.draco == nil {
        let indices = buffer.indexPlace(ofPrimitive: place, mesh: index)
        let accessor = addAccessor(
          indices.view, offset: indices.offset, indices.type, "SCALAR",
          count: primitive.corners.count)
        members.append(.init("indices", JSONValue(.number(Double(accessor)))))
      }
      members.append(.init("mode", mesh.isPoints ? 0 : 4))
      if let material = primitive.material { members.append(.init("material", number(material))) }
      if let name = primitive.className {
        members.append(.init("extras", ["classification": JSONValue(.string(name))]))
      }
      if let classes = mesh.source.vertices.classes, mesh.isPoints {
        members.append(.init("extras", ["classes": classes.namesByNumber]))
      }
      primitives.append(JSONValue(.object(members)))
    }
    var members = [JSONValue.Member("primitives", JSONValue(.array(primitives)))]
    if !mesh.name.isEmpty { members.insert(.init("name", JSONValue(.string(mesh.name))), at: 0) }
    meshValues.append(JSONValue(.object(members)))
  }

  private mutating func attributes(
    of primitive: GLTFMeshLayout.Primitive, mesh index: Int
  ) -> JSONValue {
    let mesh = meshes[index]
    var members: [JSONValue.Member] = []
    for (attribute, view) in zip(mesh.attributes, buffer.attributeViews(ofMesh: index))
    where attribute != .tangent || mesh.hasTangents(primitive) {
      let form = mesh.form(of: attribute)
      let accessor = addAccessor(
        view, offset: primitive.vertices.lowerBound * form.stride, form.componentType,
        form.shape, count: primitive.vertices.count, isNormalized: form.isNormalized,
        bounds: attribute == .position ? mesh.storedBounds(of: primitive) : nil)
      members.append(.init(form.name, number(accessor)))
    }
    return JSONValue(.object(members))
  }

  // MARK: Accessors

  /// - Parameter view: Nil if the elements are compressed with others.
  mutating func addAccessor(
    _ view: Int?, offset: Int = 0, _ type: GLTFComponentType, _ shape: String, count: Int,
    isNormalized: Bool = false, bounds: Box? = nil
  ) -> Int {
    var members = view.map { [JSONValue.Member("bufferView", number($0))] } ?? []
    if offset > 0 { members.append(.init("byteOffset", number(offset))) }
    members.append(.init("componentType", JSONValue(.number(type.rawValue))))
    if isNormalized { members.append(.init("normalized", true)) }
    members.append(.init("count", number(count)))
    members.append(.init("type", JSONValue(.string(shape))))
    if let bounds {
      members.append(.init("min", vector(bounds.minimum)))
      members.append(.init("max", vector(bounds.maximum)))
    }
    accessors.append(JSONValue(.object(members)))
    return accessors.count - 1
  }

  // MARK: Document

  /// - Parameter bufferName: The file with the buffer; nil in a GLB.
  func json(bufferName: String?) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("asset", asset),
      .init("scene", 0),
    ]
    members += extensionMembers
    members += nodeMembers
    func append(_ key: String, _ values: [JSONValue]) {
      if !values.isEmpty { members.append(.init(key, JSONValue(.array(values)))) }
    }
    append("meshes", meshValues)
    append("materials", materials.map { value(of: $0) })
    append("textures", textures.indices.map { textureValue($0) })
    append("images", textures.map { imageValue($0) })
    append("accessors", accessors)
    append("bufferViews", buffer.views.map { Self.value(of: $0) })
    var bufferMembers: [JSONValue.Member] = []
    if let bufferName { bufferMembers.append(.init("uri", uri(bufferName))) }
    bufferMembers.append(.init("byteLength", number(buffer.length)))
    append("buffers", [JSONValue(.object(bufferMembers))] + decodedBuffers)
    return JSONValue(.object(members))
  }

  /// First in the file, so that what made it is found without reading on.
  private var asset: JSONValue {
    var members: [JSONValue.Member] = [.init("version", "2.0"), .init("generator", "meshpipe")]
    if let provenance {
      let extras = [JSONValue.Member(Provenance.key, provenance.json)]
      members.append(.init("extras", JSONValue(.object(extras))))
    }
    return JSONValue(.object(members))
  }

  /// One node per mesh, and nodes above them for levels, and for other axes or units than glTF's.
  private var nodeMembers: [JSONValue.Member] {
    var nodes: [JSONValue] = meshes.enumerated().map { index, mesh in
      var members = [JSONValue.Member("mesh", number(index))]
      if !mesh.name.isEmpty { members.insert(.init("name", JSONValue(.string(mesh.name))), at: 0) }
      members += mesh.quantization?.positions?.nodeMembers ?? []
      return JSONValue(.object(members))
    }
    let nearest = levels.group(&nodes, axes)
    var roots = Array((nearest == nil ? 0 : levels.meshCount)..<meshes.count)
    if let axes, !roots.isEmpty {
      nodes.append(
        JSONValue(
          .object([
            .init("name", "axes"), axes, .init("children", JSONValue(.array(roots.map(number)))),
          ])))
      roots = [nodes.count - 1]
    }
    if let nearest { roots.insert(nearest, at: 0) }
    var sceneMembers = [JSONValue.Member("nodes", JSONValue(.array(roots.map(number))))]
    if !scene.name.isEmpty {
      sceneMembers.insert(.init("name", JSONValue(.string(scene.name))), at: 0)
    }
    if let georeference { sceneMembers.append(.init("extras", georeference)) }
    return [
      .init("scenes", JSONValue(.array([JSONValue(.object(sceneMembers))]))),
      .init("nodes", JSONValue(.array(nodes))),
    ]
  }

  /// The map that the scene is on, and where on it its own zero is: east, north and up in metres; nil if it is on none.
  private var georeference: JSONValue? {
    guard let system = scene.survey?.referenceSystem, !system.isLeft,
      scene.coordinateSystem.up == .z
    else { return nil }
    var members: [JSONValue.Member] = []
    if let code = system.code { members.append(.init("code", JSONValue(.string(code)))) }
    if let name = system.name { members.append(.init("name", JSONValue(.string(name)))) }
    let origin = scene.origin * scene.coordinateSystem.metersPerUnit
    members.append(
      .init("origin", JSONValue(.array((0..<3).map { JSONValue(.number(origin[$0])) }))))
    return ["georeference": JSONValue(.object(members))]
  }

  /// What turns the scene's axes and units into glTF's, as a part of a node; nil if they are the same.
  private var axes: JSONValue.Member? {
    let transform = scene.coordinateSystem.transform(to: .arkit)
    guard transform != .identity else { return nil }
    let columns = [transform.x, transform.y, transform.z, transform.translation]
    let matrix = zip(columns, [0.0, 0, 0, 1]).flatMap { column, last in
      [column.x, column.y, column.z, last].map { JSONValue(.number($0)) }
    }
    return .init("matrix", JSONValue(.array(matrix)))
  }

  private static func value(of view: GLTFBuffer.View) -> JSONValue {
    var members: [JSONValue.Member] = [
      .init("buffer", number(view.stream == nil ? 0 : 1)), .init("byteOffset", number(view.offset)),
      .init("byteLength", number(view.length)),
    ]
    if let stride = view.stride {
      members.append(.init("byteStride", number(stride)))
      members.append(.init("target", 34962))
    } else if case .indices = view.content {
      members.append(.init("target", 34963))
    }
    if let (stream, offset) = view.stream { members.append(stream.viewMember(at: offset)) }
    return JSONValue(.object(members))
  }

  // MARK: Textures

  private func textureValue(_ index: Int) -> JSONValue {
    let source = JSONValue(.object([.init("source", number(index))]))
    guard let name = GLTFExtensions.name(ofTexture: scene.textures[textures[index]].encoding) else {
      return source
    }
    return JSONValue(
      .object([.init("extensions", JSONValue(.object([.init(name, source)])))]))
  }

  private func imageValue(_ index: Int) -> JSONValue {
    let texture = scene.textures[index]
    var members: [JSONValue.Member] = []
    switch images {
    case .embedded:
      if !texture.fileName.isEmpty {
        members.append(.init("name", JSONValue(.string(texture.fileName))))
      }
      if let view = buffer.view(ofTexture: index) {
        members.append(.init("bufferView", number(view)))
      }
    case .beside(let files):
      members.append(.init("uri", uri(files.names[index] ?? "")))
    }
    members.append(.init("mimeType", JSONValue(.string(Self.mimeType(of: texture.encoding) ?? ""))))
    return JSONValue(.object(members))
  }
}

private func number(_ value: Int) -> JSONValue { JSONValue(.number(Double(value))) }

private func vector(_ value: SIMD3<Float>) -> JSONValue {
  JSONValue(.array([value.x, value.y, value.z].map { JSONValue(.number(Double($0))) }))
}

/// A file name as a relative reference: everything except plain ASCII is percent-encoded.
private func uri(_ name: String) -> JSONValue {
  let digits = Array("0123456789ABCDEF")
  var text = ""
  for byte in name.utf8 {
    let character = Character(UnicodeScalar(byte))
    if byte < 0x80, character.isLetter || character.isNumber || "-_.~".contains(character) {
      text.append(character)
    } else {
      text += "%\(digits[Int(byte >> 4)])\(digits[Int(byte & 15)])"
    }
  }
  return JSONValue(.string(text))
}
