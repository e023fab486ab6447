import MeshpipeScene
import SurfaceKernels
import Testing

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

struct CompassNorthTests {
  /// Cameras that turn around, in a plan whose y has a bearing, with errors of the compass in degrees.
  private func views(top: Double, errors: [Double], down: Double = 0.2) -> [CompassNorth.View] {
    errors.enumerated().map { index, error in
      let ahead = 0.7 * Double(index)
      let direction = SIMD3(-sin(ahead), cos(ahead), -down)
      // A camera that is turned to the left of the top looks at a smaller bearing.
      let bearing = top - ahead * 180 / .pi + error
      return CompassNorth.View(direction: direction, bearing: bearing * .pi / 180)
    }
  }

  @Test(arguments: [0.0, 30, 123, -179.5, 270])
  func `north is as far to the left of the top as the top's bearing`(top: Double) throws {
    let north = try #require(CompassNorth(views(top: top, errors: [0, 0, 0, 0, 0])))
    #expect(abs(remainder(north.angle * 180 / .pi - top, 360)) < 1e-9)
    #expect(north.count == 5)
    // Never surer than a compass is.
    #expect(abs(north.uncertainty * 180 / .pi - 10) < 1e-9)
  }

  @Test func `scatter makes it less sure, and a disturbed compass does not count`() throws {
    let errors = [-12.0, 9, 4, -3, 15, -10, 170, -120]
    let north = try #require(CompassNorth(views(top: 40, errors: errors)))
    #expect(north.count == 6)
    #expect(abs(north.angle * 180 / .pi - 40) < 1)
    #expect((12.0...15).contains(north.uncertainty * 180 / .pi))
  }

  @Test func `bearings that disagree, are few, or of cameras that look down tell nothing`() {
    #expect(CompassNorth([]) == nil)
    #expect(CompassNorth(views(top: 0, errors: [0, 0])) == nil)
    #expect(CompassNorth(views(top: 0, errors: [0, 0, 0, 0], down: 2)) == nil)
    #expect(CompassNorth(views(top: 0, errors: [0, 60, 120, 180, 240, 300])) == nil)
    #expect(CompassNorth(views(top: 0, errors: [.nan, .infinity, .nan])) == nil)
  }
}
