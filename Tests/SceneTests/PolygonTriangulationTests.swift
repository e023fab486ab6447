import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import MeshpipeScene

struct PolygonTriangulationTests {
  typealias Point = SIMD2<Double>

  private func square(_ center: Point, _ half: Double, clockwise: Bool = false) -> [Point] {
    let corners = [Point(-1, -1), Point(1, -1), Point(1, 1), Point(-1, 1)].map {
      center + $0 * half
    }
    return clockwise ? corners.reversed() : corners
  }

  /// Each triangle is counterclockwise, and no midpoint of one is within a hole or beside the outline.
  private func check(_ loops: [[Point]], faces: Int) throws {
    let points = Array(loops.joined())
    let triangles = try #require(PolygonTriangulation.triangles(ofLoops: loops))
    #expect(triangles.count == 3 * faces)
    var covered = 0.0
    for start in stride(from: 0, to: triangles.count, by: 3) {
      let corners = triangles[start..<start + 3].map { points[$0] }
      let area = PolygonTriangulation.signedArea(of: corners)
      #expect(area >= 0)
      covered += area
    }
    let area = loops.reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    #expect(abs(covered - area) < 1e-9 * area)
  }

  @Test func `a region with holes is covered by triangles`() throws {
    // A polygon of n corners with h holes has n + 2h - 2 triangles.
    let outline = square(.zero, 10)
    try check([outline], faces: 2)
    try check([outline, square(.zero, 1, clockwise: true)], faces: 8)
    let grid = (0..<9).map {
      square(Point(Double($0 % 3), Double($0 / 3)) * 5 - 5, 1, clockwise: true)
    }
    try check([outline] + grid, faces: 4 + 36 + 18 - 2)
    // Two parts, the second one within a hole of the first.
    try check([outline, square(.zero, 5, clockwise: true), square(.zero, 2)], faces: 8 + 2)
  }

  @Test(arguments: 0..<40) func `random stars with random holes are covered`(seed: Int) throws {
    var random = SeededGenerator(seed: UInt64(seed))
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    func star(_ center: Point, _ radii: ClosedRange<Double>, _ count: Int) -> [Point] {
      (0..<count).map { step in
        let angle = 2 * Double.pi * (Double(step) + number(0...0.9)) / Double(count)
        return center + Point(cos(angle), sin(angle)) * number(radii)
      }
    }
    let outline = star(.zero, 8...14, 40)
    var holes: [[Point]] = []
    for x in -1...1 {
      for y in -1...1 where number(0...1) < 0.7 {
        holes.append(star(Point(Double(x), Double(y)) * 3.6, 0.3...1.7, 12).reversed())
      }
    }
    try check([outline] + holes, faces: 40 - 2 + holes.count * (12 + 2))
  }

  @Test func `loops that cross are refused`() {
    #expect(
      PolygonTriangulation.triangles(
        ofLoops: [square(.zero, 2), square(Point(2, 0), 1, clockwise: true)]) == nil)
    // A hole without anything around it.
    #expect(PolygonTriangulation.triangles(ofLoops: [square(.zero, 1, clockwise: true)]) == nil)
    #expect(PolygonTriangulation.triangles(ofLoops: [])?.isEmpty == true)
  }
}
