import MeshTestSupport
import MeshpipeScene
import Testing

@testable import Photogrammetry

/// Motions that are known come back.
@Suite struct PlacementFitTests {
  private let points: [SIMD3<Double>] = [
    SIMD3(0, 0, 0), SIMD3(4, 0.5, 0.2), SIMD3(3.5, 6, 1.1), SIMD3(-1, 5, 2.4), SIMD3(1.5, 2, 0.7),
  ]
  private let corner = SIMD3(451_230.25, 5_764_310.5, 87.3)

  private func pairs(
    _ points: [SIMD3<Double>], _ motion: Transform, deviation: Double = 0.01
  ) -> [PlacementFit.Pair] {
    points.map {
      PlacementFit.Pair(
        scan: $0, map: motion.apply(toPoint: $0), deviation: (deviation, 2 * deviation))
    }
  }

  private func expect(_ fit: PlacementFit?, is motion: Transform, within: Double) throws {
    let fit = try #require(fit)
    for point in points {
      #expect(
        (fit.transform.apply(toPoint: point) - motion.apply(toPoint: point)).length < within)
    }
  }

  @Test(arguments: [0.0, 37, 90, 180, -123.4])
  func `two points give the turn and the place of a level scan`(degrees: Double) throws {
    let motion =
      Transform(translation: corner)
      * Transform(rotationAbout: SIMD3(0, 0, 1), by: degrees * .pi / 180)
    let fit = PlacementFit(pairs(Array(points.prefix(2)), motion), .init())
    try expect(fit, is: motion, within: 1e-8)
    #expect(try #require(fit).rootMeanSquare < 1e-8)
  }

  @Test func `a scale is taken where it is free, and is a residual where not`() throws {
    let motion =
      Transform(translation: corner) * Transform(scale: SIMD3(repeating: 1.02))
      * Transform(rotationAbout: SIMD3(0, 0, 1), by: 1)
    var freedom = PlacementFit.Freedom()
    #expect(try #require(PlacementFit(pairs(points, motion), freedom)).rootMeanSquare > 0.03)
    freedom.hasScale = true
    let fit = PlacementFit(pairs(points, motion), freedom)
    try expect(fit, is: motion, within: 1e-8)
    #expect(try abs(#require(fit).scale - 1.02) < 1e-8)
  }

  @Test(
    arguments: [
      SIMD3<Double>(1, 0, 0), SIMD3(0, 1, 0), SIMD3(1, 1, 0), SIMD3(1, -2, 3), SIMD3(0, 0, 1),
    ], [0.3, 1.57, 2.6, 3.14159])
  func `a free turn is found from anywhere`(axis: SIMD3<Double>, angle: Double) throws {
    let motion =
      Transform(translation: corner) * Transform(scale: SIMD3(repeating: 0.97))
      * Transform(rotationAbout: axis.normalized, by: angle)
    var freedom = PlacementFit.Freedom()
    (freedom.isLevel, freedom.hasScale) = (false, true)
    try expect(PlacementFit(pairs(points, motion), freedom), is: motion, within: 1e-6)
  }

  @Test func `points above one another or on a line determine no turn`() {
    let pole = [SIMD3<Double>(1, 2, 0), SIMD3(1, 2, 3)]
    let motion = Transform(translation: corner)
    #expect(PlacementFit(pairs(pole, motion), .init()) == nil)
    var free = PlacementFit.Freedom()
    free.isLevel = false
    let line = (0..<5).map { SIMD3(Double($0), 2 * Double($0), 0.5 * Double($0)) }
    #expect(PlacementFit(pairs(line, motion), free) == nil)
    #expect(PlacementFit([], .init()) == nil)
    var turned = PlacementFit.Freedom()
    turned.turn = 0.5
    #expect(PlacementFit(pairs([SIMD3(1, 2, 3)], motion), turned) != nil)
  }

  @Test func `positions far off do not move a robust fit`() throws {
    let motion =
      Transform(translation: corner) * Transform(rotationAbout: SIMD3(0, 0, 1), by: -0.7)
    var generator = SeededGenerator(seed: 5)
    let walk = (0..<60).map { SIMD3(Double($0), 20 * Double($0 % 20) / 20, 1.5) }
    var pairs = pairs(walk, motion, deviation: 5)
    for index in pairs.indices {
      let error = SIMD3<Double>.random(in: -5...5, using: &generator)
      pairs[index].map += index % 10 == 3 ? SIMD3(300, -200, 40) : error
    }
    var freedom = PlacementFit.Freedom()
    freedom.isRobust = true
    try expect(PlacementFit(pairs, freedom), is: motion, within: 2.5)
  }
}
