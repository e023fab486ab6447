import MeshPipeline

/// The texture coordinates and colours of a mesh's corners, if any.
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

  /// The maximum number of colours that become materials; more become vertex colours.
  private static let mostFaceColors = 4096

  /// Gives a mesh its texture coordinates, and its colours if they belong to vertices.
  ///
  /// 3MF has only colours of corners. They become vertex colours if all corners of each vertex
  /// agree, or if corners of one face differ; then a vertex with several colours is split.
  /// - Returns: The colour of each face, if the colours belong to faces.
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

  /// A colour for each vertex, white for those that no face uses; nil if the corners of one
  /// disagree.
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
