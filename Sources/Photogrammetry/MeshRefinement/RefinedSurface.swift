import MeshpipeScene

/// The surface while its vertices move: where they are, where they were, and the directions they move in.
struct RefinedSurface: Sendable {
  var positions: [SIMD3<Float>]
  /// Where the vertices were at first.
  let original: [SIMD3<Float>]
  let indices: [UInt32]
  let neighbors: VertexNeighbors
  /// Unit normals, each averaged over two rings of neighbours on its side of a crease; zero without faces.
  private(set) var normals: [SIMD3<Float>] = []
  /// The area around each vertex.
  private(set) var areas: [Float] = []

  /// The cosine (37°) between normals of neighbours from which on they are averaged.
  private static let leastCosine: Float = 0.8
  private static let rings = 2

  init(positions: [Vector3], indices: [UInt32]) {
    self.positions = positions.map(\.simd)
    original = self.positions
    self.indices = indices
    neighbors = VertexNeighbors(indices: indices, vertexCount: positions.count)
    updateNormals()
  }

  /// Computes normals and areas again, after vertices were moved.
  mutating func updateNormals() {
    var sums = [SIMD3<Float>](repeating: .zero, count: positions.count)
    var areas = [Float](repeating: 0, count: positions.count)
    for corner in stride(from: 0, to: indices.count - 2, by: 3) {
      let (a, b, c) = (Int(indices[corner]), Int(indices[corner + 1]), Int(indices[corner + 2]))
      let origin = positions[a]
      let normal = (positions[b] - origin).cross(positions[c] - origin)
      let third = normal.length / 6
      guard third.isFinite else { continue }
      for vertex in [a, b, c] {
        sums[vertex] += normal
        areas[vertex] += third
      }
    }
    self.areas = areas
    normals = sums.map(\.normalized)
    for _ in 0..<Self.rings { normals = averaged(normals) }
  }

  /// The vertices inside the surface: half of what a window at its border shows is something else.
  func innerVertices() -> [Int] { positions.indices.filter { neighbors.isInner[$0] } }

  /// Inner vertices of which no two are neighbours, and each of the others has one as a neighbour.
  func scatteredVertices() -> [Int] {
    var isChosen = [Bool](repeating: false, count: positions.count)
    for vertex in innerVertices() {
      isChosen[vertex] = !neighbors.places(of: vertex).contains {
        isChosen[Int(neighbors.neighbors[$0])]
      }
    }
    return positions.indices.filter { isChosen[$0] }
  }

  private func averaged(_ normals: [SIMD3<Float>]) -> [SIMD3<Float>] {
    Parallel.array(count: normals.count) { vertex in
      let own = normals[vertex]
      var sum = own
      for index in neighbors.places(of: vertex) {
        let other = normals[Int(neighbors.neighbors[index])]
        sum += other * max(0, own.dot(other) - Self.leastCosine)
      }
      return sum.normalized
    }
  }
}
