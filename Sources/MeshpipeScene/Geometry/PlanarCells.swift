import MeshpipeBase

/// The triangles of a flat region: an outline without its holes, which may overlap, touch and reach beyond it.
///
/// The region is cut into strips between neighbouring corners; in a strip no edges cross, so that a piece of it is what
/// lies between two edges. Coordinates are multiples of a hundredth of a millimetre, so that neighbours agree on their corners.
package struct PlanarCells {
  /// The corners; one at which parts of the region only touch is there once for each of them.
  package private(set) var points: [SIMD2<Double>] = []
  /// Three corners for each triangle, counterclockwise.
  package private(set) var triangles: [UInt32] = []
  /// The edges with one triangle, which is on the left.
  package private(set) var borders: [(from: UInt32, to: UInt32)] = []

  /// Points per metre.
  private static let fineness = 1e5

  private typealias Point = SIMD2<Int>

  private struct Edge {
    var from: Point
    var to: Point
    /// 0 for the outline, otherwise the number of the hole.
    var polygon: Int

    func height(at x: Int) -> Int {
      let share = Double(x - from.x) / Double(to.x - from.x)
      return from.y + Int((Double(to.y - from.y) * share).rounded())
    }
  }

  /// A piece of a strip: its lower and upper ends on the left and on the right.
  private struct Piece {
    var left: ClosedRange<Int>
    var right: ClosedRange<Int>
  }

  /// Cuts a region into triangles.
  ///
  /// - Parameter cuts: Further places along x with corners, as for a wall that is bent there.
  package init(outline: [SIMD2<Double>], holes: [[SIMD2<Double>]], cuts: [Double] = []) {
    let polygons = Self.aligned([outline] + holes).map { $0.map(Self.onGrid) }
    let edges = polygons.enumerated().flatMap { Self.edges(of: $1, number: $0) }
    let stations = Self.stations(
      of: polygons, edges, cuts: cuts.map { Self.onGrid(SIMD2($0, 0)).x })
    let strips = zip(stations, stations.dropFirst()).map { from, to in
      Self.pieces(of: edges, from: from, to: to, holes: holes.count)
    }
    var heights = [Set<Int>](repeating: [], count: stations.count)
    for (index, strip) in strips.enumerated() {
      for piece in strip {
        heights[index].formUnion([piece.left.lowerBound, piece.left.upperBound])
        heights[index + 1].formUnion([piece.right.lowerBound, piece.right.upperBound])
      }
    }
    var corners: [Point] = []
    let sorted = heights.map { $0.sorted() }
    for (index, strip) in strips.enumerated() {
      for piece in strip {
        let left = sorted[index].filter(piece.left.contains).map { Point(stations[index], $0) }
        let right = sorted[index + 1].filter(piece.right.contains).map {
          Point(stations[index + 1], $0)
        }
        Self.join(left, right, &corners)
      }
    }
    connect(corners)
  }

  /// Gives coordinates that differ by less than half a millimetre the same value, instead of strips as thin as that.
  private static func aligned(_ polygons: [[SIMD2<Double>]]) -> [[SIMD2<Double>]] {
    func values(_ all: [Double]) -> [Double: Double] {
      var result: [Double: Double] = [:]
      var last = -Double.infinity
      for value in Set(all).sorted() {
        if value - last > 0.0005 { last = value }
        result[value] = last
      }
      return result
    }
    let xs = values(polygons.joined().map(\.x))
    let ys = values(polygons.joined().map(\.y))
    return polygons.map { $0.map { SIMD2(xs[$0.x] ?? $0.x, ys[$0.y] ?? $0.y) } }
  }

  private static func onGrid(_ point: SIMD2<Double>) -> Point {
    Point(Int((point.x * fineness).rounded()), Int((point.y * fineness).rounded()))
  }

  /// The edges that are not upright, from left to right.
  private static func edges(of polygon: [Point], number: Int) -> [Edge] {
    polygon.indices.compactMap { index in
      let (a, b) = (polygon[index], polygon[(index + 1) % polygon.count])
      return a.x == b.x
        ? nil
        : a.x < b.x ? Edge(from: a, to: b, polygon: number) : Edge(from: b, to: a, polygon: number)
    }
  }

  /// Where strips begin and end, from left to right.
  private static func stations(of polygons: [[Point]], _ edges: [Edge], cuts: [Int]) -> [Int] {
    let ends = polygons[0].map(\.x)
    guard let first = ends.min(), let last = ends.max() else { return [] }
    var all = Set(polygons.joined().map(\.x) + cuts)
    let slanted = edges.filter { $0.from.y != $0.to.y }
    for edge in slanted {
      for other in edges {
        if let x = crossing(edge, other) { all.insert(x) }
      }
    }
    return all.filter { first...last ~= $0 }.sorted()
  }

  /// Where two edges cross.
  private static func crossing(_ a: Edge, _ b: Edge) -> Int? {
    let (start, end) = (max(a.from.x, b.from.x), min(a.to.x, b.to.x))
    guard start < end else { return nil }
    let before = a.height(at: start) - b.height(at: start)
    let after = a.height(at: end) - b.height(at: end)
    guard (before < 0 && after > 0) || (before > 0 && after < 0) else { return nil }
    let share = Double(before) / Double(before - after)
    return start + Int((Double(end - start) * share).rounded())
  }

  /// What is inside the outline and outside the holes in a strip, from below.
  private static func pieces(of edges: [Edge], from: Int, to: Int, holes: Int) -> [Piece] {
    var crossed: [(left: Int, right: Int, polygon: Int)] = []
    for edge in edges where edge.from.x <= from && edge.to.x >= to {
      crossed.append((edge.height(at: from), edge.height(at: to), edge.polygon))
    }
    crossed.sort { ($0.left + $0.right, $0.polygon) < ($1.left + $1.right, $1.polygon) }
    var isInside = [Bool](repeating: false, count: holes + 1)
    var insideHoles = 0
    var start: (left: Int, right: Int)?
    var pieces: [Piece] = []
    for edge in crossed {
      isInside[edge.polygon].toggle()
      if edge.polygon > 0 { insideHoles += isInside[edge.polygon] ? 1 : -1 }
      let isCovered = isInside[0] && insideHoles == 0
      if let begun = start, !isCovered {
        start = nil
        // One above the other by rounding only where edges cross.
        let (left, right) = (max(begun.left, edge.left), max(begun.right, edge.right))
        if left > begun.left || right > begun.right {
          pieces.append(Piece(left: begun.left...left, right: begun.right...right))
        }
      } else if start == nil, isCovered {
        start = (edge.left, edge.right)
      }
    }
    return pieces
  }

  /// Fills the space between two upright chains of points.
  private static func join(_ left: [Point], _ right: [Point], _ corners: inout [Point]) {
    var (i, j) = (0, 0)
    while i + 1 < left.count || j + 1 < right.count {
      let takesLeft =
        j + 1 >= right.count || (i + 1 < left.count && left[i + 1].y <= right[j + 1].y)
      if takesLeft {
        corners += [left[i], right[j], left[i + 1]]
        i += 1
      } else {
        corners += [left[i], right[j], right[j + 1]]
        j += 1
      }
    }
  }

  /// Numbers the corners: those of triangles that are joined by edges around a point become one.
  private mutating func connect(_ corners: [Point]) {
    struct Side: Hashable {
      var from: Point
      var to: Point
    }
    func next(_ corner: Int) -> Int { corner % 3 == 2 ? corner - 2 : corner + 1 }
    var sides: [Side: Int] = [:]
    for corner in corners.indices {
      sides[Side(from: corners[corner], to: corners[next(corner)])] = corner
    }
    var sets = DisjointSets(count: corners.count)
    var open: [Int] = []
    for corner in corners.indices {
      let opposite = Side(from: corners[next(corner)], to: corners[corner])
      guard let other = sides[opposite] else {
        open.append(corner)
        continue
      }
      sets.join(corner, next(other))
      sets.join(next(corner), other)
    }
    let numbers = sets.numbered()
    triangles = numbers.labels
    points = [SIMD2<Double>](repeating: .zero, count: numbers.count)
    for (corner, place) in corners.enumerated() {
      points[Int(triangles[corner])] = SIMD2<Double>(place) / Self.fineness
    }
    borders = open.map { (triangles[$0], triangles[next($0)]) }
  }
}
