package import MeshpipeBase
package import MeshpipeScene

/// The places of several scans in the coordinates of the first.
///
/// Scans are registered in pairs; a pair that does not agree with the ways round by better ones is dropped, and so is a
/// scan that contradicts another one where both were placed. Then all are moved together until they fit best.
package struct SurfaceNetwork: Sendable {
  /// Where a scan belongs.
  package struct Placement: Sendable {
    /// From its coordinates to those of the first scan.
    package var transform: Transform
    /// Its share that other scans have, too; of a smaller one, the share of that.
    package var overlap = 1.0
    /// The median distance from the others there, in units of the scans.
    package var residual = 0.0
    /// One standard deviation of its turn, in radians, and of its shift, in units of the scans.
    package var deviation = (turn: 0.0, shift: 0.0)
    /// The distance within which its surface and that of another scan were taken to be one, in units of the scans.
    package var tolerance = 0.0
  }

  /// One for each scan; nil where it fits nowhere.
  package private(set) var placements: [Placement?]
  /// Why a scan fits nowhere: what came nearest to a fit.
  package private(set) var refusals: [Int: SurfaceRegistration.Verdict] = [:]

  /// A pair of scans that fit.
  struct Pair {
    let first: Int
    let second: Int
    let registration: SurfaceRegistration
  }

  /// The number of scans up to which all pairs are tried; and of more, with how many before it each is tried, until it is joined
  /// to the rest.
  private static let (few, most) = (8, 24)
  /// The difference of two ways round at which they disagree: an angle in radians, and a shift in cells.
  private static let (mostTurn, mostShift) = (0.035, 3.0)

  /// - Parameter check: Throws to end it early.
  package init(
    _ surfaces: [RegisteredSurface], check: () throws(Cancelled) -> Void
  ) throws(Cancelled) {
    placements = surfaces.map { _ in nil }
    guard !surfaces.isEmpty else { return }
    var pairs: [Pair] = []
    var sets = DisjointSets(count: surfaces.count)
    var tries = [Int](repeating: 0, count: surfaces.count)
    for gap in 1..<max(surfaces.count, 2) {
      for second in gap..<max(surfaces.count, gap) {
        let first = second - gap
        if surfaces.count > Self.few {
          guard max(tries[first], tries[second]) < Self.most else { continue }
          if gap > 2, sets.root(of: first) == sets.root(of: second) { continue }
        }
        let found = try SurfaceRegistration(
          of: surfaces[second], onto: surfaces[first], check: check)
        if found.verdict == .fits {
          pairs.append(Pair(first: first, second: second, registration: found))
          sets.join(first, second)
        } else {
          tries[first] += 1
          tries[second] += 1
          for scan in [first, second] {
            refusals[scan] = max(refusals[scan] ?? .isApart, found.verdict)
          }
        }
      }
    }
    pairs.sort {
      ($0.registration.score, $1.first, $1.second) > ($1.registration.score, $0.first, $0.second)
    }
    place(surfaces, by: &pairs)
    while let scan = contradicted(surfaces, pairs) {
      pairs.removeAll { $0.first == scan || $0.second == scan }
      refusals[scan] = .contradicts
      place(surfaces, by: &pairs)
      try check()
    }
    var adjustment = NetworkAdjustment(surfaces, pairs, placements.map { $0?.transform })
    adjustment.perform()
    for index in placements.indices where placements[index] != nil {
      refusals[index] = nil
      placements[index]?.transform = adjustment.transform(of: index)
      guard index > 0 else { continue }
      placements[index]?.deviation = adjustment.deviation(of: index)
      let own = pairs.filter { $0.first == index || $0.second == index }.map(\.registration)
      placements[index]?.overlap = own.map(\.overlap).max() ?? 0
      placements[index]?.tolerance = own.map(\.tolerance).min() ?? 0
      placements[index]?.residual = own.map(\.residual).max() ?? 0
    }
  }

  /// Places what pairs join to the first scan, the best pairs first, and drops the pairs that disagree with these.
  private mutating func place(_ surfaces: [RegisteredSurface], by pairs: inout [Pair]) {
    var tree: [Pair] = []
    var rest: [Pair] = []
    var sets = DisjointSets(count: surfaces.count)
    for pair in pairs {
      if sets.root(of: pair.first) == sets.root(of: pair.second) {
        rest.append(pair)
      } else {
        sets.join(pair.first, pair.second)
        tree.append(pair)
      }
    }
    placements = surfaces.map { _ in nil }
    placements[0] = Placement(transform: .identity)
    var isGrowing = true
    while isGrowing {
      isGrowing = false
      for pair in tree {
        let way = pair.registration.transform
        if let known = placements[pair.first], placements[pair.second] == nil {
          placements[pair.second] = Placement(transform: known.transform * way)
          isGrowing = true
        } else if let known = placements[pair.second], placements[pair.first] == nil {
          placements[pair.first] = Placement(
            transform: known.transform * (way.inverse ?? .identity))
          isGrowing = true
        }
      }
    }
    let kept = rest.filter { agrees($0, surfaces) }
    pairs = (tree + kept).filter { placements[$0.first] != nil && placements[$0.second] != nil }
  }

  /// Whether a pair says the same as the way round by others.
  private func agrees(_ pair: Pair, _ surfaces: [RegisteredSurface]) -> Bool {
    guard let first = placements[pair.first]?.transform,
      let second = placements[pair.second]?.transform,
      let back = first.inverse
    else { return false }
    let frame = surfaces[pair.second].frame.inverse ?? .identity
    let (around, straight) = (back * second * frame, pair.registration.transform * frame)
    let shift = (around.translation - straight.translation).length
    let turn = max((around.x - straight.x).length, (around.z - straight.z).length)
    return turn < Self.mostTurn && shift < Self.mostShift * pair.registration.cellSize
  }
}

