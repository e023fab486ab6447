import MeshPipeline
import MeshTestSupport
import SurfaceKernels
import Testing

@testable import Photogrammetry

/// The surface of any field is a manifold.
struct DualCellTests {
  @Test func `every crossing of a cell is in one loop`() {
    for configuration in 0..<256 {
      for face in 0...6 {
        let loops = DualCell.loops[Int(DualCell.number(UInt8(configuration), flipping: face))]
        for edge in 0..<12 {
          let (low, high) = DualCell.corners[edge]
          let isCrossed = configuration >> low & 1 != configuration >> high & 1
          #expect(isCrossed == (loops[edge] < loops[15]))
          if !isCrossed { #expect(loops[edge] == 255) }
        }
      }
    }
  }

  @Test func `only cells with one alternating face are flipped there`() {
    let faces = DualCell.repeatedFaces
    #expect(faces[0] == 0 && faces[1] == 0)
    // Two cells of 256 up to symmetry, and each face of a cell, have it (Wenger 2013).
    #expect(faces.contains { $0 != 0 })
    #expect(faces.allSatisfy { $0.nonzeroBitCount <= 1 })
  }

  /// Noise has all configurations, and all pairs of them.
  @Test(arguments: 0..<6) func `the surface of noise is closed and manifold`(seed: UInt64) {
    var generator = SeededGenerator(seed: seed)
    let width = 3
    var keys: Set<UInt64> = []
    for block in 0..<Int32(27) {
      keys.insert(SparseBlocks.key(SIMD3(block % 3, block / 3 % 3, block / 9)))
    }
    var blocks = VoxelBlocks(keys, voxel: 1)
    for block in 0..<blocks.count {
      for voxel in 0..<SparseBlocks.volume {
        let inBlock = SIMD3<Int>(voxel & 7, voxel >> 3 & 7, voxel >> 6)
        let place = SIMD3<Int>(truncatingIfNeeded: blocks.coordinates[block]) &* 8 &+ inBlock
        let isBorder = place.min() == 0 || place.max() == 8 * width - 1
        let value = Float.random(in: -1...1, using: &generator)
        blocks.distances[block * SparseBlocks.volume + voxel] = isBorder ? 1 : value
        blocks.weights[block * SparseBlocks.volume + voxel] = 1
      }
    }
    blocks.finish(minimumWeight: 1)
    let surface = SurfaceExtraction(blocks).surface()
    let mesh = Mesh(positions: surface.positions, indices: surface.indices)
    #expect(mesh.faceCount > 10_000)
    for edge in Edges(mesh) { #expect(edge.valence == 2) }
    // Each vertex has one fan of faces: as many corners as the fan around any of them has.
    let summary = Self.fans(of: mesh)
    #expect(summary.allSatisfy { $0 == 1 })
  }

  /// The number of separate fans of faces around each vertex.
  private static func fans(of mesh: Mesh) -> [Int] {
    var links = [[UInt32: UInt32]](repeating: [:], count: mesh.vertexCount)
    for face in 0..<mesh.faceCount {
      for corner in 0..<3 {
        let vertex = Int(mesh.indices[3 * face + corner])
        links[vertex][mesh.indices[3 * face + (corner + 1) % 3]] =
          mesh.indices[3 * face + (corner + 2) % 3]
      }
    }
    return links.map { link in
      var left = link
      var count = 0
      while let start = left.keys.first {
        var vertex = start
        while let next = left.removeValue(forKey: vertex) { vertex = next }
        count += 1
      }
      return count
    }
  }
}
