import MeshPipeline
import MeshTestSupport
import Testing

@Suite struct BoxTests {
  @Test func `the cube's box is the cube`() {
    let box = MeshFixtures.cube.bounds
    #expect(box.minimum == SIMD3(0, 0, 0))
    #expect(box.maximum == SIMD3(1, 1, 1))
    #expect(box.extent == 1)
  }

  @Test func `an empty box has no size and holds nothing`() {
    let box = Box()
    #expect(box.isEmpty)
    #expect(box.size == .zero)
    #expect(!box.contains(.zero))
  }

  @Test func `points that are not finite do not count`() {
    let box = Box([Vector3(.nan, 0, 0), Vector3(1, 2, 3), Vector3(.infinity, 0, 0)])
    #expect(box.minimum == SIMD3(1, 2, 3))
    #expect(box.maximum == SIMD3(1, 2, 3))
  }
}
