import MeshPipeline
import Testing

@Suite struct PositionWelderTests {
  /// What welding means, one point after the other.
  private func welded(
    _ points: [Vector3], tags: [UInt32]
  ) -> (firstPoints: [UInt32], vertices: [UInt32]) {
    var numbers: [SIMD4<UInt32>: UInt32] = [:]
    var firstPoints: [UInt32] = []
    let vertices = points.indices.map { index in
      let point = points[index]
      let key = SIMD4(
        (point.x + 0).bitPattern, (point.y + 0).bitPattern, (point.z + 0).bitPattern,
        tags.isEmpty ? 0 : tags[index])
      if let number = numbers[key] { return number }
      let number = UInt32(firstPoints.count)
      numbers[key] = number
      firstPoints.append(UInt32(index))
      return number
    }
    return (firstPoints, vertices)
  }

  /// Points of a coarse grid in no order, some of them -0 or not a number.
  private func points(_ count: Int, grid: UInt64) -> [Vector3] {
    var state: UInt64 = 7
    func next() -> Float {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let step = Float((state >> 33) % grid)
      return step == 0 ? (state >> 40 & 1 == 0 ? 0 : -0.0) : step == 1 ? .nan : step / 7
    }
    return (0..<count).map { _ in Vector3(next(), next(), next()) }
  }

  @Test(arguments: [0, 1, 500, 32_768, 70_000, 140_001])
  func `equal positions become one vertex in the order of their first use`(count: Int) {
    let points = points(count, grid: 30)
    let expected = welded(points, tags: [])
    let (firstPoints, vertices) = PositionWelder.weld(points)
    #expect(firstPoints == expected.firstPoints)
    #expect(vertices == expected.vertices)
  }

  @Test(arguments: [900, 70_000])
  func `points with other tags stay apart`(count: Int) {
    let points = points(count, grid: 9)
    let tags = points.indices.map { UInt32($0 % 3) }
    let expected = welded(points, tags: tags)
    let (firstPoints, vertices) = PositionWelder.weld(points, tags: tags)
    #expect(firstPoints == expected.firstPoints)
    #expect(vertices == expected.vertices)
  }

  @Test func `a point that is everywhere is one vertex`() {
    let points = [Vector3](repeating: Vector3(1, 2, 3), count: 100_000)
    #expect(PositionWelder.weld(points).firstPoints == [0])
  }
}
