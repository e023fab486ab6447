import MeshpipeScene
import POSIX

extension RoomOutline {
  /// Samples this near to a side are on it, less each time, and look as it does within this cosine.
  private static let (gates, leastCosine) = ([0.06, 0.045, 0.04, 0.04], 0.75)
  private static let firstGate = 0.08
  /// Corners are rounded in scans: what is this near to the end of a side says nothing of it, in metres.
  private static let rounding = 0.12
  /// The standard deviation of sides that were not seen themselves, and of those on which less was seen than this area.
  private static let (unseen, leastArea) = (0.02, 0.15)

  /// Moves each side to the samples that are on it, keeping its direction, and the corners with them.
  ///
  /// - Parameters:
  ///   - samples: The upright ones of the storey.
  ///   - upperFloor: What is above this is wall, and neither a door in it nor furniture before it.
  mutating func refine(_ samples: [ScanSamples.Sample], above upperFloor: Double) {
    for loop in loops.indices {
      for index in loops[loop].indices { refine(&loops[loop][index], samples, above: upperFloor) }
      let sides = loops[loop]
      for index in sides.indices {
        let before = (index + sides.count - 1) % sides.count
        guard let corner = sides[before].line.crossing(sides[index].line, leastSine: 0.05),
          (corner - sides[index].from).length < 0.3
        else { continue }
        loops[loop][index].from = corner
        loops[loop][before].to = corner
      }
    }
  }

  private func refine(
    _ side: inout Side, _ samples: [ScanSamples.Sample], above upperFloor: Double
  ) {
    // Where a step is was measured on both floors.
    guard !side.isStep else { return }
    side.deviation = Self.unseen
    guard side.isFace else { return }
    let high = samples.filter { $0.position.z > upperFloor }
    if let start = offset(of: side, high, gate: Self.firstGate), start.area > Self.leastArea {
      side.line = side.line.moved(left: start.mean)
    }
    for gate in Self.gates {
      guard let fit = offset(of: side, samples, gate: gate), fit.area > Self.leastArea else {
        return
      }
      side.line = side.line.moved(left: fit.mean)
      side.deviation = PlanUncertainty.deviation(spread: fit.spread, area: fit.area)
    }
    side.from = side.line.point(at: side.line.coordinate(of: side.from))
    side.to = side.line.point(at: side.line.coordinate(of: side.to))
  }

  /// How far samples within a gate are from a side on average; nil without any.
  private func offset(
    of side: Side, _ samples: [ScanSamples.Sample], gate: Double
  ) -> (mean: Double, spread: Double, area: Double)? {
    let (low, high) = (side.line.coordinate(of: side.from), side.line.coordinate(of: side.to))
    let inset = min(Self.rounding, (high - low) / 4)
    let normal = side.line.direction.left
    var (area, sum, squares) = (0.0, 0.0, 0.0)
    for sample in samples {
      let distance = side.line.distance(to: sample.plan)
      guard abs(distance) < gate,
        normal.dot(SIMD2(sample.normal.x, sample.normal.y)) > Self.leastCosine
      else { continue }
      let along = side.line.coordinate(of: sample.plan)
      guard along > low + inset, along < high - inset else { continue }
      sum += distance * sample.area
      squares += distance * distance * sample.area
      area += sample.area
    }
    guard area > 0 else { return nil }
    let mean = sum / area
    return (mean, max(squares / area - mean * mean, 0).squareRoot(), area)
  }

  /// The length of a side between its corners.
  func length(ofSide index: Int, in loop: Int) -> Building.Dimension {
    let sides = loops[loop]
    let (before, after) = (
      sides[(index + sides.count - 1) % sides.count], sides[(index + 1) % sides.count]
    )
    let own = sides[index]
    // How its ends move with the lines that meet there, and both with its own.
    let corners = [(before, own), (own, after)].map { one, other -> (sine: Double, slant: Double) in
      let sine = one.line.direction.cross(other.line.direction)
      let safe = abs(sine) < 0.1 ? 0.1 : sine
      return (abs(safe), one.line.direction.dot(other.line.direction) / safe)
    }
    let slant = (corners[0].slant + corners[1].slant) * own.deviation
    let ends = (before.deviation / corners[0].sine, after.deviation / corners[1].sine)
    return PlanUncertainty.dimension(
      own.length, between: (ends.0 * ends.0 + slant * slant).squareRoot(), and: ends.1)
  }

  /// Its area, less what stands in it.
  var area: Building.Dimension {
    let value = polygons.reduce(0) { $0 + PolygonTriangulation.signedArea(of: $1) }
    return PlanUncertainty.area(
      value, sides: loops.joined().map { ($0.length, $0.deviation) })
  }
}
