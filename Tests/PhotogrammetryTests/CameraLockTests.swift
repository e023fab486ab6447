import MeshPipeline
import Testing

@testable import Photogrammetry

struct CameraLockTests {
  private static func moment(_ time: Double, _ pose: Transform) -> CameraLock.Moment {
    CameraLock.Moment(time: time, pose: pose)
  }

  @Test(arguments: [SIMD3(1.0, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1), SIMD3(0.6, 0, 0.8)])
  func `the turn is that about any axis, of cameras held in any way`(axis: SIMD3<Double>) {
    let held = Transform(rotationAbout: SIMD3(0, 0, 1), by: 1.2)
    for degrees in [0, 0.001, 0.3, 0.7, 90, 179] {
      let angle = Angle(degrees: degrees).radians
      let strays = CameraLock.strays(
        of: [
          Self.moment(0, held),
          Self.moment(1, held * Transform(rotationAbout: axis, by: angle)),
        ], within: 2)
      #expect(strays.count == 1)
      #expect(abs(strays[0].radians - angle) < 1e-9, "\(degrees)")
      #expect(strays[0].shift == 0)
    }
  }

  @Test func `only what is not farther apart than the span is compared`() {
    // One millimetre in each second.
    let moments = (0...5).map {
      Self.moment(Double($0), Transform(translation: SIMD3(0.001 * Double($0), 0, 0)))
    }
    func shifts(_ seconds: Double) -> [Double] {
      CameraLock.strays(of: moments, within: seconds).map { ($0.shift * 1e4).rounded() / 10 }
    }
    #expect(shifts(2) == [1, 2, 2, 2, 2])
    #expect(shifts(0.5) == [0, 0, 0, 0, 0])
    #expect(shifts(60) == [1, 2, 3, 4, 5])
    #expect(CameraLock.strays(of: [], within: 2) == [])
  }

  @Test func `a camera that comes back has strayed`() {
    let away = Transform(translation: SIMD3(0, 0.003, 0))
    let strays = CameraLock.strays(
      of: [Self.moment(0, .identity), Self.moment(0.5, away), Self.moment(1, .identity)], within: 2)
    #expect(strays.map(\.shift) == [0.003, 0.003])
  }
}

struct DepthBarrierTests {
  private static let size = SIMD2(200, 100)

  /// A wall, and a barrier before a part of the columns of the centred grid.
  private static func map(
    wall: Float = 2, barrier: Float? = nil, before share: Double = 0, missing: Float? = nil
  ) -> DepthMap {
    let edge = Int((Double(size.x) * (0.2 + 0.6 * share)).rounded())
    return DepthMap(
      width: size.x, height: size.y,
      meters: (0..<size.x * size.y).map { pixel in
        let x = pixel % size.x
        if let missing, Float(x) < missing { return 0 }
        return x < edge ? barrier ?? wall : wall
      })
  }

  @Test func `the grid fills 36 % of the picture, whatever is around it`() {
    var map = Self.map(wall: 9)
    for y in 20..<80 { for x in 40..<160 { map.meters[y * Self.size.x + x] = 2 } }
    let cells = DepthCells(map)
    #expect(cells.depths.count == 400 && cells.depths.allSatisfy { $0 == 2 })
    #expect(abs(120.0 * 60 / Double(map.meters.count) - 0.36) < 1e-9)
  }

  @Test(arguments: [0.55, 0.65, 1])
  func `coverage and separation are those of the barrier`(share: Double) throws {
    let barrier = try #require(
      DepthBarrier(background: [DepthCells(Self.map()), DepthCells(Self.map())]))
    let reading = barrier.reading(DepthCells(Self.map(barrier: 1.94, before: share)))
    #expect(abs(reading.coverage - share) < 1e-9)
    #expect(abs(try #require(reading.separation) - 0.06) < 1e-6)
  }

  @Test func `what is within the noise or without a depth is not covered`() throws {
    let barrier = try #require(DepthBarrier(background: [DepthCells(Self.map())]))
    #expect(barrier.reading(DepthCells(Self.map(barrier: 1.98, before: 1))).coverage == 0)
    #expect(barrier.reading(DepthCells(Self.map(barrier: 2.5, before: 1))).coverage == 0)
    // Most of the picture has no depth: too near for the sensor, perhaps.
    let near = barrier.reading(DepthCells(Self.map(missing: 130)))
    #expect(near.coverage == 0 && near.separation == nil)
  }

  @Test func `a background that is hardly known is none`() {
    #expect(DepthBarrier(background: []) == nil)
    #expect(DepthBarrier(background: [DepthCells(Self.map(missing: 130))]) == nil)
    #expect(DepthBarrier(background: [DepthCells(Self.map(missing: 70))]) != nil)
  }
}
