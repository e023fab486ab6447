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
    var blocks = VoxelBlocks(Self.cube(width: 3), voxel: 1)
    blocks.fill(inside: 23, using: &generator)
    expectManifold(SurfaceExtraction(FusedField(blocks: blocks)).surface())
  }

  /// Blocks of finer cells are scattered among the coarse ones, so that they meet at faces, edges and corners.
  @Test(arguments: 0..<4, [2, 4]) func `cells of two sizes meet without a gap`(
    seed: UInt64, ratio: Int
  ) {
    var generator = SeededGenerator(seed: 100 + seed)
    var blocks = VoxelBlocks(Self.cube(width: 3), voxel: 1)
    blocks.fill(inside: 23, using: &generator)
    // Those whose last corners are coarse voxels, too.
    let leaves = Self.cube(width: Int32(3 * ratio - 1)).filter { _ in Bool.random(using: &generator)
    }
    let corners = leaves.flatMap { key in
      Self.cube(width: 2).map {
        SparseBlocks.key(SparseBlocks.coordinates(key) &+ SparseBlocks.coordinates($0))
      }
    }
    let width = 1 / Float(ratio)
    var fine = VoxelBlocks(Set(corners), voxel: width, offset: (1 - width) / 2)
    fine.fill(inside: 23 * ratio, using: &generator)
    let field = FusedField(
      blocks: blocks, details: FusedField.Details(blocks: fine, ratio: ratio, leaves: leaves))
    let surface = SurfaceExtraction(field).surface()
    #expect(surface.starts.allSatisfy { $0[$0.count - 1] > 1000 })
    expectManifold(surface)
  }

  /// The keys of the blocks of a cube that begins at the origin.
  private static func cube(width: Int32) -> Set<UInt64> {
    Set(
      (0..<width * width * width).map {
        SparseBlocks.key(SIMD3($0 % width, $0 / width % width, $0 / width / width))
      })
  }

  private func expectManifold(_ surface: FusedSurface) {
    let mesh = Mesh(positions: surface.positions, indices: surface.indices)
    #expect(mesh.faceCount > 10_000)
    #expect(Edges(mesh).allSatisfy { $0.valence == 2 })
    // Each vertex has one fan of faces: as many corners as the fan around any of them has.
    #expect(Self.fans(of: mesh).allSatisfy { $0 <= 1 })
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

extension VoxelBlocks {
  /// Noise from −1 to 1 between the voxel at the origin and the one at some coordinate along each axis, and 1 elsewhere.
  fileprivate mutating func fill(inside end: Int, using generator: inout SeededGenerator) {
    for voxel in distances.indices {
      let block = SIMD3<Int>(truncatingIfNeeded: coordinates[voxel / SparseBlocks.volume])
      let place = block &* 8 &+ SparseBlocks.place(of: voxel)
      let isBorder = place.min() <= 0 || place.max() >= end
      let value = Float.random(in: -1...1, using: &generator)
      distances[voxel] = isBorder ? 1 : value
      weights[voxel] = 1
    }
  }
}
