import MeshpipeScene
import POSIX

/// Finds stairs: flights of level treads, each one rise higher and one going further than the one before, and the landings that
/// join them.
///
/// Winders, whose treads turn, are left out; flights before and behind them are found for themselves. A flight needs three rises,
/// counting those from and to a floor.
struct StairSearch {
  /// Stairs with what is around them.
  struct Found {
    /// With heights above the floor from which they lead.
    var stair: Building.Stair
    /// The height of that floor in the building.
    var foot: Double

    /// Whether something is on the stairs or below them.
    func contains(_ point: SIMD3<Double>) -> Bool {
      guard point.z > foot + StairSearch.clearance else { return false }
      let plan = SIMD2(point.x, point.y)
      return zip(stair.steps, stair.heights).contains { outline, height in
        point.z < foot + height + StairSearch.clearance
          && StairSearch.isInside(plan, outline, margin: StairSearch.margin)
      }
    }
  }

  private(set) var stairs: [Found] = []

  /// What is this near to a step is a part of it, above and beside, in metres.
  private static let (clearance, margin) = (0.06, 0.07)
  /// Areas of a tread and of a landing, in square metres.
  private static let (treadAreas, largestLanding) = (0.06...1.5, 4.0)
  /// The next tread is this near to where the last two say, across and in height, in metres.
  private static let (aim, heightAim) = (0.13, 0.035)
  private static let leastRises = 3
  /// Rises of flights of the same stairs differ by at most this, in metres.
  private static let sameRise = 0.02

  private let found: LevelPatches

  /// - Parameter samples: Those of the whole scan.
  init(_ samples: [ScanSamples.Sample]) {
    found = LevelPatches(samples)
    join(flights())
    stairs.sort { ($0.foot, $0.stair.steps[0][0].x) < ($1.foot, $1.stair.steps[0][0].x) }
  }

  // MARK: Flights

  private func flights() -> [StairFlight] {
    let treads = found.patches.indices.filter {
      Self.treadAreas.contains(found.patches[$0].area)
    }
    var runs: [[Int]] = []
    for (index, one) in treads.enumerated() {
      for other in treads[(index + 1)...] {
        let rise = found.patches[other].height - found.patches[one].height
        guard rise < StairFlight.rises.upperBound else { break }
        let going = (found.patches[other].center - found.patches[one].center).length
        guard StairFlight.rises.contains(rise), StairFlight.goings.contains(going) else { continue }
        runs.append(run(from: one, other, treads))
      }
    }
    var isUsed = [Bool](repeating: false, count: found.patches.count)
    var result: [StairFlight] = []
    for run in runs.sorted(by: { $0.count > $1.count }) where !run.contains(where: { isUsed[$0] }) {
      guard let flight = StairFlight(run, found) else { continue }
      let rises = run.count - 1 + (flight.bottom == nil ? 0 : 1) + (flight.top == nil ? 0 : 1)
      guard rises >= Self.leastRises else { continue }
      for tread in run { isUsed[tread] = true }
      result.append(flight)
    }
    return result
  }

  /// The treads that go on from two of them, upwards.
  private func run(from one: Int, _ other: Int, _ treads: [Int]) -> [Int] {
    var run = [one, other]
    while true {
      let (last, before) = (found.patches[run[run.count - 1]], found.patches[run[run.count - 2]])
      let first = found.patches[run[0]]
      // The mean step is surer than the last one.
      let count = Double(run.count - 1)
      let place = last.center + (last.center - first.center) / count
      let height = last.height + (last.height - first.height) / count
      guard last.height > before.height else { return run }
      let next = treads.filter {
        abs(found.patches[$0].height - height) < Self.heightAim
          && (found.patches[$0].center - place).length < Self.aim
      }.min {
        (found.patches[$0].center - place).length < (found.patches[$1].center - place).length
      }
      guard let next, !run.contains(next) else { return run }
      run.append(next)
    }
  }

