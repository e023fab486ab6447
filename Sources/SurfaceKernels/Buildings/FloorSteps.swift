import MeshpipeScene
import POSIX

/// Steps in the floor of a level, along the axes of the building: where one of its floors ends and a lower one begins.
struct FloorSteps {
  /// The edge of the upper floor, with the lower one on its left.
  struct Step {
    var line: PlanLine
    var deviation: Double
    /// Where it goes along its line.
    var runs: [ClosedRange<Double>]
  }

  private(set) var steps: [Step] = []
  /// The number of the floor below each pixel, from the lowest up; -1 where none was seen.
  private let floors: [Int8]
  private let heights: [Double]
  private let raster: PlanRaster
  /// The number of the first step among the lines of an arrangement.
  var firstLine = 0

  /// A floor is within this of its height, in metres.
  private static let gate = 0.08
  /// Pixels without a floor between two: stairs, or the shadow of a railing.
  private static let gap = 18
  /// Pixels along a step, at least.
  private static let leastLength = 20
  /// The front of a step is looked for within this of the edge of pixels, in metres.
  private static let reach = 0.12
  /// The least cosine between a step and a wall in parallel, and how near to a wall it is the floor behind it, in metres.
  private static let (parallel, besideWall) = (0.998, 0.4)
  /// The deviation of the edge of a floor, which scans round, in metres.
  private static let rounding = 0.006
  /// Lanes of pixels between two of a step, where furniture stands, in pixels.
  private static let laneGap = 24
  /// Beyond the ends of a step the lower floor does not go on, as it does around a bed: from here to there in pixels, and the share
  /// of them that may be lower.
  private static let (beyond, mostBeyond) = (3...9, 0.4)

  /// - Parameter samples: Those of the level, without stairs.
  init(_ samples: [ScanSamples.Sample], _ level: StoreyLevels.Level, _ raster: PlanRaster) {
    (heights, self.raster) = (level.floors, raster)
    guard level.floors.count > 1 else {
      floors = []
      return
    }
    var lowest = [Int8](repeating: -1, count: raster.pixels.count)
    for sample in samples where sample.normal.z > 0.8 {
      guard let place = raster.place(of: sample.plan),
        let number = level.floors.firstIndex(where: { abs($0 - sample.position.z) < Self.gate }),
        lowest[place] < 0 || Int8(number) < lowest[place]
      else { continue }
      lowest[place] = Int8(clamping: number)
    }
    floors = lowest
    let (columns, rows) = (raster.columns, raster.rows)
    find(lanes: rows, places: columns, SIMD2(1, 0)) { $0 * columns + $1 }
    find(lanes: columns, places: rows, SIMD2(0, 1)) { $1 * columns + $0 }
    steps = steps.map { refined($0, samples) }
  }

  /// The edge of an upper floor in a lane of pixels, before a place along the lane.
  private struct Edge {
    var place: Int
    var lane: Int
    /// The number of the floor below.
    var lower: Int8
  }

  /// Finds the steps across an axis.
  ///
  /// - Parameter pixel: Of a lane and a place along the axis.
  private mutating func find(
    lanes: Int, places: Int, _ axis: SIMD2<Double>, _ pixel: (Int, Int) -> Int
  ) {
    // Those that go down along the axis, and against it.
    var (down, up) = ([Edge](), [Edge]())
    for lane in 0..<lanes {
      var last: (place: Int, floor: Int8)?
      for index in 0..<places {
        let floor = floors[pixel(lane, index)]
        guard floor >= 0 else { continue }
        if let last, last.floor != floor, index - last.place <= Self.gap {
          if last.floor > floor {
            down.append(Edge(place: last.place + 1, lane: lane, lower: floor))
          } else {
            up.append(Edge(place: index, lane: lane, lower: last.floor))
          }
        }
        last = (index, floor)
      }
    }
    for (edges, isDown) in [(down, true), (up, false)] {
      var counts = [Int](repeating: 0, count: places + 1)
      for edge in edges { counts[edge.place] += 1 }
      for index in Self.peaks(counts) {
        let own = edges.filter { abs($0.place - index) <= 1 }
        let lower = own.map(\.lower).min() ?? 0
        let runs = Self.runs(of: own.map(\.lane).sorted()).filter { run in
          [(run.lowerBound, -1), (run.upperBound, 1)].allSatisfy { end, way in
            var (count, free) = (0, 0)
            for step in Self.beyond {
              for away in 1...4 {
                // The upper floor is before the place if the step goes down.
                let (lane, beside) = (end + way * step, isDown ? index - away : index + away - 1)
                count += 1
                guard 0..<lanes ~= lane, 0..<places ~= beside else { continue }
                if floors[pixel(lane, beside)] == lower { free += 1 }
              }
            }
            return Double(free) < Self.mostBeyond * Double(count)
          }
        }
        add(runs, at: index, axis, isDown ? axis : -axis)
      }
    }
  }

