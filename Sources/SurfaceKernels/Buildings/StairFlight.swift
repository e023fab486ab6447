import MeshpipeScene
import POSIX

/// A straight flight of stairs: treads with equal rises and goings, one behind the other.
struct StairFlight {
  /// The patches of its treads, from the lowest up.
  let treads: [Int]
  /// Between treads, and from the front edge of a tread to that of the next, with their standard deviations.
  let rise: (value: Double, deviation: Double)
  let going: (value: Double, deviation: Double)
  /// The height of the first tread.
  let height: Double
  /// Upwards, through the middle; from the front edge of the first tread at 0.
  let axis: PlanLine
  /// From the right to the left of the axis.
  let across: ClosedRange<Double>
  /// The floors or landings from which it comes and to which it leads, as patches.
  private(set) var bottom: Int?
  private(set) var top: Int?

  /// Of steps that people walk, in metres, with what scans add.
  static let (rises, goings) = (0.115...0.225, 0.18...0.4)
  private static let leastWidth = 0.45
  /// Heights of treads scatter about equal rises by at most this.
  private static let mostScatter = 0.02
  /// A flight within this of an axis is along it, in radians.
  private static let alongAxis = 4 * Double.pi / 180
  /// The deviation of an end of a tread, which scans round, and that of a tread's height, in metres.
  private static let (rounding, unevenness) = (0.006, 0.005)
  /// A landing or floor is looked for within this of where the next tread would be, and at this distance from its height.
  private static let (reach, gate) = (0.3, 0.045)
  /// A floor of which the nearest part was not seen is within this, and larger than this, in square metres.
  private static let (floorReach, leastFloor) = (1.2, 4.0)

  /// The flight through treads, or nil if they make none.
  init?(_ treads: [Int], _ found: LevelPatches) {
    let own = treads.map { found.patches[$0] }
    let numbers = own.indices.map(Double.init)
    guard own.count > 1, let heights = Regression(numbers, own.map(\.height)),
      Self.rises.contains(heights.slope), heights.scatter < Self.mostScatter,
      let x = Regression(numbers, own.map(\.center.x)),
      let y = Regression(numbers, own.map(\.center.y))
    else { return nil }
    var angle = SIMD2(x.slope, y.slope).angle
    let nearest = (angle / (.pi / 2)).rounded() * (.pi / 2)
    let isAlongAxis = abs(angle - nearest) < Self.alongAxis
    if isAlongAxis { angle = nearest }
    let direction = SIMD2<Double>(angle: angle)
    guard let along = Regression(numbers, own.map { $0.center.dot(direction) }),
      Self.goings.contains(along.slope)
    else { return nil }
    let ends = own.map { TreadEnds($0.samples, direction.left, isAlongAxis: isAlongAxis) }
    guard let right = ends.map(\.low).interpolatedMedian(),
      let left = ends.map(\.high).interpolatedMedian(), left - right > Self.leastWidth,
      own.allSatisfy({
        TreadEnds($0.samples, direction, isAlongAxis: false).length < 1.4 * along.slope
      })
    else { return nil }
    self.treads = treads
    height = heights.start
    rise = (heights.slope, heights.slopeDeviation(atLeast: Self.unevenness))
    going = (along.slope, along.slopeDeviation(atLeast: 2 * Self.rounding))
    // Centres of treads are half a going behind their front edges.
    let front = along.start - along.slope / 2
    let middle = (left + right) / 2
    axis = PlanLine(direction * front + direction.left * middle, direction)
    across = right - middle...left - middle
    bottom = floor(at: -1, found)
    top = floor(at: own.count, found)
  }

  var width: Double { across.upperBound - across.lowerBound }
  var widthDeviation: Double { Self.rounding }

  /// The floor in the place of a tread before the first or behind the last.
  private func floor(at number: Int, _ found: LevelPatches) -> Int? {
    let place = axis.point(at: (Double(number) + 0.5) * going.value)
    let height = height + Double(number) * rise.value
    if let patch = found.patch(near: place, reach: Self.reach, height: height, within: Self.gate) {
      return treads.contains(patch) ? nil : patch
    }
    let floor = found.patch(
      near: place, reach: Self.floorReach, height: height, within: Self.gate)
    return floor.flatMap { found.patches[$0].area > Self.leastFloor ? $0 : nil }
  }

  /// The outline of a step, counterclockwise.
  func outline(ofStep number: Int) -> [SIMD2<Double>] {
    let (front, back) = (Double(number) * going.value, Double(number + 1) * going.value)
    let left = axis.direction.left
    return [
      axis.point(at: front) + left * across.lowerBound,
      axis.point(at: back) + left * across.lowerBound,
      axis.point(at: back) + left * across.upperBound,
      axis.point(at: front) + left * across.upperBound,
    ]
  }
}
