import MeshPipeline

/// Traverses the nodes of a glTF file and creates meshes.
struct GLTFScene {
  private let reader: GLTFReader
  private let context: ReadingContext
  private var materials: GLTFMaterials
  private var scene: Scene
  private var placement = PartPlacement()
  private var classRuns: [[GLTFClassRun]] = []
  /// The remaining budget of vertices and corners: a small file can refer to a large mesh many
  /// times.
  private var room: Int
  private var leftOut = 0
  /// The skins in use, by their index.
  private var skins: [Int: GLTFSkin] = [:]
  /// The transform of each node to the scene, once a skin needs it.
  private var nodeTransforms: [Transform?] = []

  init(_ reader: GLTFReader, in context: ReadingContext) {
    self.reader = reader
    self.context = context
    materials = GLTFMaterials(reader)
    scene = Scene(name: FileSystem.title(of: reader.path))
    room = 10_000_000 + 64 * reader.fileBytes + reader.decodedBytes
  }

  /// The scene that programs show by default.
  mutating func read() throws -> Scene {
    let nodeCount = reader.json["nodes"]?.elements.count ?? 0
    var isVisited = [Bool](repeating: false, count: nodeCount)
    let place = try reader.sceneTransform()
    var open = try rootNodes().reversed().map { ($0, place) }
    var visited = 0
    while let (index, parent) = open.popLast() {
      visited += 1
      let node = try reader.element("nodes", index)
      guard !isVisited[index] else {
        throw reader.fault("nodes[\(index)]", "is more than once in the tree")
      }
      isVisited[index] = true
      let transform = parent * (try reader.localTransform(of: node, "nodes[\(index)]"))
      if let mesh = try reader.integer(node["mesh"], "nodes[\(index)]") {
        let instances = try reader.instances(of: node, "nodes[\(index)]") ?? [.identity]
        let skin = try reader.integer(node["skin"], "nodes[\(index)]").map { try self.skin($0) }
        // The joints alone place a skinned mesh.
        try addMesh(
          mesh, node: node, skin: skin,
          transforms: skin == nil ? instances.map { transform * $0 } : [.identity])
      }
      for child in (node["children"]?.elements ?? []).reversed() {
        open.append((try reader.integer(child, "nodes[\(index)].children") ?? 0, transform))
      }
      try context.stage.progress(0.9 * Double(visited) / Double(max(1, nodeCount)))
    }
    if leftOut > 0 {
      context.stage.warn(
        "\(FileSystem.name(of: reader.path)): \(leftOut) line primitives are left out")
    }
    guard !scene.meshes.isEmpty || !scene.pointClouds.isEmpty else {
      throw ReadingError.content(path: reader.path, "contains no faces or points")
    }
    placement.apply(to: &scene)
    reader.warnOfVariants()
    reader.warnOfSplats()
    reader.warnOfGlossiness()
    reader.warnOfMotion(isSkinned: !skins.isEmpty)
    addClasses()
    scene.materials = materials.materials
    scene.noteLinearColors()
    materials.textures.give(to: &scene) { reader.warn($0) }
    context.warnOfBorders(of: scene, materials: materials.bordered)
    try context.stage.progress(1)
    return scene
  }

  private func rootNodes() throws -> [Int] {
    let scenes = reader.json["scenes"]?.elements ?? []
    guard !scenes.isEmpty else {
      // A library without a scene: all root nodes.
      return GLTFReader.roots(try reader.children())
    }
    let chosen = try reader.integer(reader.json["scene"], "scene") ?? 0
    let roots = try reader.element("scenes", chosen)["nodes"]?.elements ?? []
    return try roots.compactMap { try reader.integer($0, "scenes[\(chosen)].nodes") }
  }

  private mutating func skin(_ index: Int) throws -> GLTFSkin {
    if let skin = skins[index] { return skin }
    if nodeTransforms.isEmpty { nodeTransforms = try reader.nodeTransforms() }
    let skin = try GLTFSkin(index, in: reader, nodeTransforms)
    skins[index] = skin
    return skin
  }

  // MARK: Meshes

