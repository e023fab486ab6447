import MeshpipeScene
import POSIX

/// The line in the plan of wall faces that lie in one plane and look the same way: to its left.
struct WallLine: Sendable {
  var line: PlanLine
  /// Root mean square of the distances of its samples, in metres.
  var spread: Double
  /// In square metres.
  var area: Double
  /// The lowest and the highest coordinate of its samples along the line.
  var extent: ClosedRange<Double>

  /// The direction in which its faces look.
  var normal: SIMD2<Double> { line.direction.left }

  /// The standard deviation of its offset.
  var deviation: Double { PlanUncertainty.deviation(spread: spread, area: area) }

  /// The standard deviation of its direction, in radians; a plane is as far off at its ends as as a whole.
  var angleDeviation: Double {
    let length = max(extent.upperBound - extent.lowerBound, PlanUncertainty.correlation)
    return 12.0.squareRoot() * deviation / length
  }
}

/// Finds the straight walls of a storey: lines on which much lies that stands upright and looks the same way.
///
/// A Hough transform over directions and distances, in which each sample votes for directions around its own. The line with most
/// votes is fitted by least squares with narrowing gates, what is on it leaves, and the next follows.
struct WallLineSearch {
  private(set) var lines: [WallLine] = []

  private static let directions = 120
  private static let step = 2 * Double.pi / Double(directions)
  /// A sample votes for this many directions on both sides of its own: noise turns faces.
  private static let votes = 4
  private static let bin = 0.03
  /// Samples within this of a line leave with it, in metres.
  private static let width = 0.06
  /// Gates of the fits, and the least cosine between a line's normal and those of its samples.
  private static let gates = [0.09, 0.06, 0.045, 0.04]
  private static let leastCosine = 0.85
  /// Samples go on along a line if the next is within this, in metres.
  private static let gap = 0.6
  /// In square metres.
  private static let leastArea = 0.3
  private static let mostLines = 160
  /// What is as large and as high as this is a wall even if its top was not seen, in square metres and metres.
  private static let (largeArea, largeHeight) = (2.0, 1.3)

  private let points: [SIMD2<Double>]
  private let normals: [SIMD2<Double>]
  private let heights: [Double]
  private let areas: [Double]
  private let isWall: [Bool]
  private let reach: Double
  private var isLeft: [Bool]
  private var bins: [Double]
  private let distances: Int

  /// - Parameters:
  ///   - samples: Those that may be on walls.
  ///   - top: What has not the class of a wall must reach this height.
  init(_ samples: [ScanSamples.Sample], top: Double) {
    points = samples.map(\.plan)
    normals = samples.map { SIMD2($0.normal.x, $0.normal.y).normalized }
    heights = samples.map(\.position.z)
    areas = samples.map(\.area)
    isWall = samples.map { $0.kind == .wall }
    reach = top
    isLeft = [Bool](repeating: true, count: samples.count)
    let radius = points.map(\.length).max() ?? 0
    distances = 2 * Int(radius / Self.bin) + 4
    guard radius < 500 else {
      bins = []
      return
    }
    bins = [Double](repeating: 0, count: Self.directions * distances)
    for index in points.indices { vote(index, areas[index]) }
    search()
  }

  private mutating func vote(_ index: Int, _ weight: Double) {
    let own = Int((normals[index].angle / Self.step).rounded())
    for direction in own - Self.votes...own + Self.votes {
      let row = (direction + 2 * Self.directions) % Self.directions
      let distance = points[index].dot(SIMD2(angle: Double(row) * Self.step))
      let column = Int((distance / Self.bin).rounded(.down)) + distances / 2
      guard 0..<distances ~= column else { continue }
      bins[row * distances + column] += weight
    }
  }

  private mutating func search() {
    var failures = 0
    while lines.count < Self.mostLines, failures < Self.mostLines {
      guard let (row, column, votes) = peak(), votes >= Self.leastArea else { return }
      let normal = SIMD2<Double>(angle: Double(row) * Self.step)
      let distance = (Double(column - distances / 2) + 0.5) * Self.bin
      let start = PlanLine(normal * distance, -normal.left)
      guard let found = fitted(start) else {
        failures += 1
        clear(row, column)
        continue
      }
      let own = run(of: members(of: found.line, gate: Self.width), along: found.line)
      if isWallLike(own), found.area >= Self.leastArea { lines.append(found) }
      for index in own {
        isLeft[index] = false
        vote(index, -areas[index])
      }
      if own.isEmpty { clear(row, column) }
    }
  }

