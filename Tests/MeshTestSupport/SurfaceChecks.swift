import MeshPipeline

/// What a surface is, found with dictionaries and brute force: slow, and unlike what is tested.
package struct SurfaceSummary: Equatable {
  package var vertices: Int
  package var edges: Int
  package var faces: Int
  package var boundaryEdges: Int
  package var nonManifoldEdges: Int
  package var boundaryLength: Double
  package var area: Double
  package var volume: Double

  package var eulerCharacteristic: Int { vertices - edges + faces }
  package var isClosed: Bool { boundaryEdges == 0 }

  /// Looks at a mesh whose vertices at one place count as one.
  package init(_ meshes: [Mesh]) {
    var numbers: [Vector3: Int] = [:]
    var positions: [SIMD3<Double>] = []
    var edgeFaces: [SIMD2<Int>: Int] = [:]
    (faces, area, volume, boundaryLength) = (0, 0, 0, 0)
    for mesh in meshes {
      for face in 0..<mesh.faceCount {
        let ids = (0..<3).map { corner in
          let position = mesh.positions[Int(mesh.indices[3 * face + corner])]
          if let known = numbers[position] { return known }
          numbers[position] = positions.count
          positions.append(position.double)
          return positions.count - 1
        }
        faces += 1
        let (a, b, c) = (positions[ids[0]], positions[ids[1]], positions[ids[2]])
        area += (b - a).cross(c - a).length / 2
        volume += a.dot(b.cross(c)) / 6
        for (one, other) in [(ids[0], ids[1]), (ids[1], ids[2]), (ids[2], ids[0])] {
          edgeFaces[SIMD2(min(one, other), max(one, other)), default: 0] += 1
        }
      }
    }
    vertices = positions.count
    edges = edgeFaces.count
    boundaryEdges = edgeFaces.values.count { $0 == 1 }
    nonManifoldEdges = edgeFaces.values.count { $0 > 2 }
    for (edge, count) in edgeFaces where count == 1 {
      boundaryLength += (positions[edge.x] - positions[edge.y]).length
    }
  }

  package init(_ mesh: Mesh) { self.init([mesh]) }
}

/// Finds the face of a mesh that is nearest to a point, by looking at all of them near by.
package struct NearestFace {
  private let mesh: Mesh
  private let cellSize: Double
  private var cells: [SIMD3<Int>: [Int]] = [:]
  private var corners: [SIMD3<Double>]
  private var normals: [SIMD3<Double>] = []

  /// - Parameter cellSize: About the length of the longest edges.
  package init(_ mesh: Mesh, cellSize: Double) {
    self.mesh = mesh
    self.cellSize = cellSize
    corners = mesh.indices.map { mesh.positions[Int($0)].double }
    for face in 0..<mesh.faceCount {
      let (a, b, c) = (corners[3 * face], corners[3 * face + 1], corners[3 * face + 2])
      normals.append((b - a).cross(c - a))
      let low = cell(pointwiseMin(a, pointwiseMin(b, c)))
      let high = cell(pointwiseMax(a, pointwiseMax(b, c)))
      for x in low.x...high.x {
        for y in low.y...high.y {
          for z in low.z...high.z { cells[SIMD3(x, y, z), default: []].append(face) }
        }
      }
    }
  }

  private func cell(_ point: SIMD3<Double>) -> SIMD3<Int> {
    SIMD3(
      Int((point.x / cellSize).rounded(.down)), Int((point.y / cellSize).rounded(.down)),
      Int((point.z / cellSize).rounded(.down)))
  }

  /// The nearest face and its distance, when there is one within a cell's size.
  package func callAsFunction(_ point: SIMD3<Double>) -> (face: Int, distance: Double)? {
    let center = cell(point)
    var best: (face: Int, distance: Double)?
    for x in -1...1 {
      for y in -1...1 {
        for z in -1...1 {
          for face in cells[center &+ SIMD3(x, y, z)] ?? [] {
            let distance = self.distance(point, face)
            if distance < best?.distance ?? cellSize { best = (face, distance) }
          }
        }
      }
    }
    return best
  }

  /// The normal of a face, as long as twice its area.
  package func normal(ofFace face: Int) -> SIMD3<Double> { normals[face] }

  /// The distance of a point from a triangle: from its plane inside, else from its three sides.
  private func distance(_ point: SIMD3<Double>, _ face: Int) -> Double {
    let normal = normals[face].normalized
    var inside = normal != .zero
    var nearest = Double.infinity
    for side in 0..<3 {
      let start = corners[3 * face + side]
      let edge = corners[3 * face + (side + 1) % 3] - start
      let offset = point - start
      if normal.dot(edge.cross(offset)) < 0 { inside = false }
      let along = min(1, max(0, offset.dot(edge) / max(edge.lengthSquared, 1e-300)))
      nearest = min(nearest, (offset - edge * along).length)
    }
    return inside ? abs(normal.dot(point - corners[3 * face])) : nearest
  }
}
