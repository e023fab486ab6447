import MeshPipeline
import MeshTestSupport
import Testing

@testable import SurfaceKernels

@Suite struct SpatialOrderTests {
  /// Points spread at random over a box of 8 × 4 × 2.
  private func points(_ count: Int) -> [Vector3] {
    var random = SeededGenerator(seed: 7)
    return (0..<count).map { _ in
      Vector3(
        .random(in: 0...8, using: &random), .random(in: 0...4, using: &random),
        .random(in: 0...2, using: &random))
    }
  }

  @Test func `every point is there once, along the curve`() {
    let points = points(60_000)
    let order = SpatialOrder(of: points).indices
    #expect(order.sorted() == Array(0..<60_000))
    let box = Box(points)
    // Bit by bit: the first that differs from cell to cell says which comes first.
    func precedes(_ one: UInt32, _ other: UInt32) -> Bool {
      let cells = [one, other].map { (points[Int($0)].simd - box.minimum) / box.extent * 1023 }
      for bit in (0..<10).reversed() {
        for axis in [2, 1, 0] {
          let bits = cells.map { Int(min(max($0[axis], 0), 1023)) >> bit & 1 }
          if bits[0] != bits[1] { return bits[0] < bits[1] }
        }
      }
      return one < other
    }
    #expect(zip(order, order.dropFirst()).allSatisfy(precedes))
  }

  @Test func `points at one place are never missed`() {
    let points = points(60_000)
    #expect(!SpatialOrder(of: points).mayCoincide)
    for (one, other) in [(0, 59_999), (31_000, 31_001), (20_000, 45_000)] {
      var doubled = points
      doubled[one] = doubled[other]
      #expect(SpatialOrder(of: doubled).mayCoincide)
    }
    #expect(
      SpatialOrder(of: [Vector3(0, 1, 0), Vector3(1, 1, 1), Vector3(-0.0, 1, 0)]).mayCoincide)
  }

  @Test func `points that are many to a cell, or no numbers, come to an end`() {
    // Two far ones make the cells so wide that the others share one.
    let crowd = points(5_000) + [Vector3(-1e6, 0, 0), Vector3(1e6, 0, 0)]
    #expect(SpatialOrder(of: crowd).mayCoincide)
    let broken = points(100) + [Vector3(.nan, 0, 0), Vector3(.infinity, 0, 0), Vector3(0, .nan, 1)]
    #expect(SpatialOrder(of: broken).indices.sorted() == Array(0..<103))
    #expect(SpatialOrder(of: []).indices.isEmpty)
  }
}