  /// The two neighbouring bins of a direction with most votes.
  private func peak() -> (row: Int, column: Int, votes: Double)? {
    var best: (row: Int, column: Int, votes: Double)?
    for row in 0..<Self.directions {
      for column in 1..<distances - 1 {
        let index = row * distances + column
        let votes = bins[index - 1] / 2 + bins[index] + bins[index + 1] / 2
        if votes > best?.votes ?? 0 { best = (row, column, votes) }
      }
    }
    return best
  }

  private mutating func clear(_ row: Int, _ column: Int) {
    for index in column - 1...column + 1 { bins[row * distances + index] = 0 }
  }

  private func members(of line: PlanLine, gate: Double) -> [Int] {
    points.indices.filter {
      isLeft[$0] && abs(line.distance(to: points[$0])) < gate
        && line.direction.left.dot(normals[$0]) > Self.leastCosine
    }
  }

  private func fitted(_ start: PlanLine) -> WallLine? {
    var line = start
    var result: WallLine?
    for gate in Self.gates {
      let own = run(of: members(of: line, gate: gate), along: line)
      guard let fit = PlanFit(own.map { (points[$0], areas[$0]) }), fit.area >= Self.leastArea / 2
      else { return nil }
      line = fit.line(like: line.direction)
      let along = own.map { line.coordinate(of: points[$0]) }
      guard let low = along.min(), let high = along.max() else { return nil }
      result = WallLine(line: line, spread: fit.spread, area: fit.area, extent: low...high)
    }
    return result
  }

  /// The part of samples with the largest area that goes on along a line: behind a gap may be another wall, a little beside.
  private func run(of own: [Int], along line: PlanLine) -> [Int] {
    let order = own.map { (along: line.coordinate(of: points[$0]), index: $0) }
      .sorted { ($0.along, $0.index) < ($1.along, $1.index) }
    var best: (range: Range<Int>, area: Double) = (0..<0, 0)
    var (start, area) = (0, 0.0)
    for index in order.indices {
      area += areas[order[index].index]
      let isEnd =
        index + 1 == order.count || order[index + 1].along - order[index].along > Self.gap
      guard isEnd else { continue }
      if area > best.area { best = (start..<index + 1, area) }
      (start, area) = (index + 1, 0)
    }
    return order[best.range].map(\.index)
  }

  /// Whether samples are of a wall: by their class, or because they are high and reach the top.
  private func isWallLike(_ own: [Int]) -> Bool {
    guard let low = own.lazy.map({ heights[$0] }).min(),
      let top = own.lazy.map({ heights[$0] }).max()
    else { return false }
    let all = own.reduce(0) { $0 + areas[$1] }
    if all > Self.largeArea, top - low > Self.largeHeight { return true }
    let walls = own.reduce(0) { $0 + (isWall[$1] ? areas[$1] : 0) }
    let high = own.reduce(0) { $0 + (heights[$1] > reach ? areas[$1] : 0) }
    return high > 0.05 && (walls > 0.5 * all || (high > 0.08 * all && low < reach - 0.3))
  }
}

/// Least squares of points in the plan, by weight.
struct PlanFit {
  let area: Double
  let center: SIMD2<Double>
  private let squares: (xx: Double, xy: Double, yy: Double)

  init?(_ points: [(SIMD2<Double>, Double)]) {
    var (sum, weight) = (SIMD2<Double>.zero, 0.0)
    for (point, area) in points {
      sum += point * area
      weight += area
    }
    guard weight > 0 else { return nil }
    let middle = sum / weight
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for (point, area) in points {
      let d = point - middle
      xx += d.x * d.x * area
      xy += d.x * d.y * area
      yy += d.y * d.y * area
    }
    (area, center, squares) = (weight, middle, (xx / weight, xy / weight, yy / weight))
  }

  /// The line along which the points spread most, in the direction nearest to one.
  func line(like direction: SIMD2<Double>) -> PlanLine {
    let angle = 0.5 * atan2(2 * squares.xy, squares.xx - squares.yy)
    let axis = SIMD2<Double>(angle: angle)
    return PlanLine(center, axis.dot(direction) < 0 ? -axis : axis)
  }

  /// The root mean square of the distances from the line.
  var spread: Double {
    let mean = (squares.xx + squares.yy) / 2
    let half = (squares.xx - squares.yy) / 2
    return max(mean - (half * half + squares.xy * squares.xy).squareRoot(), 0).squareRoot()
  }
}