  // MARK: Stairs

  /// Makes stairs of flights that landings join.
  private mutating func join(_ flights: [StairFlight]) {
    var isUsed = [Bool](repeating: false, count: flights.count)
    func isLanding(_ patch: Int) -> Bool { found.patches[patch].area < Self.largestLanding }
    let order = flights.indices.sorted { flights[$0].height < flights[$1].height }
    for first in order where !isUsed[first] {
      isUsed[first] = true
      var own = [flights[first]]
      while let landing = own.last?.top, isLanding(landing),
        let next = order.first(where: {
          !isUsed[$0] && flights[$0].bottom == landing
            && abs(flights[$0].rise.value - flights[first].rise.value) < Self.sameRise
        })
      {
        isUsed[next] = true
        own.append(flights[next])
      }
      stairs.append(stair(of: own))
    }
  }

  private func stair(of flights: [StairFlight]) -> Found {
    let rise = Self.mean(flights.map { ($0.rise, $0.treads.count) })
    let going = Self.mean(flights.map { ($0.going, $0.treads.count) })
    let foot =
      flights[0].bottom.map { found.patches[$0].height }
      ?? flights[0].height - flights[0].rise.value
    var stair = Building.Stair(steps: [], heights: [])
    for (number, flight) in flights.enumerated() {
      if number > 0, let landing = flight.bottom {
        stair.landings.append(stair.steps.count)
        stair.steps.append(outline(ofLanding: landing, along: flight.axis.direction))
        stair.heights.append(found.patches[landing].height - foot)
      }
      for step in flight.treads.indices {
        stair.steps.append(flight.outline(ofStep: step))
        stair.heights.append(flight.height + Double(step) * flight.rise.value - foot)
      }
    }
    stair.riserCount = stair.steps.count + (flights.last?.top == nil ? 0 : 1)
    func dimension(_ mean: (value: Double, deviation: Double)) -> Building.Dimension {
      Building.Dimension(mean.value, uncertainty: PlanUncertainty.factor * mean.deviation)
    }
    stair.rise = dimension(rise)
    stair.going = dimension(going)
    let width = flights.map(\.width).min() ?? 0
    stair.width = PlanUncertainty.dimension(
      width, between: flights[0].widthDeviation, and: flights[0].widthDeviation)
    return Found(stair: stair, foot: foot)
  }

  /// The mean of what flights say, by their number of treads.
  private static func mean(
    _ values: [(what: (value: Double, deviation: Double), count: Int)]
  ) -> (value: Double, deviation: Double) {
    let count = values.reduce(0.0) { $0 + Double($1.count) }
    var (sum, squares) = (0.0, 0.0)
    for entry in values {
      let share = Double(entry.count) / count
      sum += share * entry.what.value
      squares += share * share * entry.what.deviation * entry.what.deviation
    }
    return (sum, squares.squareRoot())
  }

  /// The rectangle around a landing, along a flight that leaves it.
  private func outline(ofLanding patch: Int, along direction: SIMD2<Double>) -> [SIMD2<Double>] {
    let isAlongAxis = min(abs(direction.x), abs(direction.y)) < 1e-9
    let samples = found.patches[patch].samples
    let x = TreadEnds(samples, direction, isAlongAxis: isAlongAxis)
    let y = TreadEnds(samples, direction.left, isAlongAxis: isAlongAxis)
    return [(x.low, y.low), (x.high, y.low), (x.high, y.high), (x.low, y.high)].map {
      direction * $0 + direction.left * $1
    }
  }

  /// Whether a point is within a convex polygon or at most a margin beyond its sides.
  private static func isInside(
    _ point: SIMD2<Double>, _ polygon: [SIMD2<Double>], margin: Double
  ) -> Bool {
    polygon.indices.allSatisfy { index in
      PlanLine(from: polygon[index], to: polygon[(index + 1) % polygon.count])
        .distance(to: point) > -margin
    }
  }
}
