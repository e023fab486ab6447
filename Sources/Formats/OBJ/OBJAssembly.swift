import MeshPipeline

/// Makes a scene from the contents of an OBJ file.
struct OBJAssembly {
  private let file: MappedFile
  private var mesh = Mesh()
  private var colors: [Vector3]
  private let textureCoordinates: [Vector2]
  private var normals: [Vector3]
  private var textureIndices: [UInt32]
  private var normalIndices: [UInt32]
  /// Whether each corner's texture coordinate or normal has the index of its vertex.
  private let textureFollows: Bool
  private let normalsFollow: Bool
  private let points: [UInt32]
  private let events: [OBJBlock.Event]
  private let polygons: [FacePolygon]
  private let remarks: OBJBlock.Remarks
  private let namesMissing: [String]

  init(_ contents: consuming OBJContents, file: MappedFile) {
    self.file = file
    mesh.positions = contents.positions
    mesh.indices = contents.corners
    colors = contents.colors
    textureCoordinates = contents.textureCoordinates
    normals = contents.normals
    textureIndices = contents.textureIndices.values
    normalIndices = contents.normalIndices.values
    textureFollows = contents.textureIndices.followVertices
    normalsFollow = contents.normalIndices.followVertices
    points = contents.points
    events = contents.events
    polygons = contents.polygons
    remarks = contents.remarks
    namesMissing = contents.namesMissing
  }

  /// The scene of the file, with its materials and textures.
  mutating func scene(in context: ReadingContext) throws -> Scene {
    guard !mesh.positions.isEmpty else {
      throw ReadingError.content(path: file.path, "contains no vertices")
    }
    warn(in: context)
    let name = FileSystem.title(of: file.path)
    var scene = Scene(name: name)
    addColors()
    if mesh.indices.isEmpty || !points.isEmpty { scene.pointClouds = [pointCloud(named: name)] }
    guard !mesh.indices.isEmpty else { return scene }
    cutPolygons()
    try context.stage.progress(0.7)
    addNormals()
    addTextureCoordinates()
    try context.stage.progress(0.8)
    let names = Names(events, file: file)
    var materials = OBJMaterials(path: file.path, context: context)
    for library in names.libraries { materials.readLibraries(library) }
    addMaterials(names.runs(of: .material), &materials)
    mesh.name = names.onlyObject ?? name
    let ofObjects = ClassNames.classes(ofRuns: names.runs(of: .object), faceCount: mesh.faceCount)
    mesh.classes =
      ClassNames.classes(ofRuns: names.runs(of: .group), faceCount: mesh.faceCount)
      ?? ofObjects
      ?? ClassNames.classes(ofRuns: names.runs(of: .material), faceCount: mesh.faceCount)
    scene.materials = materials.materials
    var objects = OBJObjects(names.runs(of: .object), faces: mesh.faceCount)
    // Those with a class each are the classes of one scan; 'wall-1' and 'wall-2' are objects.
    if let classes = ofObjects, objects?.count == classes.counts.count(where: { $0 > 0 }) {
      objects = nil
    }
    scene.meshes = try takeApart(into: objects, context)
    materials.textures.give(to: &scene) {
      context.stage.warn("\(FileSystem.name(of: file.path)): \($0)")
    }
    try context.stage.progress(1)
    return scene
  }