extension SurfaceNetwork {
  /// Samples that contradict are chance if there are fewer, or if they are a smaller share.
  private static let (leastContradiction, mostContradiction) = (100.0, 0.15)

  /// A scan that was placed by one pair and contradicts another scan: of both the one that less speaks for.
  private func contradicted(_ surfaces: [RegisteredSurface], _ pairs: [Pair]) -> Int? {
    for second in surfaces.indices {
      for first in 0..<second
      where !pairs.contains(where: { $0.first == first && $0.second == second }) {
        guard let own = placements[first]?.transform, let other = placements[second]?.transform,
          let back = own.inverse, let frame = surfaces[second].frame.inverse
        else { continue }
        let size = SurfaceRegistration.cellSize(surfaces[first], surfaces[second])
        let between = surfaces[first].frame * back * other * frame
        // Most of many scans are far apart.
        guard surfaces[first].isNear(surfaces[second], between, within: SurfaceCells.margin * size)
        else { continue }
        let matches = SurfaceMatches(
          SurfaceCells(surfaces[first], size: size), SurfaceCells(surfaces[second], size: size),
          between, within: SurfaceRegistration.tolerance * size)
        guard matches.contradicting > Self.leastContradiction,
          1 - matches.agreement > Self.mostContradiction
        else { continue }
        func support(_ scan: Int) -> Double {
          pairs.filter { $0.first == scan || $0.second == scan }
            .reduce(0) { $0 + $1.registration.score }
        }
        return first == 0 || support(second) <= support(first) ? second : first
      }
    }
    return nil
  }
}

extension SurfaceRegistration.Verdict: Comparable {
  /// Ordered by how near it is to a fit.
  private var rank: Int {
    switch self {
    case .isApart: 0
    case .contradicts: 1
    case .slides: 2
    case .isAmbiguous: 3
    case .fits: 4
    }
  }

  package static func < (one: Self, other: Self) -> Bool { one.rank < other.rank }
}
