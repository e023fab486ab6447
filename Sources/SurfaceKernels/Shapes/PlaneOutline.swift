import MeshpipeScene

/// The extent of the faces or points on a plane: polygons with straight sides.
struct PlaneOutline {
  /// Outlines counterclockwise and holes clockwise, along the plane's reference and across, from its center.
  private(set) var loops: [[SIMD2<Double>]] = []

  /// The most cells along the longer side.
  private static let mostCells = 1024.0
  /// Parts below this share of the area are left out.
  private static let leastShare = 0.01
  /// The tolerance of straight sides, in cells and in distances of neighbours, and how often it is halved.
  private static let (cells, distances, halvings) = (2.0, 2.0, 4)

  /// - Parameters:
  ///   - size: The sides of the rectangle around the plane's part.
  ///   - spacing: The usual distance of neighbours.
  ///   - gap: The width of gaps that are closed.
  ///   - fill: Covers faces or points.
  init(
    size: SIMD2<Double>, spacing: Double, gap: Double, fill: (inout FlatCoverage) -> Void
  ) {
    let longest = max(size.x, size.y)
    guard longest > 0, longest.isFinite else { return }
    let cell = max(spacing / 2, longest / Self.mostCells)
    let closed = min(max(gap, 3 * cell), longest)
    var coverage = FlatCoverage(size: size, cell: cell, margin: closed)
    fill(&coverage)
    let contours = Self.withoutSmall(coverage.contours(closing: closed), closed * closed)
    // Closing rounds corners of holes by half a gap.
    var tolerance = max(Self.cells * cell, Self.distances * spacing, closed / 2)
    for _ in 0...Self.halvings {
      let simple = contours.map { StraightSides($0, tolerance: tolerance).corners }
        .filter { $0.count >= 3 }
      // Simplified too much, they may cross each other.
      if PolygonTriangulation.triangles(ofLoops: simple)?.isEmpty == false {
        loops = simple
        return
      }
      tolerance /= 2
    }
  }

  /// Leaves out small holes and parts.
  private static func withoutSmall(
    _ loops: [[SIMD2<Double>]], _ least: Double
  ) -> [[SIMD2<Double>]] {
    let areas = loops.map { PolygonTriangulation.signedArea(of: $0) }
    let whole = areas.reduce(0, +)
    return loops.indices.filter {
      abs(areas[$0]) >= least && (areas[$0] < 0 || areas[$0] >= leastShare * whole)
    }.map { loops[$0] }
  }
}

/// A polygon with as few straight sides as a tolerance allows.
///
/// Corners are found as by Douglas and Peucker (1973). A line is fitted to what is between two of them, and lines that
/// follow each other are cut, so that a corner isn't where the outline happens to go farthest.
private struct StraightSides {
  private(set) var corners: [SIMD2<Double>] = []
  private let points: [SIMD2<Double>]
  private let tolerance: Double

  /// The least sine between sides that are cut.
  private static let leastSine = 0.3

  init(_ points: [SIMD2<Double>], tolerance: Double) {
    self.points = points
    self.tolerance = tolerance
    guard points.count > 3 else {
      corners = points
      return
    }
    let places = self.places()
    guard places.count >= 3 else { return }
    let sides = places.indices.map { side in
      line(from: places[side], to: places[(side + 1) % places.count])
    }
    corners = places.indices.map { side in
      let (before, after) = (sides[side > 0 ? side - 1 : sides.count - 1], sides[side])
      let known = points[places[side]]
      guard let meeting = before.meeting(after, leastSine: Self.leastSine) else { return known }
      let offset = meeting - known
      return (offset * offset).sum() <= 4 * tolerance * tolerance ? meeting : known
    }
  }

  /// The indices of the corners in ``points``, in order.
  private func places() -> [Int] {
    let count = points.count
    func place(farthestFrom point: SIMD2<Double>) -> Int {
      func squared(_ index: Int) -> Double {
        let offset = points[index] - point
        return (offset * offset).sum()
      }
      return points.indices.max { squared($0) < squared($1) } ?? 0
    }
    // What is farthest from the middle is a corner, and not part of a side.
    let first = place(farthestFrom: points.reduce(.zero, +) / Double(count))
    let opposite = place(farthestFrom: points[first])
    // Indices from the first corner on, so that each span has its end after its beginning.
    let middle = (opposite - first + count) % count
    var isCorner = Set([0, middle])
    for span in [0...middle, middle...count] {
      isCorner.formUnion(
        bends(of: span, tolerance: tolerance) { points[($0 + first) % count] })
    }
    return withoutFlat(isCorner.sorted().map { ($0 + first) % count })
  }

  /// Leaves out corners that are within the tolerance of the line between their neighbours, the flattest first.
  private func withoutFlat(_ places: [Int]) -> [Int] {
    var places = places
    while places.count > 3 {
      let count = places.count
      let distances = places.indices.map { index in
        let start = points[places[(index + count - 1) % count]]
        let end = points[places[(index + 1) % count]]
        return points[places[index]].distance(fromSegmentAt: start, along: end - start)
      }
      guard let flattest = distances.indices.min(by: { distances[$0] < distances[$1] }),
        distances[flattest] < tolerance
      else { break }
      places.remove(at: flattest)
    }
    return places
  }

  /// The line fitted to the points between two corners.
  private func line(from: Int, to: Int) -> FlatLine {
    let count = (to - from + points.count) % points.count
    let ends = FlatLine(from: points[from], to: points[to])
    guard count >= 4 else { return ends }
    // Without the corners themselves, which are rounded.
    let inner = (1..<count).map { points[(from + $0) % points.count] }
    let mean = inner.reduce(.zero, +) / Double(inner.count)
    var (xx, xy, yy) = (0.0, 0.0, 0.0)
    for point in inner {
      let offset = point - mean
      xx += offset.x * offset.x
      xy += offset.x * offset.y
      yy += offset.y * offset.y
    }
    // The direction of the larger of both eigenvalues.
    let half = ((xx - yy) / 2 * ((xx - yy) / 2) + xy * xy).squareRoot()
    let direction =
      xx > yy ? SIMD2((xx - yy) / 2 + half, xy) : SIMD2(xy, half - (xx - yy) / 2)
    guard half > 0 else { return ends }
    return FlatLine(point: mean, direction: direction)
  }
}

private struct FlatLine {
  var point: SIMD2<Double>
  var direction: SIMD2<Double>

  init(point: SIMD2<Double>, direction: SIMD2<Double>) {
    self.point = point
    self.direction = direction
  }

  init(from start: SIMD2<Double>, to end: SIMD2<Double>) {
    self.init(point: start, direction: end - start)
  }

  /// Where two lines cross; nil if they are nearly parallel.
  func meeting(_ other: FlatLine, leastSine: Double) -> SIMD2<Double>? {
    let cross = direction.x * other.direction.y - direction.y * other.direction.x
    let lengths =
      ((direction * direction).sum() * (other.direction * other.direction).sum()).squareRoot()
    guard lengths > 0, abs(cross) >= leastSine * lengths else { return nil }
    let offset = other.point - point
    return point + direction
      * ((offset.x * other.direction.y - offset.y * other.direction.x) / cross)
  }
}
