import MeshPipeline

/// The texture coordinates and colours of a mesh's corners, as far as they have any.
struct ThreeMFCorners {
  private let count: Int
  private var coordinates: [Vector2] = []
  private var colors: [Color?] = []

  init(count: Int) { self.count = count }

  mutating func set(_ corner: Int, _ coordinates: Vector2?, _ color: Color?) {
    if let coordinates {
      if self.coordinates.isEmpty { self.coordinates = [Vector2](repeating: .zero, count: count) }
      self.coordinates[corner] = coordinates
    }
    if let color {
      if colors.isEmpty { colors = [Color?](repeating: nil, count: count) }
      colors[corner] = color
    }
  }

  /// More colours than a legend has; vertices bear them then.
  private static let mostFaceColors = 4096

  /// Gives a mesh its texture coordinates, and its colours when it is vertices that have them.
  ///
  /// 3MF has colours of corners only. They are those of vertices when all corners of each vertex agree,
  /// or when corners of one face differ; then a vertex of several colours becomes several vertices.
  /// - Returns: The colour of each face, when it is faces that have them.
  func attach(to mesh: inout Mesh) -> [Color?]? {
    if !coordinates.isEmpty { mesh.textureCoordinates = coordinates }
    guard !colors.isEmpty else { return nil }
    let colorsOfVertices = vertexColors(mesh)
    let isUniform = (0..<mesh.faceCount).allSatisfy { face in
      let first = colors[3 * face]
      return colors[3 * face + 1] == first && colors[3 * face + 2] == first
    }
    if isUniform {
      let colorsOfFaces = (0..<mesh.faceCount).map { colors[3 * $0] }
      let distinct = Set(colorsOfFaces).count
      if distinct == 1 || distinct <= Self.mostFaceColors && colorsOfVertices == nil {
        return colorsOfFaces
      }
    }
    if let colorsOfVertices {
      mesh.colors = colorsOfVertices
    } else {
      split(&mesh)
    }
    return nil
  }

  /// A colour for each vertex, white for those that no face uses; nil when corners of one disagree.
  private func vertexColors(_ mesh: Mesh) -> [Color]? {
    var result = [Color?](repeating: nil, count: mesh.vertexCount)
    for (corner, vertex) in mesh.indices.enumerated() {
      let color = colors[corner] ?? .white
      if let known = result[Int(vertex)], known != color { return nil }
      result[Int(vertex)] = color
    }
    return result.map { $0 ?? .white }
  }

  private func split(_ mesh: inout Mesh) {
    var vertices = SplitCorners(vertexCount: mesh.vertexCount)
    let indices = mesh.indices.enumerated().map { corner, vertex in
      vertices.number(corner: UInt32(corner), vertex: vertex) { colors[Int($0)] == colors[Int($1)] }
    }
    mesh.colors = vertices.corners.map { colors[Int($0)] ?? .white }
    mesh.positions = vertices.vertices.map { mesh.positions[Int($0)] }
    mesh.indices = indices
  }
}
