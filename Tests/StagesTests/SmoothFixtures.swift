import Foundation
import MeshPipeline
import MeshTestSupport

extension Mesh {
  /// The mesh with each vertex moved by Gaussian noise along a direction.
  func withNoise(
    _ deviation: Double, along direction: (SIMD3<Double>) -> SIMD3<Double>
  ) -> Mesh {
    var generator = SeededGenerator(seed: 4)
    var mesh = self
    for vertex in positions.indices {
      let (a, b) = (
        Double.random(in: 1e-9...1, using: &generator), Double.random(in: 0...1, using: &generator)
      )
      let amount = deviation * (-2 * log(a)).squareRoot() * cos(2 * Double.pi * b)
      let position = positions[vertex].double
      mesh.positions[vertex] = Vector3(SIMD3<Float>(position + amount * direction(position)))
    }
    return mesh
  }

  var meanHeight: Double {
    positions.reduce(0) { $0 + Double(abs($1.y)) } / Double(vertexCount)
  }

  /// A closed cube with sides of some unit cells, from the origin, wound outwards.
  static func cube(cells: Int) -> Mesh {
    var mesh = Mesh(name: "cube")
    var numbers: [Vector3: UInt32] = [:]
    func vertex(_ position: SIMD3<Int>) -> UInt32 {
      let position = Vector3(SIMD3<Float>(position))
      if let known = numbers[position] { return known }
      numbers[position] = UInt32(mesh.positions.count)
      mesh.positions.append(position)
      return UInt32(mesh.positions.count - 1)
    }
    for axis in 0..<3 {
      let (u, v) = ((axis + 1) % 3, (axis + 2) % 3)
      for side in [0, cells] {
        for i in 0..<cells {
          for j in 0..<cells {
            let quad = [(0, 0), (1, 0), (1, 1), (0, 1)].map { a, b in
              var position = SIMD3<Int>.zero
              position[axis] = side
              position[u] = i + a
              position[v] = j + b
              return vertex(position)
            }
            let ring = side == 0 ? Array(quad.reversed()) : quad
            mesh.indices += [ring[0], ring[1], ring[2], ring[0], ring[2], ring[3]]
          }
        }
      }
    }
    return mesh
  }

  /// Whether a face of such a cube has a vertex on one of its twelve edges.
  func touchesEdge(_ face: Int, cells: Float) -> Bool {
    (3 * face..<3 * face + 3).contains { corner in
      let position = positions[Int(indices[corner])]
      return [position.x, position.y, position.z].count { $0 == 0 || $0 == cells } > 1
    }
  }
}

extension Mesh {
  /// The mesh with each vertex moved by Gaussian noise along the mean normal of its faces.
  func withNoise(_ deviation: Double) -> Mesh {
    var normals = [SIMD3<Double>](repeating: .zero, count: vertexCount)
    for corner in indices.indices { normals[Int(indices[corner])] += areaVector(corner / 3) }
    var vertex = -1
    return withNoise(deviation) { _ in
      vertex += 1
      return normals[vertex].normalized
    }
  }

  /// The mean length of the edges, each counted for each of its faces.
  var meanEdgeLength: Double {
    let lengths = indices.indices.map { corner in
      let end = corner % 3 == 2 ? corner - 2 : corner + 1
      return (positions[Int(indices[end])].double - positions[Int(indices[corner])].double).length
    }
    return lengths.reduce(0, +) / Double(lengths.count)
  }
}

/// The normal of a cube with sides of some unit cells, at a vertex; on edges and in corners, the mean.
func cubeNormal(_ position: SIMD3<Double>, cells: Int) -> SIMD3<Double> {
  let half = Double(cells) / 2
  let offset = position - SIMD3(repeating: half)
  return offset.replacing(with: 0, where: abs(offset) .< half - 0.01).normalized
}

func abs(_ vector: SIMD3<Double>) -> SIMD3<Double> {
  vector.replacing(with: -vector, where: vector .< 0)
}
