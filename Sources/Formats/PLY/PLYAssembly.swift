import MeshPipeline

/// Makes a scene from the elements of a PLY file.
struct PLYAssembly {
  let file: MappedFile
  let header: PLYHeader
  private let vertices: PLYContents
  private let faces: PLYContents?
  private let strips: PLYContents?

  init(file: MappedFile, header: PLYHeader, contents: [String: PLYContents]) throws {
    guard let vertices = contents["vertex"], vertices.table.count > 0 else {
      throw ReadingError.content(path: file.path, "contains no vertices")
    }
    guard vertices.hasAll(.x, .y, .z) else {
      if vertices.plan.customColumns.contains(where: { $0.name == "packed_position" }) {
        throw ReadingError.content(
          path: file.path,
          "holds compressed Gaussian splats; SuperSplat and 'splat-transform' write them as a PLY with all properties"
        )
      }
      throw ReadingError.content(path: file.path, "the vertices have no x, y and z")
    }
    for (name, element) in contents where name != "vertex" && !element.plan.hasIndices {
      throw ReadingError.content(path: file.path, "the element '\(name)' has no vertex_indices")
    }
    self.file = file
    self.header = header
    self.vertices = vertices
    faces = contents["face"]
    strips = contents["tristrips"]
  }

  /// - Parameter checksPositions: Whether positions that aren't finite are told; readers that look for them later, or
  ///   leave them out, say so themselves.
  func scene(in context: ReadingContext, checksPositions: Bool = true) -> Scene {
    let name = FileSystem.title(of: file.path)
    var scene = Scene(name: name)
    let columns = vertices.plan.columns(.x, .y, .z)
    let positions = vertices.table.points(SIMD3(columns.x, columns.y, columns.z))
    if checksPositions { context.warnOfBrokenNumbers(positions, in: file.path) }
    var corners = faces?.corners ?? []
    if let strips { corners += strips.corners }
    var points = PointCloud(name: name, positions: positions)
    vertices.readAttributes(into: &points)
    let colors = PLYColors(vertices, isText: header.encoding == .text)
    points.colors = colors?.colors
    warnOfColors(colors, of: header.vertexWord, in: context)
    warnOfLabels(vertices, of: header.vertexWord, in: context)
    if corners.isEmpty {
      points.wideColors = colors?.wide
      points.classes = classes(of: vertices)
      scene.pointClouds = [points]
      return scene
    }
    var mesh = Mesh(vertices: points, indices: corners)
    mesh.textureCoordinates = textureCoordinates(of: mesh)
    cutPolygons(&mesh)
    mesh.classes = faceClasses(of: mesh)
    mesh.faceColors = faceColors(of: mesh, context)
    mesh.faceAttributes = faceAttributes(of: mesh, context)
    if mesh.textureCoordinates != nil { addTextures(to: &mesh, &scene, context) }
    scene.meshes = [mesh]
    return scene
  }

  // MARK: Faces

  /// Texture coordinates of the faces' corners, or otherwise of the vertices, one per corner.
  private func textureCoordinates(of mesh: Mesh) -> [Vector2]? {
    if let own = faces?.textureCoordinates, !own.isEmpty {
      return own + repeatElement(.zero, count: mesh.cornerCount - own.count)
    }
    guard vertices.hasAll(.u, .v, .v) else { return nil }
    let ofVertices = vertices.table.map(vertices.plan.columns(.u, .v, .v)) { Vector2($0.x, $0.y) }
    return Parallel.array(count: mesh.cornerCount) { range, output in
      for corner in range { output.append(ofVertices[Int(mesh.indices[corner])]) }
    }
  }

  private func cutPolygons(_ mesh: inout Mesh) {
    for polygon in faces?.polygons ?? [] {
      guard let order = mesh.cut(of: polygon) else { continue }
      mesh.indices.permute(order, from: polygon.firstCorner)
      mesh.textureCoordinates?.permute(order, from: polygon.firstCorner)
    }
  }

  private func faceClasses(of mesh: Mesh) -> FaceClasses? {
    if let faces, var classes = classes(of: faces) {
      classes.labels += repeatElement(0, count: mesh.faceCount - classes.labels.count)
      return classes
    }
    guard let ofVertices = classes(of: vertices) else { return nil }
    let labels: [UInt16] = Parallel.array(count: mesh.faceCount) { range, output in
      for face in range {
        let (a, b, c) = mesh.vertices(ofFace: face)
        let labels = ofVertices.labels
        output.append(
          labels[Int(b)] == labels[Int(c)] ? labels[Int(b)] : labels[Int(a)])
      }
    }
    var classes = ofVertices
    classes.labels = labels
    return classes
  }

