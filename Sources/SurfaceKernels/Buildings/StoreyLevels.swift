import MeshpipeScene
import POSIX

/// The heights of the floors and ceilings of a scan.
///
/// Floors that are too near above each other for a person to stand between them are of one storey. If each has a ceiling of its own,
/// as with half a storey between them, the storey has several levels; otherwise it has a step in the floor.
struct StoreyLevels {
  /// A floor with the ceiling above it.
  struct Level: Equatable {
    /// The lowest floor.
    var floor: Double
    var ceiling: Double
    /// Whether the ceiling was seen, and not just the upper ends of walls.
    var hasCeiling: Bool
    /// Standard deviations of both heights.
    var floorDeviation: Double
    var ceilingDeviation: Double
    /// The floors below the ceiling, from the lowest up: several if there are steps in the floor.
    var floors: [Double]
    /// The heights of all ceilings: several if some are dropped.
    var ceilings: [Double]
    /// Where floor and ceiling are in the plan, in cells.
    var cells: Set<SIMD2<Int>> = []
    /// The heights of floors of other levels.
    var others: [Double] = []
    /// Where other levels are that begin half a storey higher or lower.
    var otherCells: Set<SIMD2<Int>> = []

    /// Whether a place is on another level, and not on this one.
    func isElsewhere(_ point: SIMD2<Double>) -> Bool {
      guard !otherCells.isEmpty else { return false }
      let cell = StoreyLevels.cell(of: point)
      return otherCells.contains(cell) && !cells.contains(cell)
    }
  }

  /// What is on one storey.
  struct Storey: Equatable {
    /// The largest of its floors.
    var elevation: Double
    var levels: [Level]
  }

  private(set) var storeys: [Storey] = []

  /// Faces within 25° of level are so.
  private static let level = 0.906
  private static let bin = 0.02
  /// A floor is looked for within this of a peak, in metres.
  private static let reach = 0.08
  /// Floors and ceilings are at least this far apart, in metres.
  private static let apart = 0.12
  /// A floor or ceiling has at least this share of the area of the largest one, and this area in square metres.
  private static let (leastShare, leastArea) = (0.15, 1.0)
  /// From a floor to its ceiling, at least.
  private static let leastHeight = 1.8
  /// Floors with this much between them are of different levels if their ceilings are as far apart and have a floor below this
  /// share of them; less than the third is not a step.
  private static let (leastOffset, leastShared, steps) = (0.65, 0.5, 0.1...1.0)
  /// Plans are compared in cells of this size, in metres.
  private static let cell = 0.1

  /// - Parameter samples: Those of the whole scan, without stairs.
  init(_ samples: [ScanSamples.Sample]) {
    let up = Self.peaks(
      samples.filter {
        $0.normal.z > Self.level && $0.kind != .table && $0.kind != .seat && $0.kind != .object
      })
    let down = Self.peaks(samples.filter { $0.normal.z < -Self.level })
    var groups: [[Peak]] = []
    for floor in up {
      // The lowest comes first: a table has a floor below it.
      if let last = groups.last, floor.height <= last[0].height + Self.leastHeight {
        groups[groups.count - 1].append(floor)
      } else {
        groups.append([floor])
      }
    }
    for (index, group) in groups.enumerated() {
      let next = index + 1 < groups.count ? groups[index + 1][0].height : .infinity
      addStorey(group, below: next, down, samples)
    }
    let all = storeys.flatMap(\.levels)
    for storey in storeys.indices {
      for level in storeys[storey].levels.indices {
        let own = storeys[storey].levels[level]
        let others = all.filter { $0.floors != own.floors }
        storeys[storey].levels[level].others = others.flatMap(\.floors)
        storeys[storey].levels[level].otherCells = others.filter {
          abs($0.floor - own.floor) < Self.leastHeight
        }.reduce(into: []) { $0.formUnion($1.cells) }
      }
    }
  }

  fileprivate static func cell(of point: SIMD2<Double>) -> SIMD2<Int> {
    SIMD2<Int>((point / cell).rounded(.down))
  }