  /// - Parameter transforms: One for each copy of the mesh.
  private mutating func addMesh(
    _ index: Int, node: JSONValue, skin: GLTFSkin?, transforms: [Transform]
  ) throws {
    guard !transforms.isEmpty else { return }
    let place = "meshes[\(index)]"
    let value = try reader.element("meshes", index)
    let nodeName = node["name"]?.text ?? ""
    let name = nodeName.isEmpty ? value["name"]?.text ?? "" : nodeName
    var faces = GLTFVertices()
    var points = GLTFVertices()
    let ownClass =
      ClassNames.className(inExtras: value["extras"])
      ?? ClassNames.className(inExtras: node["extras"])
    let before = room
    var runs: [GLTFClassRun] = []
    let weights =
      (node["weights"] ?? value["weights"])?.elements.map { Float($0.number ?? 0) } ?? []
    for (number, primitive) in (value["primitives"]?.elements ?? []).enumerated() {
      let place = "\(place).primitives[\(number)]"
      let mode = try reader.integer(primitive["mode"], place) ?? 4
      switch mode {
      case 0:
        try add(
          primitive, mode: mode, weights: weights, skin: skin, to: &points, use: nil, at: place)
      case 4, 5, 6:
        let use = try reader.integer(primitive["material"], place).map { try materials.use($0) }
        runs.append(
          GLTFClassRun(
            firstFace: faces.indices.count / 3,
            explicit: ClassNames.className(inExtras: primitive["extras"]) ?? use?.className
              ?? ownClass,
            meshName: name, materialName: use?.name ?? ""))
        try add(
          primitive, mode: mode, weights: weights, skin: skin, to: &faces, use: use, at: place)
      case 1, 2, 3: leftOut += 1
      default: throw reader.fault(place, "has the unknown mode \(mode)")
      }
    }
    try takeRoom(forCopiesOf: before - room, count: transforms.count, place)
    append(faces, runs, named: name, transforms)
    append(
      points, named: name, transforms,
      (value["primitives"]?.elements ?? []).lazy.compactMap { $0["extras"]?["classes"] }.first)
  }

  private mutating func append(
    _ faces: GLTFVertices, _ runs: [GLTFClassRun], named name: String, _ transforms: [Transform]
  ) {
    guard !faces.indices.isEmpty else { return }
    let mesh = faces.mesh(named: name) { materials.plain() }
    for transform in transforms {
      placement.append(mesh, at: transform, to: &scene)
      classRuns.append(runs)
    }
  }

  private mutating func append(
    _ points: GLTFVertices, named name: String, _ transforms: [Transform],
    _ pointClassNames: JSONValue?
  ) {
    guard !points.positions.isEmpty else { return }
    var cloud = points.pointCloud(named: name)
    if let named = cloud.classes?.named(by: pointClassNames) {
      cloud.classes = named
    } else if reader.isOwnFile {
      // Numbers in an older file of our own are those of ARKit, whatever they look like.
      cloud.classes = cloud.classes?.namedByARKit
    }
    for transform in transforms { placement.append(cloud, at: transform, to: &scene) }
  }

  /// - Parameter elements: What the first one took.
  private mutating func takeRoom(
    forCopiesOf elements: Int, count: Int, _ place: String
  ) throws {
    // Even a small mesh is an object with a name.
    let (more, overflows) = (elements + 100).multipliedReportingOverflow(by: count - 1)
    guard !overflows, more <= room else {
      throw reader.fault(
        place, "its \(count) instances are more data than plausible; is the file damaged?")
    }
    room -= more
  }