  /// Colours of faces, unless they are all the same and vertices have their own: MeshLab writes such a default beside them.
  private func faceColors(of mesh: Mesh, _ context: ReadingContext) -> [Color]? {
    guard let faces else { return nil }
    warnOfLabels(faces, of: "face", in: context)
    guard let found = PLYColors(faces, isText: header.encoding == .text) else { return nil }
    warnOfColors(found, of: "face", in: context)
    if mesh.colors != nil, found.colors.allSatisfy({ $0 == found.colors[0] }) { return nil }
    // Strips have none.
    return found.colors + repeatElement(.white, count: mesh.faceCount - found.colors.count)
  }

  private func faceAttributes(of mesh: Mesh, _ context: ReadingContext) -> [CustomAttribute] {
    guard let faces else { return [] }
    guard let attributes = faces.customFaceAttributes(fileSize: file.count) else {
      context.stage.warn(
        "\(FileSystem.name(of: file.path)): properties of faces are ignored, since they would take too "
          + "much memory")
      return []
    }
    return attributes.map { attribute in
      // Strips have none.
      var attribute = attribute
      let missing = CustomAttribute(attribute.kind, zeros: mesh.faceCount - attribute.count)
      if missing.count > 0 { attribute.values.append(missing.values) }
      return attribute
    }
  }

  /// The labels of an element, with names from the header; without, they are numbers still.
  private func classes(of contents: PLYContents) -> FaceClasses? {
    guard let column = contents.plan.columnOfRole[.label] else { return nil }
    let values = contents.table.map(SIMD4(column, -1, -1, -1)) { $0.x }
    // Labels beyond 16 bits are not classes, but object ids or damage.
    let numbers: [UInt16] = Parallel.array(count: values.count) { index in
      let value = values[index]
      return value >= 0 && value <= 65_535 ? UInt16(value.rounded()) : 0
    }
    // Where 1 has no class, the names are of codes of the ASPRS: ARKit's is a wall.
    let areCodes = header.classNames[1] == "none"
    guard !header.classNames.isEmpty, !areCodes else {
      return FaceClasses(
        numbers: numbers, under: contents.plan.labelName, ofFaces: contents.plan.isOfFaces,
        codes: areCodes ? header.codeScheme : nil)
    }
    var names = ClassNameTable()
    var labelOfNumber = [UInt16?](repeating: nil, count: Int(numbers.max() ?? 0) + 1)
    let labels = numbers.map { number -> UInt16 in
      if let known = labelOfNumber[Int(number)] { return known }
      let name = header.classNames[Int(number)].map(ClassNames.normalized)
      let label = names.label(of: name ?? ClassNames.name(ofLabel: Int(number)))
      labelOfNumber[Int(number)] = label
      return label
    }
    return FaceClasses(labels: labels, names: names.names)
  }

  /// Loads the textures named in comments; a face's `texnumber` selects one of them.
  private func addTextures(
    to mesh: inout Mesh, _ scene: inout Scene, _ context: ReadingContext
  ) {
    guard !header.textureFiles.isEmpty else { return }
    var textures = TextureCollection()
    let opener = SideFileOpener(mainPath: file.path, context: context)
    let source = FileSystem.name(of: file.path)
    for name in header.textureFiles.prefix(1000) {
      let texture = textures.load(name, subfolder: "", opener: opener, source: source)
      scene.materials.append(
        Material(
          name: FileSystem.stem(of: name), isDoubleSided: true, baseColorTexture: texture))
    }
    let count = Float(scene.materials.count)
    var numbers: [Float] = []
    if let faces, let column = faces.plan.columnOfRole[.texture] {
      numbers = faces.table.map(SIMD4(column, -1, -1, -1)) { $0.x }
    }
    numbers += repeatElement(0, count: mesh.faceCount - numbers.count)
    let plain = UInt32(scene.materials.count)
    let materials = numbers.map { $0 >= 0 && $0 < count ? UInt32($0) : plain }
    if materials.contains(plain) {
      scene.materials.append(Material(name: "default", isDoubleSided: true))
    }
    mesh.faceMaterials = materials
    (scene.meshes, mesh) = ([mesh], Mesh())
    textures.give(to: &scene) { context.stage.warn("\(source): \($0)") }
    mesh = scene.meshes[0]
    scene.meshes = []
  }
}

extension PLYHeader {
  /// The names of codes of the ASPRS: the file's own, and the usual ones for others.
  fileprivate var codeScheme: ClassScheme {
    .named(FaceClasses.asprsNames.merging(classNames.mapValues(ClassNames.normalized)) { $1 })
  }
}
