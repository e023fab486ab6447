import POSIX

/// The sides of recesses in a wall, which look along it: those of doorways and of window reveals.
struct RecessSides {
  /// Two sides that look at each other.
  struct Pair {
    var along: ClosedRange<Double>
    var heights: ClosedRange<Double>
  }

  private struct Side {
    var along: Double
    var looksForward: Bool
    /// A bit for each level of 10 cm that was seen.
    var levels: UInt64
    var heights: ClosedRange<Double>
  }

  private var sides: [Side] = []

  /// Samples of a side are within this along the wall, and on this many levels at least.
  private static let (width, leastLevels) = (0.04, 4)
  /// A side goes half the distance of two samples beyond the outermost ones, in metres.
  private static let margin = WallFaceRaster.pixel / 2

  init(_ face: WallFaceRaster) {
    for looksForward in [true, false] {
      let own = face.reveals.filter { $0.direction == (looksForward ? .forward : .backward) }
        .map { (along: $0.place.x, height: $0.place.y, area: $0.area) }
        .sorted { ($0.along, $0.height) < ($1.along, $1.height) }
      var start = 0
      for end in own.indices
      where end + 1 == own.count || own[end + 1].along - own[end].along > Self.width {
        let group = own[start...end]
        start = end + 1
        guard let first = group.first, let last = group.last, last.along - first.along < 0.3 else {
          continue
        }
        add(Array(group), looksForward)
      }
    }
  }

  private mutating func add(
    _ group: [(along: Double, height: Double, area: Double)], _ looksForward: Bool
  ) {
    let area = group.reduce(0) { $0 + $1.area }
    let along = group.reduce(0) { $0 + $1.along * $1.area } / area
    var levels: UInt64 = 0
    for sample in group { levels |= 1 << UInt64(min(63, Int(sample.height / 0.1))) }
    let heights = group.map(\.height).sorted()
    guard levels.nonzeroBitCount >= Self.leastLevels, let low = heights.first,
      let high = heights.last
    else { return }
    sides.append(
      Side(
        along: along, looksForward: looksForward, levels: levels,
        heights: low - Self.margin...high + Self.margin))
  }

  /// Sides that look at each other at the same heights, the nearest first.
  var pairs: [Pair] {
    var result: [Pair] = []
    for left in sides where left.looksForward {
      for right in sides where !right.looksForward && right.along > left.along + 0.2 {
        let shared = (left.levels & right.levels).nonzeroBitCount
        let all = (left.levels | right.levels).nonzeroBitCount
        guard 10 * shared >= 6 * all else { continue }
        let low = min(left.heights.lowerBound, right.heights.lowerBound)
        let high = max(left.heights.upperBound, right.heights.upperBound)
        result.append(Pair(along: left.along...right.along, heights: max(0, low)...max(0, high)))
      }
    }
    return result.sorted {
      $0.along.upperBound - $0.along.lowerBound < $1.along.upperBound - $1.along.lowerBound
    }
  }
}
