import MeshpipeScene
import POSIX

/// Makes lines parallel, perpendicular or diagonal to each other where they are so within their uncertainty, and one of
/// lines that are.
///
/// Directions of most of the walls' length come first; what agrees with none of them keeps its own, and may be a direction for
/// others (after Nan and Wonka, *PolyFit*, 2017, and Ochmann and others, 2016, who choose among planes that were made regular).
struct WallRegularisation {
  private(set) var lines: [WallLine]

  /// Directions agree within this, in radians, or within this many of their deviations, at most the largest.
  private static let (tolerance, deviations, most) = (0.012, 2.5, 0.05)
  /// Lines as near as this to each other are one, in metres.
  private static let merging = 0.035

  /// What lies within the first of a line may be on it, and what lies within the second is, in metres.
  private static let (reach, gate) = (0.1, 0.025)
  /// A line may turn by this much, in radians, if it keeps this share of what is on it.
  private static let (mostTurn, leastKept) = (0.12, 0.9)
  /// Planes in parallel are looked for in steps of this, in metres, and have less between them than this share of the smaller one,
  /// which has at least this share of the larger one.
  private static let (step, valley, leastSecond) = (0.005, 0.5, 0.25)
  /// By how much more what is on a line may scatter after it was turned.
  private static let mostScatter = 1.3

  private let samples: [ScanSamples.Sample]

  /// - Parameter samples: Those that the lines were found in.
  init(_ found: [WallLine], _ samples: [ScanSamples.Sample]) {
    lines = found
    self.samples = samples
    alignDirections()
    mergeOffsets()
  }

  private mutating func alignDirections() {
    let order = lines.indices.sorted {
      (lines[$1].area, $0) < (lines[$0].area, $1)
    }
    var axes: [Double] = []
    var members: [[Int]] = []
    // Lines that say nothing of the direction of their group themselves.
    var followers: [[Int]] = []
    for index in order {
      let angle = lines[index].line.direction.angle
      let tolerance = tolerance([index])
      let offsets = axes.map { abs(remainder(angle - $0, .pi / 2)) }
      if let least = offsets.min(), least < tolerance, let axis = offsets.firstIndex(of: least) {
        members[axis].append(index)
      } else if let axis = axes.indices.first(where: { turned(index, along: axes[$0]) != nil }) {
        followers[axis].append(index)
      } else {
        axes.append(angle)
        members.append([index])
        followers.append([])
      }
    }
    for (number, group) in members.enumerated() {
      axes[number] = mean(of: group, around: axes[number])
      // Diagonals of what is before.
      for other in 0..<number {
        let offset = remainder(axes[number] - axes[other], .pi / 4)
        if abs(offset) < tolerance(group) {
          axes[number] -= offset
          break
        }
      }
      for index in group { turn(index, to: axes[number]) }
      for index in followers[number] {
        if let line = turned(index, along: axes[number]) {
          lines[index].line = line
        } else {
          turn(index, to: axes[number])
        }
      }
    }
  }

  /// The line along a direction on which nearly all lies that is on a line; nil if much is not.
  ///
  /// A short wall around a door has a direction that a few patches of noise, or the door behind it, turn by degrees.
  private func turned(_ index: Int, along axis: Double) -> PlanLine? {
    let old = lines[index]
    let angle = old.line.direction.angle
    let direction = axis + ((angle - axis) / (.pi / 2)).rounded() * .pi / 2
    guard abs(angle - direction) < Self.mostTurn else { return nil }
    let own = samples.filter { sample in
      abs(old.line.distance(to: sample.plan)) < Self.reach
        && old.normal.dot(SIMD2(sample.normal.x, sample.normal.y)) > 0.85
        && old.extent.contains(old.line.coordinate(of: sample.plan))
    }
    let middle = old.line.point(at: (old.extent.lowerBound + old.extent.upperBound) / 2)
    let line = PlanLine(middle, SIMD2(angle: direction))
    let (before, after) = (Self.areas(own, along: old.line), Self.areas(own, along: line))
    guard let most = before.max(), let main = after.max(), let place = after.firstIndex(of: main)
    else { return nil }
    var (kept, offset) = (main, place)
    if let second = Self.second(after, beside: place) {
      kept += after[second]
      // A door or window is behind its wall.
      offset = max(place, second)
    }
    let scatter = Self.scatter(own, line.moved(left: Self.step * Double(place) - Self.reach))
    guard kept > Self.leastKept * most,
      scatter < Self.mostScatter * Self.scatter(own, old.line)
    else { return nil }
    return line.moved(left: Self.step * Double(offset) - Self.reach)
  }

