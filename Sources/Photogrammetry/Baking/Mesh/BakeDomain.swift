import MeshpipeScene
import SurfaceKernels

/// The mesh that colours are baked onto, and the graph of its vertices.
package struct BakeDomain: Sendable {
  package let mesh: BakeMesh
  let borders: BakeMeshBorders
  let surface: ObservedSurface
  /// The neighbours of each vertex: see ``BakeMesh/neighbors()``.
  let offsets: [UInt32]
  let neighbors: [UInt32]

  /// - Parameter meshError: In metres: colours are sampled this far from borders.
  init(_ mesh: BakeMesh, on surface: ObservedSurface, meshError: Float) {
    self.mesh = mesh
    self.surface = surface
    (offsets, neighbors) = mesh.neighbors()
    borders = BakeMeshBorders(mesh, inset: surface.scale.units(meters: meshError))
  }

  /// The mean distance of each vertex to its neighbours.
  func spacing() -> [Float] {
    Parallel.array(count: mesh.vertexCount) { vertex in
      let range = Int(offsets[vertex])..<Int(offsets[vertex + 1])
      guard !range.isEmpty else { return 0 }
      let origin = mesh.positions[vertex].simd
      var sum: Float = 0
      for index in range { sum += (mesh.positions[Int(neighbors[index])].simd - origin).length }
      return sum / Float(range.count)
    }
  }

  /// The colours, with those of vertices that no frame sees (whose fourth component is 0) filled from
  /// their surroundings.
  func filled(_ colors: [SIMD4<Float>]) -> [SIMD4<Float>] {
    var colors = colors
    ColorDiffusion.fill(
      &colors, offsets: offsets, neighbors: neighbors,
      places: PositionWelder.weld(mesh.positions).vertices)
    return colors
  }
}
