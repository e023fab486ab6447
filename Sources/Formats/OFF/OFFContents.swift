import MeshPipeline

/// The contents of an OFF file, in the order of the file.
struct OFFContents {
  var positions: [Vector3] = []
  /// As many as positions, or none; likewise for colours and texture coordinates.
  var normals: [Vector3] = []
  /// Red, green, blue and opacity as written; opacity is negative if missing.
  var colors: [SIMD4<Float>] = []
  var textureCoordinates: [Vector2] = []

  private(set) var indices: [UInt32] = []
  private(set) var polygons: [FacePolygon] = []
  /// Distinct colours of faces, as written.
  private(set) var palette: [SIMD4<Float>] = []
  /// Index into ``palette`` for each triangle, ``missingIndex`` for those without; empty when no
  /// face has one.
  private(set) var faceColors: [UInt32] = []
  /// The number of faces with fewer than three corners.
  private(set) var degenerateCount = 0

  private var indexOfColor: [SIMD4<Float>: UInt32] = [:]

  /// Adds a face as a fan from its first corner.
  mutating func append(face corners: [UInt32], color: SIMD4<Float>?) {
    guard corners.count > 2 else {
      degenerateCount += 1
      return
    }
    let firstFace = indices.count / 3
    for corner in 2..<corners.count {
      indices.append(corners[0])
      indices.append(corners[corner - 1])
      indices.append(corners[corner])
    }
    if corners.count > 3 {
      polygons.append(FacePolygon(firstFace: firstFace, cornerCount: corners.count))
    }
    let number = color.map { self.number(of: $0) } ?? .missingIndex
    if faceColors.isEmpty {
      guard number != .missingIndex else { return }
      faceColors = [UInt32](repeating: .missingIndex, count: firstFace)
    }
    for _ in 2..<corners.count { faceColors.append(number) }
  }

  private mutating func number(of color: SIMD4<Float>) -> UInt32 {
    if let known = indexOfColor[color] { return known }
    let number = UInt32(palette.count)
    indexOfColor[color] = number
    palette.append(color)
    return number
  }

  // MARK: Scene

  func scene(path: String, in context: ReadingContext) throws -> Scene {
    let fileName = FileSystem.name(of: path)
    let name = FileSystem.title(of: path)
    guard !positions.isEmpty else { throw ReadingError.content(path: path, "contains no vertices") }
    context.warnOfBrokenNumbers(positions, in: path)
    if degenerateCount > 0 {
      context.stage.warn(
        "\(fileName): faces of fewer than three corners are left out (\(degenerateCount))")
    }
    var scene = Scene(name: name)
    let vertexColors = colors.isEmpty ? nil : Self.colors(colors)
    let unitNormals = normals.isEmpty ? nil : normals.map(\.normalized)
    guard !indices.isEmpty else {
      var cloud = PointCloud(name: name, positions: positions)
      (cloud.normals, cloud.colors) = (unitNormals, vertexColors)
      scene.pointClouds = [cloud]
      return scene
    }
    var mesh = Mesh(name: name, positions: positions, indices: indices)
    (mesh.normals, mesh.colors) = (unitNormals, vertexColors)
    for polygon in polygons {
      if let order = mesh.cut(of: polygon) {
        mesh.indices.permute(order, from: polygon.firstCorner)
      }
    }
    if !textureCoordinates.isEmpty {
      mesh.textureCoordinates = mesh.indices.map { textureCoordinates[Int($0)] }
    }
    // One colour for all beside those of vertices is a default of programs.
    if !faceColors.isEmpty, vertexColors == nil || palette.count > 1 {
      let colors = Self.colors(palette)
      mesh.faceColors = faceColors.map { $0 == .missingIndex ? .white : colors[Int($0)] }
    }
    scene.meshes = [mesh]
    return scene
  }

  /// Colours from 0 to 1, unless a value shows that they are 0 to 255.
  private static func colors(_ written: [SIMD4<Float>]) -> [Color] {
    let largest = written.reduce(Float(0)) { max($0, $1.max()) }
    let scale: Float = largest > 1 ? 1 : 255
    return written.map { value in
      var color = Color(Vector3(value.x, value.y, value.z), scale: scale)
      if value.w >= 0 { color.alpha = Color.byte(value.w * scale) }
      return color
    }
  }
}
