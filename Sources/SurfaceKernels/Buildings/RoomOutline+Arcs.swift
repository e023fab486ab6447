import MeshpipeScene
import POSIX

extension RoomOutline {
  /// Sides of a round wall are this short, in metres, turn by this much to the next, in radians, and are at least as many as this.
  private static let (longestFacet, turns, leastFacets) = (1.8, 0.05...0.8, 3)
  /// Samples this near to a facet are on the round wall; they scatter by at most this about its circle, in metres.
  private static let (reach, mostSpread) = (0.09, 0.018)
  private static let radii = 0.4...12.0
  /// Gates around a circle that does not fit all samples, in metres, and the share of them that it fits at least.
  private static let (circleGates, leastOnCircle) = ([0.06, 0.045, 0.04], 0.6)

  /// Makes arcs of runs of short sides that turn steadily, where a circle fits what was scanned.
  ///
  /// - Parameter samples: The upright ones of the storey.
  mutating func bend(_ samples: [ScanSamples.Sample]) {
    for loop in loops.indices {
      for run in Self.runs(of: loops[loop]).reversed() {
        if let sides = Self.bent(loops[loop], run, samples) { loops[loop] = sides }
      }
    }
  }

  /// Runs of facets, none of which goes beyond the end of the loop.
  private static func runs(of sides: [Side]) -> [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    var start: Int?
    for index in sides.indices {
      let isFacet = sides[index].length < longestFacet && sides[index].isFace
      var goesOn = false
      if isFacet, let first = start {
        let own = sides[index - 1].turn(into: sides[index])
        let before = index - 1 > first ? sides[index - 2].turn(into: sides[index - 1]) : own
        goesOn = turns.contains(abs(own)) && own * before > 0
      }
      if !goesOn {
        if let first = start, index - first >= leastFacets { result.append(first...index - 1) }
        start = isFacet ? index : nil
      }
    }
    if let first = start, sides.count - first >= leastFacets {
      result.append(first...sides.count - 1)
    }
    return result
  }

  /// The sides with an arc in the place of a run; nil if no circle fits.
  private static func bent(
    _ sides: [Side], _ run: ClosedRange<Int>, _ samples: [ScanSamples.Sample]
  ) -> [Side]? {
    guard sides.count - run.count >= 2 else { return nil }
    let facets = sides[run]
    let own = samples.filter { sample in
      facets.contains { side in
        let along = side.line.coordinate(of: sample.plan)
        let (low, high) = (side.line.coordinate(of: side.from), side.line.coordinate(of: side.to))
        return along > low && along < high && abs(side.line.distance(to: sample.plan)) < reach
          && side.line.direction.left.dot(SIMD2(sample.normal.x, sample.normal.y)) > 0.7
      }
    }
    guard let circle = circle(through: own), radii.contains(circle.radius),
      circle.spread < mostSpread
    else { return nil }
    let before = sides[(run.lowerBound + sides.count - 1) % sides.count]
    let after = sides[(run.upperBound + 1) % sides.count]
    let start = circle.point(on: before.line, near: sides[run.lowerBound].from)
    let end = circle.point(on: after.line, near: sides[run.upperBound].to)
    let sum = run.dropFirst().reduce(0) { $0 + sides[$1 - 1].turn(into: sides[$1]) }
    var sweep = remainder(
      (end - circle.center).angle - (start - circle.center).angle, 2 * .pi)
    if sweep * sum < 0 { sweep += sum > 0 ? 2 * .pi : -2 * .pi }
    guard abs(sweep) > 0.4, abs(sweep) < 1.9 * .pi else { return nil }
    var round = sides[run.lowerBound]
    (round.from, round.to, round.bulge) = (start, end, tan(sweep / 4))
    round.deviation = PlanUncertainty.deviation(spread: circle.spread, area: circle.area)
    var result = sides
    result[(run.lowerBound + sides.count - 1) % sides.count].to = start
    result[(run.upperBound + 1) % sides.count].from = end
    result.replaceSubrange(run, with: [round])
    return result
  }

  /// The circle through most samples: doors and windows are a little behind it.
  private static func circle(through samples: [ScanSamples.Sample]) -> PlanCircle? {
    var own = samples
    var result = PlanCircle(own.map { ($0.plan, $0.area) })
    let all = result?.area ?? 0
    for gate in circleGates {
      guard let circle = result, circle.spread >= mostSpread || gate < circleGates[0] else {
        return result
      }
      own = samples.filter { abs(($0.plan - circle.center).length - circle.radius) < gate }
      result = PlanCircle(own.map { ($0.plan, $0.area) })
    }
    guard let circle = result, circle.area > leastOnCircle * all else { return nil }
    return circle
  }
}

/// The circle that fits points best (Kåsa 1976, by the squares of the distances from the centre).
struct PlanCircle {
  let center: SIMD2<Double>
  let radius: Double
  /// Root mean square of the distances of the points from it.
  let spread: Double
  let area: Double

  init?(_ points: [(SIMD2<Double>, Double)]) {
    guard points.count > 20, let fit = PlanFit(points) else { return nil }
    area = fit.area
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    var right = SIMD2<Double>.zero
    var mean = 0.0
    for (point, weight) in points {
      let d = point - fit.center
      let square = d.dot(d)
      xx += d.x * d.x * weight
      xy += d.x * d.y * weight
      yy += d.y * d.y * weight
      right += d * (square * weight)
      mean += square * weight
    }
    let determinant = xx * yy - xy * xy
    guard determinant > 1e-9 * xx * yy else { return nil }
    let offset =
      SIMD2(right.x * yy - right.y * xy, right.y * xx - right.x * xy) / (2 * determinant)
    center = fit.center + offset
    radius = (offset.dot(offset) + mean / area).squareRoot()
    var squares = 0.0
    for (point, weight) in points {
      let distance = (point - center).length - radius
      squares += distance * distance * weight
    }
    spread = (squares / area).squareRoot()
  }

  /// Where a line meets the circle near a place, or comes nearest to it.
  func point(on line: PlanLine, near position: SIMD2<Double>) -> SIMD2<Double> {
    let foot = line.coordinate(of: center)
    let distance = abs(line.distance(to: center))
    // A line that nearly touches the circle goes over into it.
    guard distance < radius - 0.04 else { return line.point(at: foot) }
    let half = (radius * radius - distance * distance).squareRoot()
    let ends = [line.point(at: foot - half), line.point(at: foot + half)]
    return (ends[0] - position).length < (ends[1] - position).length ? ends[0] : ends[1]
  }
}
