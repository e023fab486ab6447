import Foundation
import MeshPipeline
import MeshTestSupport
import SurfaceKernels
import Testing

struct BoundaryLoopsTests {
  private func loops(of mesh: Mesh) -> BoundaryLoops { BoundaryLoops(of: mesh, edges: Edges(mesh)) }

  /// A band of quadrilaterals around an axis, turned by half a turn if it is a Moebius strip.
  private func band(segments: Int, isTwisted: Bool) -> Mesh {
    var mesh = Mesh()
    for segment in 0..<segments {
      let angle = 2 * Double.pi * Double(segment) / Double(segments)
      let turn = isTwisted ? angle / 2 : 0
      for side in [-0.3, 0.3] {
        let radius = 1 + side * cos(turn)
        mesh.positions.append(
          Vector3(
            SIMD3<Float>(SIMD3(radius * cos(angle), side * sin(turn), radius * sin(angle)))))
      }
    }
    for segment in 0..<segments {
      let isLast = segment == segments - 1
      let (a, b) = (UInt32(2 * segment), UInt32(2 * segment + 1))
      var (c, d) = isLast ? (UInt32(0), UInt32(1)) : (a + 2, b + 2)
      if isLast, isTwisted { (c, d) = (d, c) }
      mesh.indices += [a, b, c, b, d, c]
    }
    return mesh
  }

  @Test func `a band has two borders, a Moebius strip one along both windings`() {
    let plain = loops(of: band(segments: 16, isTwisted: false))
    #expect(plain.loops.map(\.count) == [16, 16] && plain.mixedLoops.isEmpty)
    let twisted = loops(of: band(segments: 16, isTwisted: true))
    #expect(twisted.loops.isEmpty && twisted.mixedLoops.map(\.count) == [32])
  }

  @Test func `a hole beside a flipped face is found, however many are flipped`() {
    var grid = MeshFixtures.grid(columns: 5, rows: 5)
    // The two faces of the cell in the middle.
    grid.keepFaces((0..<50).map { $0 / 2 != 12 })
    let sound = loops(of: grid)
    #expect(sound.loops.map(\.count).sorted() == [4, 20])
    for flipped in 0..<grid.faceCount {
      var mesh = grid
      mesh.flipFace(flipped)
      let found = loops(of: mesh)
      let lengths = (found.loops + found.mixedLoops).map(\.count).sorted()
      #expect(lengths == [4, 20], "face \(flipped)")
    }
    var reversed = grid
    for face in 0..<grid.faceCount { reversed.flipFace(face) }
    #expect(loops(of: reversed).loops.map(\.count).sorted() == [4, 20])
  }

  @Test func `a Moebius strip's border is measured, and filling says why it stays open`() {
    var mesh = band(segments: 64, isTwisted: true)
    let health = MeshHealth(mesh)
    #expect(health.boundaryEdges == 128)
    #expect(health.boundaryLoops.count == 1)
    #expect(abs((health.boundaryLoops.first ?? 0) - health.boundaryLength) < 1e-9)
    let options = HoleFilling.Options(
      maximumSize: .infinity, maximumEdges: .max, isSmooth: true, allowsIntersections: false,
      openLabels: [])
    let holes = HoleFilling.run(&mesh, options) { _ in }
    #expect(holes.map(\.outcome) == [.mixedWinding])
    #expect(mesh.faceCount == 128)
  }
}