  /// Adds a step between pixels across an axis, which goes along lanes.
  private mutating func add(
    _ runs: [ClosedRange<Int>], at index: Int, _ axis: SIMD2<Double>, _ normal: SIMD2<Double>
  ) {
    guard !runs.isEmpty else { return }
    let start = raster.low.dot(axis) + Double(index) * PlanRaster.pixel
    // To the left of a line is the lower floor, where the normal points.
    let line = PlanLine(axis * start, SIMD2(normal.y, -normal.x))
    let lanes = SIMD2(abs(axis.y), abs(axis.x))
    let courses = runs.map { run -> ClosedRange<Double> in
      let ends = [run.lowerBound, run.upperBound + 1].map { lane in
        line.coordinate(
          of: lanes * (raster.low.dot(lanes) + Double(lane) * PlanRaster.pixel) + axis * start)
      }
      return min(ends[0], ends[1])...max(ends[0], ends[1])
    }
    steps.append(Step(line: line, deviation: PlanRaster.pixel / 3, runs: courses))
  }

  /// Stretches of lanes that follow each other, long enough for a step.
  private static func runs(of lanes: [Int]) -> [ClosedRange<Int>] {
    var result: [ClosedRange<Int>] = []
    for lane in lanes {
      if let last = result.last, lane - last.upperBound <= laneGap {
        result[result.count - 1] = last.lowerBound...max(lane, last.upperBound)
      } else {
        result.append(lane...lane)
      }
    }
    return result.filter { $0.count >= leastLength }
  }

  /// Places that hold enough with their neighbours, and more than others near to them.
  private static func peaks(_ counts: [Int]) -> [Int] {
    func sum(_ index: Int) -> Int {
      counts[max(0, index - 1)...min(counts.count - 1, index + 1)].reduce(0, +)
    }
    return counts.indices.filter { index in
      let own = sum(index)
      guard own >= leastLength else { return false }
      return (max(0, index - 4)...min(counts.count - 1, index + 4)).allSatisfy { other in
        other == index || (sum(other), counts[other], -other) < (own, counts[index], -index)
      }
    }
  }

  /// The step at its upright front, or else where the upper floor ends.
  private func refined(_ step: Step, _ samples: [ScanSamples.Sample]) -> Step {
    let normal = step.line.direction.left
    let highest = heights.last ?? 0
    let fronts = samples.filter { sample in
      normal.dot(SIMD2(sample.normal.x, sample.normal.y)) > 0.8
        && abs(step.line.distance(to: sample.plan)) < Self.reach
        && sample.position.z < highest
    }
    if let middle = fronts.map({ step.line.distance(to: $0.plan) }).interpolatedMedian() {
      let near = fronts.filter { abs(step.line.distance(to: $0.plan) - middle) < 0.03 }
      let area = near.reduce(0) { $0 + $1.area }
      if area > 0.05 {
        let mean = near.reduce(0) { $0 + step.line.distance(to: $1.plan) * $1.area } / area
        let deviation = PlanUncertainty.deviation(spread: Self.rounding, area: area)
        return Step(line: step.line.moved(left: mean), deviation: deviation, runs: step.runs)
      }
    }
    let edge = samples.filter { sample in
      sample.normal.z > 0.8 && abs(step.line.distance(to: sample.plan)) < 2 * Self.reach
        && heights.dropFirst().contains { abs($0 - sample.position.z) < Self.gate }
    }
    guard edge.count > Self.leastLength else { return step }
    let end = TreadEnds(edge, normal, isAlongAxis: true).high
    return Step(
      line: step.line.moved(left: end - normal.dot(step.line.point)), deviation: Self.rounding,
      runs: step.runs)
  }

  /// Turns steps along walls that are nearly parallel, and takes out what is at a wall.
  ///
  /// - Parameter coverage: Of each wall.
  mutating func align(with walls: [PlanLine], _ coverage: [WallCoverage]) {
    for index in steps.indices {
      let step = steps[index]
      steps[index].runs = step.runs.filter { run in
        !walls.indices.contains { number in
          let wall = walls[number]
          let ends = [run.lowerBound, run.upperBound].map {
            wall.coordinate(of: step.line.point(at: $0))
          }
          let middle = step.line.point(at: (run.lowerBound + run.upperBound) / 2)
          return abs(wall.direction.dot(step.line.direction)) > Self.parallel
            && abs(wall.distance(to: middle)) < Self.besideWall
            && coverage[number].upperSupport(min(ends[0], ends[1])...max(ends[0], ends[1])) > 0.3
        }
      }
      let nearest = walls.map(\.direction).max {
        abs($0.dot(step.line.direction)) < abs($1.dot(step.line.direction))
      }
      guard let nearest, abs(nearest.dot(step.line.direction)) > Self.parallel,
        let first = step.runs.first, let last = step.runs.last
      else { continue }
      let middle = (first.lowerBound + last.upperBound) / 2
      let direction = nearest.dot(step.line.direction) < 0 ? -nearest : nearest
      let point = step.line.point(at: middle)
      steps[index].line = PlanLine(point - direction * middle, direction)
    }
    steps.removeAll { $0.runs.isEmpty }
  }

  /// Whether a line of an arrangement is one of steps.
  func isStep(line: Int) -> Bool { firstLine..<firstLine + steps.count ~= line }

  /// Whether a stretch of a line of an arrangement is a step for the most part.
  func isStep(line: Int, _ range: ClosedRange<Double>) -> Bool {
    guard isStep(line: line) else { return false }
    let shared = steps[line - firstLine].runs.reduce(0) { sum, run in
      sum
        + max(0, min(run.upperBound, range.upperBound) - max(run.lowerBound, range.lowerBound))
    }
    return 2 * shared > range.upperBound - range.lowerBound
  }
}
