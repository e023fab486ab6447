import MeshPipeline

/// A scene as the rows of a PLY file: their properties, and how they are written.
struct PLYBody {
  private let scene: Scene
  private let isText: Bool
  /// Added to positions.
  private let origin: SIMD3<Double>
  private let hasNormals: Bool
  private let hasColors: Bool
  private let hasAlpha: Bool
  private let hasFaceColors: Bool
  private let hasFaceAlpha: Bool
  private let hasConfidences: Bool
  private let hasTextureCoordinates: Bool
  private let classes: ClassNumbers?
  private let hasFaceClasses: Bool
  private let hasPointClasses: Bool
  private let vertexProperties: PLYCustomRows
  private let faceProperties: PLYCustomRows
  /// The texture files, in the order of `texnumber`.
  private let textureFiles: [String]
  /// What else comments say.
  var remarks: [String] = []
  /// Index into ``textureFiles`` by material.
  private let textureOfMaterial: [Int32]

  init(_ scene: Scene, textures: TextureFiles, _ options: PLY.Options) {
    var scene = scene
    classes = ClassNumbers(takenFrom: &scene)
    self.scene = scene
    isText = options.ascii
    origin = options.origin?.value ?? scene.origin
    let features = scene.features
    hasNormals = features.contains(.normals)
    hasConfidences = features.contains(.confidences)
    hasTextureCoordinates = features.contains(.textureCoordinates)
    let colors = scene.meshes.lazy.compactMap(\.colors) + scene.pointClouds.compactMap(\.colors)
    hasColors = !colors.isEmpty
    hasAlpha = colors.contains(where: \.hasAlpha)
    let faceColors = scene.meshes.compactMap(\.faceColors)
    hasFaceColors = !faceColors.isEmpty
    hasFaceAlpha = faceColors.contains(where: \.hasAlpha)
    hasFaceClasses = scene.meshes.contains { $0.classes != nil }
    hasPointClasses = scene.pointClouds.contains { $0.classes != nil }

    var files: [String] = []
    textureOfMaterial = scene.materials.map { material in
      guard let texture = material.baseColorTexture, let file = textures.names[texture] else {
        return -1
      }
      if let known = files.firstIndex(of: file) { return Int32(known) }
      files.append(file)
      return Int32(files.count - 1)
    }
    textureFiles = files
    vertexProperties = PLYCustomRows(
      scene.meshes.map(\.vertexAttributes) + scene.pointClouds.map(\.attributes),
      taken: [
        "x", "y", "z", "nx", "ny", "nz", "red", "green", "blue", "alpha", "confidence",
        "classification",
      ], hasWideIntegers: false)
    faceProperties = PLYCustomRows(
      scene.meshes.map(\.faceAttributes),
      taken: [
        "vertex_indices", "classification", "red", "green", "blue", "alpha", "texcoord",
        "texnumber",
      ], hasWideIntegers: false)
  }

  private var hasTextureNumbers: Bool { textureFiles.count > 1 }
  private var labelType: String { classes?.areWide == true ? "ushort" : "uchar" }

  // MARK: Header