  /// The area that is on a line moved to the left, step by step.
  private static func areas(
    _ samples: [ScanSamples.Sample], along line: PlanLine
  ) -> [Double] {
    let distances = samples.map { (line.distance(to: $0.plan), $0.area) }
    return (0...Int(2 * reach / step)).map { number in
      let offset = step * Double(number) - reach
      return distances.reduce(0) { abs($1.0 - offset) < gate ? $0 + $1.1 : $0 }
    }
  }

  /// The standard deviation of the distances of what is on a line.
  private static func scatter(_ samples: [ScanSamples.Sample], _ line: PlanLine) -> Double {
    let near = samples.filter { abs(line.distance(to: $0.plan)) < gate }
    let area = near.reduce(0) { $0 + $1.area }
    let sum = near.reduce(0) { $0 + $1.area * line.distance(to: $1.plan) }
    let squares = near.reduce(0) {
      $0 + $1.area * line.distance(to: $1.plan) * line.distance(to: $1.plan)
    }
    return area > 0 ? max(squares / area - sum * sum / (area * area), 0).squareRoot() : 0
  }

  /// Where another plane in parallel is, with little between it and the one at a place; nil if there is none.
  private static func second(_ areas: [Double], beside index: Int) -> Int? {
    let apart = Int((2 * gate / step).rounded())
    let others = areas.indices.filter { abs($0 - index) >= apart }
    guard let second = others.max(by: { (areas[$0], $1) < (areas[$1], $0) }),
      areas[second] > leastSecond * areas[index]
    else { return nil }
    let between = areas[min(index, second)...max(index, second)].min() ?? 0
    return between < valley * areas[second] ? second : nil
  }

  /// Within which lines agree with a direction.
  private func tolerance(_ group: [Int]) -> Double {
    let precision = group.reduce(0) {
      $0 + 1 / (lines[$1].angleDeviation * lines[$1].angleDeviation)
    }
    return min(max(Self.tolerance, Self.deviations / precision.squareRoot()), Self.most)
  }

  /// The mean direction after quarter turns, by the precision of each.
  private func mean(of group: [Int], around start: Double) -> Double {
    var (sum, weight) = (0.0, 0.0)
    for index in group {
      let precision = 1 / (lines[index].angleDeviation * lines[index].angleDeviation)
      sum += remainder(lines[index].line.direction.angle - start, .pi / 2) * precision
      weight += precision
    }
    return start + sum / weight
  }

  /// Turns a line about the middle of its samples.
  private mutating func turn(_ index: Int, to axis: Double) {
    let old = lines[index].line
    let quarters = ((old.direction.angle - axis) / (.pi / 2)).rounded()
    let turned = PlanLine(old.point, SIMD2(angle: axis + quarters * .pi / 2))
    lines[index].line = turned
  }

  /// Joins lines of the same direction that are nearer to each other than their noise.
  private mutating func mergeOffsets() {
    var merged: [WallLine] = []
    for line in lines.sorted(by: { $0.area > $1.area }) {
      let twin = merged.firstIndex { other in
        line.line.direction.dot(other.line.direction) > 0.99999
          && abs(other.line.distance(to: line.line.point)) < Self.merging
      }
      guard let twin else {
        merged.append(line)
        continue
      }
      let share = line.area / (line.area + merged[twin].area)
      let offset = merged[twin].line.distance(to: line.line.point) * share
      merged[twin].line = merged[twin].line.moved(left: offset)
      let shift = merged[twin].line.coordinate(of: line.line.point)
      merged[twin].extent =
        min(
          merged[twin].extent.lowerBound, line.extent.lowerBound + shift)...max(
          merged[twin].extent.upperBound, line.extent.upperBound + shift)
      merged[twin].area += line.area
    }
    lines = merged
  }
}
