import MeshPipeline
import MeshTestSupport
import SurfaceKernels
import Testing

@Suite struct PatchIntersectionsTests {
  /// A unit sphere about a point.
  private func sphere(at center: SIMD3<Float>) -> Mesh {
    var mesh = MeshFixtures.sphere(segments: 24, rings: 12)
    for vertex in mesh.positions.indices { mesh.positions[vertex].simd += center }
    return mesh
  }

  private func joined(_ a: Mesh, _ b: Mesh) -> Mesh {
    var mesh = a
    mesh.indices += b.indices.map { $0 + UInt32(a.vertexCount) }
    mesh.positions += b.positions
    return mesh
  }

  @Test(arguments: [
    SIMD3<Float>(0, 0, 0), SIMD3(0.3, 0.2, 0.1), SIMD3(1.9, 0, 0), SIMD3(1.4, 1.4, 0),
    SIMD3(5, 0, 0),
  ])
  func `patches intersect a surface as in one mesh`(shift: SIMD3<Float>) {
    // Two patches that intersect one another, too; the surface has faces side by side and far apart in turn.
    let patches = joined(sphere(at: shift), sphere(at: shift + SIMD3(0.7, 0.5, 0.3)))
    var surface = sphere(at: .zero)
    for place in [0, surface.faceCount / 2] {
      let order = (0..<surface.faceCount / 2).map { (7 * $0 + place) % surface.faceCount }
      surface.indices += order.flatMap { Array(surface.indices[3 * $0..<3 * $0 + 3]) }
    }
    surface.positions.append(Vector3(.nan, 0, 0))
    surface.indices += [0, 1, UInt32(surface.vertexCount - 1)]
    let expected = SelfIntersections(of: joined(patches, surface)).faces
      .filter { $0 < patches.faceCount }
    #expect(SelfIntersections(of: patches, on: surface).faces == expected)
    #expect(!expected.isEmpty)
  }

  @Test func `patches that share vertices with a surface do not intersect it`() {
    let whole = sphere(at: .zero)
    let count = 3 * (whole.faceCount / 3)
    var (patch, surface) = (whole, whole)
    patch.indices = Array(whole.indices[..<count])
    surface.indices = Array(whole.indices[count...])
    #expect(SelfIntersections(of: patch, on: surface).faces.isEmpty)
  }
}
