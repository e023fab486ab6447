import Foundation
import MeshPipeline
import MeshTestSupport
import Testing

@testable import Formats

/// Outlines of several polygons, whose areas are known.
struct OutlineUnionTests {
  private func rectangle(
    _ x: ClosedRange<Double>, _ y: ClosedRange<Double>
  ) -> [SIMD2<Double>] {
    [
      SIMD2(x.lowerBound, y.lowerBound), SIMD2(x.upperBound, y.lowerBound),
      SIMD2(x.upperBound, y.upperBound), SIMD2(x.lowerBound, y.upperBound),
    ]
  }

  private func areas(_ polygons: [[SIMD2<Double>]]) -> [Double] {
    OutlineUnion(of: polygons).loops.map(PlanFixtures.area)
  }

  private func expect(_ areas: [Double], _ expected: [Double]) {
    #expect(areas.count == expected.count, "\(areas)")
    for (one, other) in zip(areas.sorted(), expected.sorted()) { #expect(abs(one - other) < 1e-6) }
  }

  @Test func `what overlaps, touches, contains and is apart`() {
    expect(areas([rectangle(0...2, 0...2), rectangle(1...3, 1...3)]), [7])
    // With a common side, of which one has a part.
    expect(areas([rectangle(0...2, 0...2), rectangle(2...3, 0.5...1)]), [4.5])
    expect(areas([rectangle(0...2, 0...2), rectangle(0...2, 0...2)]), [4])
    expect(areas([rectangle(0...4, 0...4), rectangle(1...2, 1...2)]), [16])
    expect(areas([rectangle(0...1, 0...1), rectangle(2...3, 0...1)]), [1, 1])
    // At a corner alone.
    expect(areas([rectangle(0...1, 0...1), rectangle(1...2, 1...2)]), [1, 1])
    expect(areas([]), [])
  }

  @Test func `a frame of four bars has a hole`() {
    let bars = [
      rectangle(0...4, 0...0.5), rectangle(0...4, 2.5...3), rectangle(0...0.5, 0...3),
      rectangle(3.5...4, 0...3),
    ]
    expect(areas(bars), [12, -6])
    // Corners between bars that go straight on are none.
    #expect(OutlineUnion(of: bars).loops.map(\.count) == [4, 4])
  }

  @Test func `walls that are nearly in line, as phones measure them, are one outline`() {
    var generator = SeededGenerator(seed: 11)
    var merged = 0
    for _ in 0..<200 {
      // A room of four to seven walls with bends of some degrees, and gaps of tenths of a millimetre at corners.
      let count = Int.random(in: 4...7, using: &generator)
      let corners = (0..<count).map { index -> SIMD2<Double> in
        let angle = (Double(index) + .random(in: -0.2...0.2, using: &generator)) / Double(count)
        return SIMD2(4 * cos(2 * .pi * angle), 3 * sin(2 * .pi * angle))
      }
      let bars = corners.indices.flatMap { index -> [[SIMD2<Double>]] in
        let (a, b) = (corners[index], corners[(index + 1) % count])
        let middle =
          (a + b) / 2 + SIMD2<Double>(1, 1) * Double.random(in: -0.02...0.02, using: &generator)
        return [(a, middle), (middle, b)].map { start, end in
          let along = (end - start) / ((end - start) * (end - start)).sum().squareRoot()
          let left = SIMD2(-along.y, along.x) * 0.05
          let jitter = along * Double.random(in: -3e-4...3e-4, using: &generator)
          return [start - left + jitter, end - left, end + left, start + left + jitter]
        }
      }
      let union = OutlineUnion(of: bars)
      guard union.isMerged else { continue }
      merged += 1
      // Of random points as many are in the outline as in the bars.
      for _ in 0..<200 {
        let bar = bars[Int.random(in: 0..<bars.count, using: &generator)]
        let share = Double.random(in: 0.1...0.9, using: &generator)
        let across = Double.random(in: 0.05...0.95, using: &generator)
        let (low, high) = (bar[0] + (bar[1] - bar[0]) * share, bar[3] + (bar[2] - bar[3]) * share)
        let point = low + (high - low) * across
        let depth = union.loops.count { isInside(point, of: $0) }
        #expect(!depth.isMultiple(of: 2))
      }
    }
    // Of gaps narrower than a nanometre it can't be told what is beside them.
    #expect(merged >= 198)
  }

  @Test func `many bars across each other have the area that counting gives`() {
    var generator = SeededGenerator(seed: 7)
    let bars = (0..<30).map { index -> [SIMD2<Double>] in
      let start = Double(Int.random(in: 0...900, using: &generator)) / 100
      let across = Double(Int.random(in: 0...900, using: &generator)) / 100
      let long = start...start + 3
      let thin = across...across + 0.25
      return index.isMultiple(of: 2) ? rectangle(long, thin) : rectangle(thin, long)
    }
    // Cells of a hundredth have their middles inside or outside of each bar.
    var count = 0
    for x in 0..<1300 {
      for y in 0..<1300 {
        let place = SIMD2(Double(x) + 0.5, Double(y) + 0.5) / 100
        if bars.contains(where: { all(place .> $0[0]) && all(place .< $0[2]) }) { count += 1 }
      }
    }
    #expect(abs(areas(bars).reduce(0, +) - Double(count) / 10_000) < 1e-4)
  }
}