  /// The mesh, or a mesh for each object; the whole is given up.
  private mutating func takeApart(
    into objects: OBJObjects?, _ context: ReadingContext
  ) throws -> [Mesh] {
    let whole = mesh
    // Its arrays are taken apart one by one, if nothing else holds them.
    mesh = Mesh()
    guard let objects else { return [whole] }
    try context.stage.checkCancellation()
    guard objects.areApart(in: whole) else {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)): its \(NumberText.grouped(objects.count)) objects are read as one mesh, "
          + "since they share vertices or are too many; their names are lost")
      return [whole]
    }
    return objects.meshes(of: consume whole)
  }

  private func warn(in context: ReadingContext) {
    let name = FileSystem.name(of: file.path)
    if remarks.nonFinite > 0 {
      context.stage.warn(
        "\(name):\(remarks.firstNonFiniteLine): vertices are not finite (\(remarks.nonFinite)); "
          + "'clean' removes them")
    }
    if remarks.brokenPlaces > 0 {
      context.stage.warn(
        "\(name):\(remarks.firstBrokenPlaceLine): texture coordinates are not finite or beyond "
          + "\(JSONValue.text(of: Double(Vector2.largestPlace))) (\(remarks.brokenPlaces)); 0 stands in for them"
      )
    }
    if remarks.bare > 0 {
      context.stage.warn(
        "\(name):\(remarks.firstBareLine): statements without numbers (\(remarks.bare)): such faces are left "
          + "out, such vertices become zero")
    }
    for names in namesMissing {
      context.stage.warn("\(name): the faces refer to \(names), but the file has none")
    }
    if remarks.unknown > 0 {
      context.stage.warn(
        "\(name):\(remarks.firstUnknownLine): unknown statements such as "
          + "'\(remarks.firstUnknown)' are ignored (\(remarks.unknown))")
    }
    if remarks.lines > 0 {
      context.stage.warn("\(name): line elements are left out (\(remarks.lines))")
    }
  }

  // MARK: Attributes

  private mutating func addColors() {
    guard !colors.isEmpty else { return }
    // Some programs write 0 to 255 where most write 0 to 1.
    let largest = colors.reduce(Float(0)) { max($0, $1.x, $1.y, $1.z) }
    let scale: Float = largest > 1 ? 1 : 255
    mesh.colors = Parallel.array(count: colors.count) { [colors] range, output in
      for index in range { output.append(Color(colors[index], scale: scale)) }
    }
    colors = []
  }

  private func pointCloud(named name: String) -> PointCloud {
    var cloud = PointCloud(name: name)
    if points.isEmpty {
      cloud.positions = mesh.positions
      cloud.colors = mesh.colors
      // Points are associated with normals only by their index.
      if normals.count == mesh.positions.count { cloud.normals = normalized(normals) }
    } else {
      cloud.positions = points.map { mesh.positions[Int($0)] }
      cloud.colors = mesh.colors.map { colors in points.map { colors[Int($0)] } }
    }
    return cloud
  }

  /// Triangulates non-triangular faces in their plane, replacing their fans.
  private mutating func cutPolygons() {
    for polygon in polygons {
      guard let order = mesh.cut(of: polygon) else { continue }
      mesh.indices.permute(order, from: polygon.firstCorner)
      if !textureIndices.isEmpty { textureIndices.permute(order, from: polygon.firstCorner) }
      if !normalIndices.isEmpty { normalIndices.permute(order, from: polygon.firstCorner) }
    }
  }

  private mutating func addNormals() {
    if normalsFollow {
      Parallel.update(&normals) { part in
        for index in part.indices { part[index] = part[index].normalized }
      }
      mesh.normals = normals
      normals = []
    }
    guard !normalIndices.isEmpty else { return }
    if let order = mesh.sharedIndices(of: normalIndices, in: normals) {
      mesh.normals = Parallel.array(count: order.count) { [normals] range, output in
        for vertex in range {
          // No face uses a vertex without a normal, so any direction is correct.
          let isUsed = order[vertex] != OBJIndices.missing
          output.append(
            isUsed ? normals[Int(order[vertex])].normalized : Vector3(0, 0, 1))
        }
      }
    } else {
      mesh.cornerNormals = Parallel.array(count: mesh.cornerCount) {
        [normals, normalIndices, mesh] range, output in
        for corner in range {
          let index = normalIndices[corner]
          output.append(
            index == OBJIndices.missing
              ? mesh.flatNormal(ofFace: corner / 3) : normals[Int(index)].normalized)
        }
      }
    }
    normalIndices = []
  }

  private mutating func addTextureCoordinates() {
    if textureFollows {
      mesh.textureCoordinates = Parallel.array(count: mesh.cornerCount) {
        [textureCoordinates, mesh] in textureCoordinates[Int(mesh.indices[$0])]
      }
    }
    guard !textureIndices.isEmpty else { return }
    mesh.textureCoordinates = Parallel.array(count: mesh.cornerCount) {
      [textureCoordinates, textureIndices] range, output in
      for corner in range {
        let index = textureIndices[corner]
        output.append(index == OBJIndices.missing ? .zero : textureCoordinates[Int(index)])
      }
    }
    textureIndices = []
  }

  private func normalized(_ normals: [Vector3]) -> [Vector3] {
    Parallel.array(count: normals.count) { range, output in
      for index in range { output.append(normals[index].normalized) }
    }
  }

  private mutating func addMaterials(
    _ runs: [(firstFace: Int, name: String)], _ materials: inout OBJMaterials
  ) {
    guard let first = runs.first else { return }
    var faceMaterials: [UInt32] = []
    faceMaterials.reserveCapacity(mesh.faceCount)
    if first.firstFace > 0 {
      let plain = materials.index(of: "")
      faceMaterials += repeatElement(plain, count: first.firstFace)
    }
    for (index, run) in runs.enumerated() {
      let end = index + 1 < runs.count ? runs[index + 1].firstFace : mesh.faceCount
      guard end > run.firstFace else { continue }
      faceMaterials += repeatElement(materials.index(of: run.name), count: end - run.firstFace)
    }
    materials.warnOfUndefinedMaterials()
    mesh.faceMaterials = faceMaterials
    guard !materials.textureTransforms.isEmpty else { return }
    for face in 0..<mesh.faceCount {
      guard let (scale, offset) = materials.textureTransforms[faceMaterials[face]] else { continue }
      for corner in 3 * face..<3 * face + 3 {
        guard let point = mesh.textureCoordinates?[corner] else { continue }
        mesh.textureCoordinates?[corner] = Vector2(
          point.x * scale.x + offset.x, point.y * scale.y + offset.y)
      }
    }
  }
}

/// The names that an OBJ file gives to runs of faces.
private struct Names {
  private var runsByKind: [OBJBlock.Event.Kind: [(firstFace: Int, name: String)]] = [:]
  private(set) var libraries: [String] = []

  init(_ events: [OBJBlock.Event], file: MappedFile) {
    file.withBytes { bytes in
      for event in events {
        let range = event.name.prefix(4096)
        if event.kind == .library {
          libraries.append(Self.joinedLines(fileName(bytes, range)))
        } else {
          let name = Self.joinedLines(text(bytes, range))
          runsByKind[event.kind, default: []].append((event.firstFace, name))
        }
      }
    }
  }

  func runs(of kind: OBJBlock.Event.Kind) -> [(firstFace: Int, name: String)] {
    runsByKind[kind] ?? []
  }

  /// The name of the object if there is only one.
  var onlyObject: String? {
    let names = runs(of: .object).map(\.name)
    return names.count == 1 && !names[0].isEmpty ? names[0] : nil
  }

  /// Joins a name that spans several lines.
  private static func joinedLines(_ name: String) -> String {
    guard name.utf8.contains(0x5C) else { return name }
    var result = ""
    var characters = name[...]
    while let character = characters.popFirst() {
      if character == "\\", let next = characters.first, next.isNewline {
        characters.removeFirst()
        result.append(" ")
      } else {
        result.append(character)
      }
    }
    return result
  }
}
