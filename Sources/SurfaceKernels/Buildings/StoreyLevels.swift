import MeshpipeScene
import POSIX

/// The heights of the floors and ceilings of a scan.
struct StoreyLevels {
  /// One storey.
  struct Level: Equatable {
    var floor: Double
    var ceiling: Double
    /// Whether the ceiling was seen, and not just the upper ends of walls.
    var hasCeiling: Bool
    /// Standard deviations of both heights.
    var floorDeviation: Double
    var ceilingDeviation: Double
  }

  private(set) var levels: [Level] = []

  /// Faces within 25° of level are so.
  private static let level = 0.906
  private static let bin = 0.02
  /// A floor is looked for within this of a peak, in metres.
  private static let reach = 0.08
  /// A floor or ceiling has at least this share of the area of the largest one, and this area in square metres.
  private static let (leastShare, leastArea) = (0.15, 1.0)
  /// From a floor to its ceiling, at least.
  private static let leastHeight = 1.8

  /// - Parameter samples: Those of the whole scan.
  init(_ samples: [ScanSamples.Sample]) {
    let up = Self.peaks(
      samples.filter {
        $0.normal.z > Self.level && $0.kind != .table && $0.kind != .seat && $0.kind != .object
      })
    let down = Self.peaks(samples.filter { $0.normal.z < -Self.level })
    var floors: [Peak] = []
    for floor in up where floor.height > (floors.last?.height ?? -.infinity) + Self.leastHeight {
      // The lowest comes first: a table has a floor below it.
      floors.append(floor)
    }
    for (index, floor) in floors.enumerated() {
      let next = index + 1 < floors.count ? floors[index + 1].height : .infinity
      let ceilings = down.filter {
        $0.height > floor.height + Self.leastHeight && $0.height < next + 0.1
      }
      if let ceiling = ceilings.max(by: { $0.area < $1.area }) {
        levels.append(
          Level(
            floor: floor.height, ceiling: ceiling.height, hasCeiling: true,
            floorDeviation: floor.deviation, ceilingDeviation: ceiling.deviation))
      } else if let top = Self.top(of: samples, above: floor.height, below: next) {
        levels.append(
          Level(
            floor: floor.height, ceiling: top, hasCeiling: false,
            floorDeviation: floor.deviation, ceilingDeviation: 0))
      }
    }
  }

  private struct Peak {
    var height: Double
    var area: Double
    var deviation: Double
  }

  /// Heights at which much is level, upwards.
  private static func peaks(_ samples: [ScanSamples.Sample]) -> [Peak] {
    guard let low = samples.lazy.map(\.position.z).min(),
      let high = samples.lazy.map(\.position.z).max(), high - low < 1000
    else { return [] }
    var bins = [Double](repeating: 0, count: Int((high - low) / bin) + 1)
    for sample in samples { bins[Int((sample.position.z - low) / bin)] += sample.area }
    let width = Int(reach / bin)
    func window(_ center: Int) -> Double {
      bins[max(0, center - width)...min(bins.count - 1, center + width)].reduce(0, +)
    }
    let sums = bins.indices.map(window)
    let least = max(leastArea, leastShare * (sums.max() ?? 0))
    var result: [Peak] = []
    var taken = [Bool](repeating: false, count: bins.count)
    for place in sums.indices.sorted(by: { (sums[$1], $0) < (sums[$0], $1) }) {
      guard sums[place] >= least, !taken[place] else { continue }
      let around = max(0, place - 2 * width)...min(bins.count - 1, place + 2 * width)
      for other in around { taken[other] = true }
      let middle = low + (Double(place) + 0.5) * bin
      result.append(peak(samples, near: middle))
    }
    return result.sorted { $0.height < $1.height }
  }

  /// The mean height of samples around a peak, without those far from it.
  private static func peak(_ samples: [ScanSamples.Sample], near start: Double) -> Peak {
    var (height, area, squares) = (start, 0.0, 0.0)
    for gate in [reach, 0.06, 0.04, 0.04] {
      var sum = 0.0
      (area, squares) = (0, 0)
      for sample in samples where abs(sample.position.z - height) < gate {
        let offset = sample.position.z - height
        sum += offset * sample.area
        squares += offset * offset * sample.area
        area += sample.area
      }
      guard area > 0 else { break }
      height += sum / area
    }
    let spread = area > 0 ? (squares / area).squareRoot() : reach
    return Peak(
      height: height, area: area,
      deviation: PlanUncertainty.deviation(spread: spread, area: area))
  }

  /// The upper end of what stands upright on a floor: where 2 % of it is above; nil without any.
  private static func top(
    of samples: [ScanSamples.Sample], above floor: Double, below next: Double
  ) -> Double? {
    let upright = samples.filter {
      abs($0.normal.z) < 0.3 && $0.position.z > floor && $0.position.z < next
    }.map(\.position.z).sorted()
    guard upright.count > 50 else { return nil }
    let top = upright[upright.count * 98 / 100]
    return top > floor + leastHeight / 2 ? top : nil
  }
}
