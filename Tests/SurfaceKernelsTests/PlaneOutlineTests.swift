import MeshPipeline
import MeshTestSupport
import Testing

@testable import SurfaceKernels

struct PlaneOutlineTests {
  typealias Point = SIMD2<Double>

  /// An L of 6 m by 4 m, of which a corner of 3 m by 2 m is missing, with a window of 1 m by 1 m.
  private static let outline = [
    Point(-3, -2), Point(3, -2), Point(3, 0), Point(0, 0), Point(0, 2), Point(-3, 2),
  ]
  private static let window = [
    Point(-2, -0.5), Point(-1, -0.5), Point(-1, -1.5), Point(-2, -1.5),
  ]

  private static func covers(_ point: Point) -> Bool {
    let isMissing = point.x > 0 && point.y > 0
    let isWindow = point.x > -2 && point.x < -1 && point.y > -1.5 && point.y < -0.5
    return !isMissing && !isWindow && abs(point.x) < 3 && abs(point.y) < 2
  }

  private func expectOutline(_ found: PlaneOutline, within distance: Double) {
    #expect(found.loops.map(\.count).sorted() == [4, 6])
    for corner in Self.outline + Self.window {
      let nearest = found.loops.joined().map { (($0 - corner) * ($0 - corner)).sum() }.min()
      #expect((nearest ?? .infinity).squareRoot() < distance, "\(corner)")
    }
    let area = found.loops.reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    #expect(abs(area - 17) < 0.35)
    let triangles = PolygonTriangulation.triangles(ofLoops: found.loops)
    let expected = 3 * (6 + 4 + 2 - 2)
    #expect(triangles?.count == expected)
  }

  @Test(arguments: 0..<8) func `points give straight sides, corners and openings`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    let points = (0..<40_000).map { _ in
      Point(.random(in: -3...3, using: &random), .random(in: -2...2, using: &random))
    }.filter(Self.covers)
    // 2.6 cm apart in the mean; the largest empty circles have three times that.
    let found = PlaneOutline(size: Point(6, 4), spacing: 0.026, gap: 0.13) { coverage in
      for point in points { coverage.cover(point) }
    }
    expectOutline(found, within: 0.07)
  }

  @Test(arguments: 0..<8) func `ragged faces give straight sides, corners and openings`(seed: Int) {
    var random = SeededGenerator(seed: UInt64(seed))
    // Squares of 5 cm, of which those at borders are there or not, and some elsewhere are missing.
    let found = PlaneOutline(size: Point(6, 4), spacing: 0.05, gap: 0.125) { coverage in
      for row in 0..<80 {
        for column in 0..<120 {
          let low = Point(Double(column), Double(row)) * 0.05 - Point(3, 2)
          guard Self.covers(low + 0.025), Double.random(in: 0...1, using: &random) < 0.97 else {
            continue
          }
          let high = low + 0.05
          coverage.cover(low, Point(high.x, low.y), high)
          if .random(using: &random) { coverage.cover(low, high, Point(low.x, high.y)) }
        }
      }
    }
    expectOutline(found, within: 0.1)
  }

  @Test func `one triangle, a line and nothing are no reason to fail`() {
    let triangle = PlaneOutline(size: Point(2, 1), spacing: 1, gap: 0) {
      $0.cover(Point(-1, -0.5), Point(1, -0.5), Point(0, 0.5))
    }
    #expect(triangle.loops.count <= 1)
    let line = PlaneOutline(size: Point(2, 0), spacing: 0.01, gap: 0.1) { coverage in
      for step in 0...200 { coverage.cover(Point(Double(step) / 100 - 1, 0)) }
    }
    #expect((PolygonTriangulation.triangles(ofLoops: line.loops)?.count ?? 1) % 3 == 0)
    #expect(PlaneOutline(size: .zero, spacing: 1, gap: 1) { _ in }.loops.isEmpty)
    #expect(PlaneOutline(size: Point(1, 1), spacing: 0.1, gap: 1) { _ in }.loops.isEmpty)
    #expect(PlaneOutline(size: Point(.nan, 1), spacing: 0.1, gap: 1) { _ in }.loops.isEmpty)
    let far = PlaneOutline(size: Point(1, 1), spacing: 0.1, gap: 0.2) {
      $0.cover(Point(1e30, -1e30))
      $0.cover(Point(.nan, 0))
    }
    #expect(far.loops.isEmpty)
  }
}
