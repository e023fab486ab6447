import MeshTestSupport
import MeshpipeScene
import Testing

@testable import SurfaceKernels

struct HalfedgeFacesTests {
  /// Faces that meet in any way: each fan of them has a vertex of its own, from which all of it is reached.
  @Test(arguments: 0..<50) func `each fan has its own vertex`(seed: Int) {
    var generator = SplitMix64(seed: UInt64(seed))
    var indices: [UInt32] = []
    for _ in 0..<2 + seed / 2 {
      let corners = (0..<3).map { _ in UInt32(generator.unit() * 12) }
      if Set(corners).count == 3 { indices += corners }
    }
    let (faces, originals, _) = HalfedgeFaces.split(indices, vertexCount: 12)
    var starts = [UInt32?](repeating: nil, count: originals.count)
    for corner in indices.indices {
      #expect(originals[Int(faces.vertices[corner])] == indices[corner])
      starts[Int(faces.vertices[corner])] = UInt32(corner)
    }
    var isReached = [Bool](repeating: false, count: indices.count)
    for start in starts {
      guard let start else { continue }
      faces.forEachHalfedge(from: start) { isReached[Int($0)] = true }
    }
    #expect(isReached.allSatisfy { $0 })
  }

  @Test func `two triangles that touch in a vertex have three each`() {
    let (faces, originals, isStuck) = HalfedgeFaces.split([0, 1, 2, 3, 4, 0], vertexCount: 5)
    #expect(originals == [0, 1, 2, 3, 4, 0])
    #expect(faces.vertices == [0, 1, 2, 3, 4, 5])
    #expect(isStuck == [Bool](repeating: false, count: 6))
  }
}
