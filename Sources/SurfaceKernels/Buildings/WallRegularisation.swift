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

  init(_ found: [WallLine]) {
    lines = found
    alignDirections()
    mergeOffsets()
  }

  private mutating func alignDirections() {
    let order = lines.indices.sorted {
      (lines[$1].area, $0) < (lines[$0].area, $1)
    }
    var axes: [Double] = []
    var members: [[Int]] = []
    for index in order {
      let angle = lines[index].line.direction.angle
      let tolerance = tolerance([index])
      let offsets = axes.map { abs(remainder(angle - $0, .pi / 2)) }
      if let least = offsets.min(), least < tolerance, let axis = offsets.firstIndex(of: least) {
        members[axis].append(index)
      } else {
        axes.append(angle)
        members.append([index])
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
    }
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