  private mutating func add(
    _ primitive: JSONValue, mode: Int, weights: [Float], skin: GLTFSkin?,
    to vertices: inout GLTFVertices, use: GLTFMaterials.Use?, at place: String
  ) throws {
    var (reader, mode) = (reader, mode)
    let packed = try GLTFDracoGeometry(primitive, in: reader, mostElements: room, place)
    if let packed {
      reader.dracoValues = packed.values
      mode = 4
    }
    guard let attributes = primitive["attributes"],
      let position = try reader.integer(attributes["POSITION"], place)
    else { throw reader.fault(place, "has no POSITION") }
    let positions = try reader.morphed(
      reader.values(position, shapes: ["VEC3"]) { Vector3($0.x, $0.y, $0.z) },
      by: primitive["targets"], name: "POSITION", weights: weights, at: place)
    let base = vertices.positions.count
    let indices =
      try packed?.triangles
      ?? reader.integer(primitive["indices"], place).map { try reader.indices($0) }
    room -= positions.count + (indices?.count ?? positions.count)
    guard room >= 0, base + positions.count < Int(UInt32.max) else {
      throw reader.fault(place, "the file expands to more data than plausible; is it damaged?")
    }
    if let indices, let bad = indices.first(where: { $0 >= positions.count }) {
      throw reader.fault(place, "refers to vertex \(bad), but there are \(positions.count)")
    }
    let custom = try customAttributes(attributes, in: reader, positions.count, place)
    room -= vertices.fillerCount(joining: custom, count: positions.count)
    guard room >= 0 else {
      throw reader.fault(place, "the file expands to more data than plausible; is it damaged?")
    }
    let vertexReader = GLTFVertexReader(
      reader: reader, primitive: primitive, attributes: attributes, count: positions.count,
      weights: weights, place: place)
    var points = try vertexReader.points(at: positions)
    points.attributes = custom
    var corners = try vertexReader.corners(use, haveNormals: points.normals != nil)
    try skin?.pose(&points, &corners, vertexReader)
    vertices.append(
      GLTFVertices.Part(
        points: points, ofCorners: corners,
        indices: mode == 0 ? [] : GLTFVertices.triangles(indices, count: positions.count, mode),
        chosenPoints: mode == 0 ? indices : nil, material: use?.index))
  }

  /// The attributes whose names begin with an underscore and have no meaning here.
  private mutating func customAttributes(
    _ attributes: JSONValue, in reader: GLTFReader, _ count: Int, _ place: String
  ) throws -> [CustomAttribute] {
    var result: [CustomAttribute] = []
    guard case .object(let members) = attributes.content else { return [] }
    for member in members where member.key.hasPrefix("_") && member.key.utf8.count > 1 {
      guard !["_CONFIDENCE", "_CLASSIFICATION"].contains(member.key),
        let index = try reader.integer(member.value, place),
        let attribute = try reader.customAttribute(index, named: String(member.key.dropFirst()))
      else { continue }
      guard attribute.count == count else {
        throw reader.fault(
          place, "\(member.key) has \(attribute.count) values for \(count) vertices")
      }
      room -= attribute.values.count
      guard room >= 0, result.count < CustomAttribute.mostOfElement else {
        throw reader.fault(place, "the file expands to more data than plausible; is it damaged?")
      }
      if result[attribute.name] == nil { result.append(attribute) }
    }
    return result
  }

  // MARK: Classes

  /// Classes from extras, otherwise from the names of meshes, otherwise from those of materials.
  private mutating func addClasses() {
    let all = classRuns.flatMap { $0 }
    func isEvidence(_ name: (GLTFClassRun) -> String) -> Bool {
      all.contains { ClassNames.isEvidence(ClassNames.normalized(name($0))) }
    }
    let name: (GLTFClassRun) -> String
    if all.contains(where: { $0.explicit != nil }) {
      name = { $0.explicit ?? "" }
    } else if isEvidence({ $0.meshName }) {
      name = { $0.meshName }
    } else if isEvidence({ $0.materialName }) {
      name = { $0.materialName }
    } else {
      return
    }
    for (index, runs) in classRuns.enumerated() where scene.meshes[index].classes == nil {
      scene.meshes[index].classes = ClassNames.classes(
        ofRuns: runs.map { ($0.firstFace, name($0)) }, faceCount: scene.meshes[index].faceCount,
        needsEvidence: false)
    }
  }
}

/// The candidates for the class of a primitive.
struct GLTFClassRun {
  var firstFace: Int
  /// The class given in extras.
  var explicit: String?
  var meshName: String
  var materialName: String
}
