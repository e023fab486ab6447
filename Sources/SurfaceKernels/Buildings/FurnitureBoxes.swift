import MeshpipeScene
import POSIX

/// Boxes around the furniture of a storey: what stands on its floor, within its rooms and off their walls.
struct FurnitureBoxes {
  private(set) var pieces: [Building.Piece] = []

  /// In metres, and square metres.
  private static let (lowest, highest, wallGap, leastArea) = (0.12, 2.2, 0.1, 0.09)
  private static let cell = 0.1
  /// The share of samples that may be beyond the sides of a box: noise, and what hangs over.
  private static let trimmed = 0.02

  /// - Parameter elevation: Of the storey.
  init(_ level: ScanLevel, elevation: Double) {
    for found in level.rooms {
      guard let room = found.outline.polygons.first else { continue }
      let (floor, ceiling) = (found.heights.lowerBound, found.heights.upperBound)
      let inner = level.samples.filter { sample in
        let height = sample.position.z - floor
        return height > Self.lowest && height < min(Self.highest, ceiling - floor - 0.2)
          && sample.kind != .wall && sample.kind != .door && sample.kind != .window
          && sample.kind != .floor && sample.kind != .ceiling
          && isInside(sample.plan, of: room)
          && Self.distance(sample.plan, to: room) > Self.wallGap
      }
      let first = pieces.count
      for kind in [ScanClass.table, .seat, .none] {
        // What has no class, or one of another object.
        let own = inner.filter {
          kind == .none ? $0.kind != .table && $0.kind != .seat : $0.kind == kind
        }
        for cluster in Self.clusters(own) { add(cluster, kind, floor, room) }
      }
      for piece in first..<pieces.count { pieces[piece].base += floor - elevation }
    }
  }

  private static func distance(_ point: SIMD2<Double>, to polygon: [SIMD2<Double>]) -> Double {
    polygon.indices.reduce(.infinity) { least, index in
      let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
      let side = b - a
      let share = min(1, max(0, (point - a).dot(side) / max(side.dot(side), 1e-12)))
      return min(least, (point - a - side * share).length)
    }
  }

  /// Samples whose cells touch.
  private static func clusters(_ samples: [ScanSamples.Sample]) -> [[ScanSamples.Sample]] {
    func cell(_ sample: ScanSamples.Sample) -> SIMD2<Int> {
      SIMD2<Int>((sample.plan / Self.cell).rounded(.down))
    }
    var cells: [SIMD2<Int>: [Int]] = [:]
    for (index, sample) in samples.enumerated() { cells[cell(sample), default: []].append(index) }
    var result: [[ScanSamples.Sample]] = []
    for sample in samples {
      guard let first = cells.removeValue(forKey: cell(sample)) else { continue }
      var members = first
      var front = [cell(sample)]
      while let next = front.popLast() {
        for x in -1...1 {
          for y in -1...1 {
            let other = next &+ SIMD2(x, y)
            guard let own = cells.removeValue(forKey: other) else { continue }
            members += own
            front.append(other)
          }
        }
      }
      result.append(members.sorted().map { samples[$0] })
    }
    return result
  }

  private mutating func add(
    _ cluster: [ScanSamples.Sample], _ kind: ScanClass, _ floor: Double,
    _ room: [SIMD2<Double>]
  ) {
    // Along the side of the room that makes the smallest box.
    let angles = Set(
      room.indices.map { index -> Double in
        let side = room[(index + 1) % room.count] - room[index]
        let angle = remainder(side.angle, .pi / 2)
        return (angle * 1e4).rounded() / 1e4
      }
    ).sorted()
    guard let whole = Self.smallestBox(cluster, angles, kind, floor) else { return }
    // The back of a seat is higher than the seat.
    let parts = FurnitureParts(cluster, angle: whole.turn, usesHeights: kind != .seat).parts
    for part in parts {
      let box = parts.count == 1 ? whole : Self.smallestBox(part, angles, kind, floor)
      guard let box, box.size.x * box.size.y > Self.leastArea, box.size.z > 0.15 else { continue }
      pieces.append(box)
    }
  }

  /// The smallest of the boxes around samples at several angles; nil if there is little of them.
  private static func smallestBox(
    _ cluster: [ScanSamples.Sample], _ angles: [Double], _ kind: ScanClass, _ floor: Double
  ) -> Building.Piece? {
    guard cluster.reduce(0, { $0 + $1.area }) > 0.2 else { return nil }
    return angles.map { box(cluster, $0, kind, floor) }
      .min { $0.size.x * $0.size.y < $1.size.x * $1.size.y }
  }

  private static func box(
    _ cluster: [ScanSamples.Sample], _ angle: Double, _ kind: ScanClass,
    _ floor: Double
  ) -> Building.Piece {
    let (x, y) = (SIMD2<Double>(angle: angle), SIMD2<Double>(angle: angle).left)
    func range(_ values: [Double]) -> (low: Double, high: Double) {
      let sorted = values.sorted()
      let cut = Int(trimmed * Double(sorted.count))
      return (sorted[cut], sorted[sorted.count - 1 - cut])
    }
    let (u, v) = (range(cluster.map { $0.plan.dot(x) }), range(cluster.map { $0.plan.dot(y) }))
    let height = range(cluster.map { $0.position.z - floor })
    // What nearly reaches the floor stands on it.
    let base = height.low < 2.5 * lowest ? 0 : height.low
    return Building.Piece(
      category: kind == .none ? "object" : kind == .table ? "table" : "seat",
      center: x * ((u.low + u.high) / 2) + y * ((v.low + v.high) / 2), turn: angle,
      size: SIMD3(u.high - u.low, v.high - v.low, height.high - base), base: base)
  }
}
