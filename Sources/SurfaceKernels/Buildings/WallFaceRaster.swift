import MeshpipeScene
import POSIX

/// A face of a wall as a picture: along it and upwards, which parts were seen, and what is behind it.
struct WallFaceRaster {
  /// The edge of a pixel, in metres.
  static let pixel = ScanSamples.spacing
  /// Samples this near are on the face; what is further behind, up to the depth, is in an opening.
  private static let (gate, depth) = (0.035, 0.5)
  /// Furniture before a wall is within this of it, in metres.
  private static let reach = 1.0

  let columns: Int
  let rows: Int
  /// The share of each pixel that is wall.
  private(set) var wall: [Double]
  /// The share of each pixel that is at the face and has the class of a door or window.
  private(set) var filling: [Double]
  /// How much of each pixel is closed by something behind the face, or by a door or window in it.
  private(set) var behind: [Double]
  /// How much of each pixel is hidden by something before the face.
  private(set) var front: [Double]
  /// The class of a door or window at the face.
  private(set) var kinds: [ScanClass]
  /// What is within the wall and looks along it, up or down: the sides of recesses.
  private(set) var reveals: [Reveal] = []

  /// A sample of a side of a recess.
  struct Reveal {
    /// Where it looks, seen from the room.
    enum Direction { case forward, backward, up, down }

    /// Along the face, and above the floor.
    var place: SIMD2<Double>
    var direction: Direction
    var area: Double
  }

  /// - Parameters:
  ///   - line: Of the face, from the point at 0 on.
  ///   - thickness: Of the wall, if it has another face.
  ///   - samples: Those of the storey.
  init(
    _ line: PlanLine, length: Double, height: Double, floor: Double,
    thickness: Double?, _ samples: [ScanSamples.Sample]
  ) {
    let depth = thickness.map { max($0 - 0.01, 0.05) } ?? Self.depth
    columns = max(1, min(4096, Int((length / Self.pixel).rounded(.up))))
    rows = max(1, min(512, Int((height / Self.pixel).rounded(.up))))
    wall = [Double](repeating: 0, count: columns * rows)
    behind = wall
    front = wall
    filling = wall
    kinds = [ScanClass](repeating: .none, count: columns * rows)
    for sample in samples {
      let distance = line.distance(to: sample.plan)
      guard distance < Self.reach, distance > -depth else { continue }
      let along = line.coordinate(of: sample.plan)
      let rise = sample.position.z - floor
      guard along >= 0, along < length, rise >= 0, rise < height else { continue }
      add(sample, SIMD2(along, rise), distance, line.direction, depth: depth)
    }
  }

  private mutating func add(
    _ sample: ScanSamples.Sample, _ position: SIMD2<Double>, _ distance: Double,
    _ direction: SIMD2<Double>, depth: Double
  ) {
    let normal = SIMD2(sample.normal.x, sample.normal.y)
    let facing = normal.dot(direction.left)
    let weight = sample.area / (Self.pixel * Self.pixel)
    let isFilling = sample.kind == .door || sample.kind == .window
    if abs(distance) < Self.gate, facing > 0.7 {
      for (pixel, share) in shares(position) {
        if isFilling { filling[pixel] += share * weight } else { wall[pixel] += share * weight }
      }
    }
    // What looks away is the other face of the wall.
    if (isFilling && distance < Self.gate) || (distance < -Self.gate && distance > -depth),
      facing > 0.5
    {
      for (pixel, share) in shares(position) { behind[pixel] += share * weight }
    }
    if distance > 0.08, facing > 0.5 {
      for (pixel, share) in shares(position) { front[pixel] += share * weight }
    }
    if isFilling {
      for (pixel, share) in shares(position) where share > 0.2 { kinds[pixel] = sample.kind }
    }
    guard distance > -depth else { return }
    let (forward, rise) = (normal.dot(direction), sample.normal.z)
    if abs(forward) > 0.75, distance < 0.03 {
      reveals.append(
        Reveal(place: position, direction: forward > 0 ? .forward : .backward, area: sample.area))
    } else if abs(rise) > 0.75, distance < 0.01 {
      // What stands before a wall has a top as well.
      reveals.append(Reveal(place: position, direction: rise > 0 ? .up : .down, area: sample.area))
    }
  }

  /// Divides a weight among the four pixels around a place, so that samples on a grid of their own leave no gaps.
  private func shares(_ position: SIMD2<Double>) -> [(pixel: Int, share: Double)] {
    let scaled = position / Self.pixel - 0.5
    let cell = scaled.rounded(.down)
    let part = scaled - cell
    var result: [(Int, Double)] = []
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let (column, row) = (Int(cell.x) + x, Int(cell.y) + y)
      guard 0..<columns ~= column, 0..<rows ~= row else { continue }
      let share = (x == 0 ? 1 - part.x : part.x) * (y == 0 ? 1 - part.y : part.y)
      result.append((row * columns + column, share))
    }
    return result
  }

  /// The mean of what pixels hold within the edges of an opening, each at most 1; nil if there are none.
  func share(of values: [Double], within edges: OpeningEdges) -> Double? {
    var (sum, count) = (0.0, 0.0)
    for row in 0..<rows where edges.heights.contains((Double(row) + 0.5) * Self.pixel) {
      for column in 0..<columns where edges.along.contains((Double(column) + 0.5) * Self.pixel) {
        sum += min(1, values[row * columns + column])
        count += 1
      }
    }
    return count > 0 ? sum / count : nil
  }

  /// Whether a pixel is wall for the most part.
  func isWall(_ index: Int) -> Bool { wall[index] > 0.5 }
}