  private mutating func addStorey(
    _ group: [Peak], below next: Double, _ down: [Peak], _ samples: [ScanSamples.Sample]
  ) {
    let base = group[0]
    let ceilings = down.filter {
      $0.height > base.height + Self.leastHeight && $0.height < next + 0.1
    }
    let level: Level
    // That of half a storey more is above other floors.
    if let ceiling = ceilings.max(by: {
      (base.shared(with: $0), $0.area) < (base.shared(with: $1), $1.area)
    }) {
      level = Level(
        floor: base.height, ceiling: ceiling.height, hasCeiling: true,
        floorDeviation: base.deviation, ceilingDeviation: ceiling.deviation,
        floors: [base.height], ceilings: ceilings.map(\.height),
        cells: base.cells.union(ceiling.cells))
    } else if let top = Self.top(of: samples, above: base.height, below: next) {
      level = Level(
        floor: base.height, ceiling: top, hasCeiling: false, floorDeviation: base.deviation,
        ceilingDeviation: 0, floors: [base.height], ceilings: [top])
    } else {
      return
    }
    var storey = Storey(elevation: base.height, levels: [level])
    var largest = base.area
    for floor in group.dropFirst() {
      let isFloor: Bool
      if let own = Self.ownCeiling(of: floor, above: level, down) {
        storey.levels.append(own)
        isFloor = true
      } else {
        isFloor = Self.steps.contains(floor.height - base.height) && floor.isFloor
        if isFloor { storey.levels[0].floors.append(floor.height) }
      }
      if isFloor, floor.area > largest {
        (largest, storey.elevation) = (floor.area, floor.height)
      }
    }
    storeys.append(storey)
  }

  /// The level of a floor whose ceiling is about as much higher than that of another level as the floor is; nil if it has none.
  private static func ownCeiling(of floor: Peak, above level: Level, _ down: [Peak]) -> Level? {
    guard level.hasCeiling, floor.height - level.floor > leastOffset else { return nil }
    let own = down.filter { ceiling in
      ceiling.height > floor.height + leastHeight && ceiling.height > level.ceiling + leastOffset
        && 2 * (ceiling.height - level.ceiling) < 3 * leastHeight
        && Double(floor.shared(with: ceiling)) > leastShared * Double(floor.cells.count)
    }
    // A floor above would be its ceiling's upper side.
    guard let ceiling = own.min(by: { $0.height < $1.height }) else { return nil }
    return Level(
      floor: floor.height, ceiling: ceiling.height, hasCeiling: true,
      floorDeviation: floor.deviation, ceilingDeviation: ceiling.deviation,
      floors: [floor.height], ceilings: [ceiling.height],
      cells: floor.cells.union(ceiling.cells))
  }

  private struct Peak {
    var height: Double
    var area: Double
    var deviation: Double
    /// Where it is in the plan.
    var cells: Set<SIMD2<Int>>
    /// Whether most of it has the class of a floor, or none.
    var isFloor: Bool

    /// How many cells of the plan it has in common with another.
    func shared(with other: Peak) -> Int { cells.count { other.cells.contains($0) } }
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
      let found = peak(samples, near: low + (Double(place) + 0.5) * bin)
      // Windows of other places may hold all of it.
      let (first, last) = (found.height - low - apart, found.height - low + apart)
      let around =
        max(0, min(place, Int(first / bin)))...max(place, min(bins.count - 1, Int(last / bin)))
      for other in around {
        taken[other] = true
      }
      result.append(found)
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
    let own = samples.filter { abs($0.position.z - height) < reach }
    let floors = own.reduce(0) { $0 + ($1.kind == .floor || $1.kind == .none ? $1.area : 0) }
    return Peak(
      height: height, area: area,
      deviation: PlanUncertainty.deviation(spread: spread, area: area),
      cells: Set(own.map { Self.cell(of: $0.plan) }),
      isFloor: 2 * floors > own.reduce(0) { $0 + $1.area })
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
