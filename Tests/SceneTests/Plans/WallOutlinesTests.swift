import MeshPipeline
import MeshTestSupport
import Testing

/// Outlines of walls that meet.
struct WallOutlinesTests {
  private func storey(_ walls: [Building.Wall]) -> Building.Storey {
    var storey = Building.Storey(
      name: "", elevation: 0, height: Building.Dimension(TwoRoomBuilding.height))
    storey.walls = walls
    return storey
  }

  @Test func `corners are mitred, and a wall between others ends at their faces`() {
    let storey = TwoRoomBuilding.twoRooms().storeys[0]
    let outlines = storey.wallOutlines
    // A mitred rectangle covers the ring between its faces once.
    let ring = outlines.prefix(4).reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    #expect(abs(ring - (6.3 * 4.3 - 5.7 * 3.7)) < 1e-12)
    #expect(abs(PolygonTriangulation.signedArea(of: outlines[4]) - 3.7 * 0.1) < 1e-12)
    #expect(outlines[4].allSatisfy { 0.15 - 1e-12...3.85 + 1e-12 ~= $0.y })
  }

  @Test func `walls of other thickness and angle leave no gap at a corner`() {
    let corner = storey([
      TwoRoomBuilding.wall("a", SIMD2(0, 0), SIMD2(4, 0), 0.3),
      TwoRoomBuilding.wall("b", SIMD2(4, 0), SIMD2(7, 3), 0.1),
    ])
    let outlines = corner.wallOutlines
    let shared = Set(outlines[0].map(rounded)).intersection(outlines[1].map(rounded))
    #expect(shared.count == 2)
  }

  @Test func `three walls that meet share a point`() {
    let star = storey(
      [SIMD2(3, 0), SIMD2(-3, 0.5), SIMD2(0, 3)].map {
        TwoRoomBuilding.wall("", SIMD2(0, 0), $0, 0.2)
      })
    let outlines = star.wallOutlines
    #expect(outlines.allSatisfy { $0.contains(.zero) })
    // Together they are as large as their union, counted on a grid.
    let sum = outlines.reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    var (covered, doubled) = (0, 0)
    let step = 0.01
    for x in -400..<400 {
      for y in -100..<400 {
        let point = (SIMD2(Double(x), Double(y)) + 0.5) * step
        let count = outlines.count { isInside(point, of: $0) }
        covered += count
        doubled += max(0, count - 1)
      }
    }
    // Points on a common edge may be in both.
    #expect(doubled < 10)
    #expect(abs(Double(covered) * step * step - sum) < 0.01)
  }

  @Test func `a round wall is a part of a ring`() {
    var wall = TwoRoomBuilding.wall("", SIMD2(0, 0), SIMD2(2, 0), 0.2)
    wall.bulge = 1
    #expect(abs(wall.course.length - .pi) < 1e-12)
    #expect(abs(wall.course.point(at: 0.5).y + 1) < 1e-12)
    let area = PolygonTriangulation.signedArea(of: storey([wall]).wallOutlines[0])
    #expect(abs(area - 0.2 * .pi) < 0.001)
    wall.bulge = -0.4
    #expect(wall.course.point(at: 0.5).y > 0)
    #expect(PolygonTriangulation.signedArea(of: storey([wall]).wallOutlines[0]) > 0)
  }

  private func rounded(_ point: SIMD2<Double>) -> SIMD2<Double> {
    (point * 1e9).rounded(.toNearestOrAwayFromZero) / 1e9
  }
}