  var header: String {
    var lines = ["ply", "format \(isText ? "ascii" : "binary_little_endian") 1.0"]
    lines.append("comment written by \(scene.coordinateSystem.declaration)")
    lines += textureFiles.map { "comment TextureFile \($0)" }
    lines += (classes?.remarks ?? []).map { "comment \($0.text)" }
    lines += remarks.map { "comment \($0)" }
    lines.append("element vertex \(scene.vertexCount + scene.pointCount)")
    lines += ["x", "y", "z"].map { "property \(origin == .zero ? "float" : "double") \($0)" }
    if hasNormals { lines += ["nx", "ny", "nz"].map { "property float \($0)" } }
    if hasColors { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
    if hasAlpha { lines.append("property uchar alpha") }
    if hasConfidences { lines.append("property float confidence") }
    if hasPointClasses { lines.append("property \(labelType) classification") }
    lines += vertexProperties.properties.map { "property \($0.type.plyName) \($0.name)" }
    if scene.faceCount > 0 {
      lines.append("element face \(scene.faceCount)")
      lines.append("property list uchar int vertex_indices")
      if hasFaceClasses { lines.append("property \(labelType) classification") }
      if hasFaceColors { lines += ["red", "green", "blue"].map { "property uchar \($0)" } }
      if hasFaceAlpha { lines.append("property uchar alpha") }
      if hasTextureCoordinates { lines.append("property list uchar float texcoord") }
      if hasTextureNumbers { lines.append("property int texnumber") }
      lines += faceProperties.properties.map { "property \($0.type.plyName) \($0.name)" }
    }
    return (lines + ["end_header", ""]).joined(separator: "\n")
  }

  // MARK: Vertices

  func writeVertices(to writer: FileWriter) throws {
    for mesh in scene.meshes {
      var points = mesh.vertexPoints
      points.normals = mesh.meanVertexNormals
      try write(points, labels: nil, to: writer)
    }
    for (index, cloud) in scene.pointClouds.enumerated() {
      try write(cloud, labels: classes?.numbers(ofCloud: index, in: scene), to: writer)
    }
  }

  /// Parts without an attribute that others have get a neutral value.
  private func write(
    _ vertices: PointCloud, labels: [UInt16]?, to writer: FileWriter
  ) throws {
    let isWide = labelType == "ushort"
    let properties = vertexProperties.values(of: vertices.attributes)
    try writer.write(count: vertices.positions.count) { range, buffer in
      let row = PLYRow(isText: isText)
      for vertex in range {
        row.append(vertices.positions[vertex], origin: origin, to: &buffer)
        if hasNormals { row.append(vertices.normals?[vertex] ?? .zero, to: &buffer) }
        if hasColors {
          let color = vertices.colors?[vertex] ?? .white
          row.append(color, hasAlpha: hasAlpha, to: &buffer)
        }
        if hasConfidences { row.append(vertices.confidences?[vertex] ?? 0, to: &buffer) }
        if hasPointClasses {
          row.append(label: labels?[vertex] ?? 0, isWide: isWide, to: &buffer)
        }
        for property in properties { row.append(property, of: vertex, to: &buffer) }
        row.end(&buffer)
      }
    }
  }

  // MARK: Faces

  func writeFaces(to writer: FileWriter) throws {
    var firstVertex: UInt32 = 0
    for (index, mesh) in scene.meshes.enumerated() {
      let labels = hasFaceClasses ? classes?.numbers(ofMesh: index, in: scene) : nil
      try write(mesh, labels: labels, firstVertex: firstVertex, to: writer)
      firstVertex += UInt32(mesh.vertexCount)
    }
  }

  private func write(
    _ mesh: Mesh, labels: [UInt16]?, firstVertex: UInt32, to writer: FileWriter
  ) throws {
    let isWide = labelType == "ushort"
    let properties = faceProperties.values(of: mesh.faceAttributes)
    let colors = hasFaceColors ? mesh.meanFaceColors : nil
    try writer.write(count: mesh.faceCount) { faces, buffer in
      let row = PLYRow(isText: isText)
      for face in faces {
        row.append(UInt8(3), to: &buffer)
        for corner in 3 * face..<3 * face + 3 {
          row.append(Int32(mesh.indices[corner] + firstVertex), to: &buffer)
        }
        if let labels { row.append(label: labels[face], isWide: isWide, to: &buffer) }
        if hasFaceColors {
          row.append(colors?[face] ?? .white, hasAlpha: hasFaceAlpha, to: &buffer)
        }
        if hasTextureCoordinates {
          row.append(UInt8(6), to: &buffer)
          for corner in 3 * face..<3 * face + 3 {
            let position = mesh.textureCoordinates?[corner] ?? .zero
            row.append(position.x, to: &buffer)
            row.append(position.y, to: &buffer)
          }
        }
        if hasTextureNumbers {
          let material = mesh.faceMaterials.map { Int($0[face]) }
          row.append(material.map { textureOfMaterial[$0] } ?? -1, to: &buffer)
        }
        for property in properties { row.append(property, of: face, to: &buffer) }
        row.end(&buffer)
      }
    }
  }
}
