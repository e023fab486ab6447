import MeshPipeline

/// The cells of a surface as triangles of an atlas's pages, in exact fixed point.
struct CellRaster: Sendable {
  let atlas: Atlas
  let cells: CellSurface

  init(_ atlas: Atlas, _ cells: CellSurface) {
    self.atlas = atlas
    self.cells = cells
  }

  /// How many texels a cell owns.
  func count(ofCell cell: Int) -> Int {
    var count = 0
    triangle(ofCell: cell)?.forEachSpan { count += $0.columns.count }
    return count
  }

  @inline(__always)
  func page(ofCell cell: Int) -> Int { Int(atlas.facePages[Int(cells.faces[cell])]) }

  /// A cell's place in its page; nil when it has no area there.
  func triangle(ofCell cell: Int) -> CellTriangle? {
    let face = Int(cells.faces[cell])
    guard atlas.faceCharts[face] != Atlas.noChart else { return nil }
    let whole = 1 << cells.depth
    let (a, b, c) = (
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 1]),
      SIMD2<Int>(truncatingIfNeeded: atlas.cornerTexels[3 * face + 2])
    )
    func place(_ corner: Int) -> SIMD2<Int> {
      let weights = cells.corners[3 * cell + corner]
      let (first, second) = (Int(weights.x), Int(weights.y))
      return a &* first &+ b &* second &+ c &* (whole - first - second)
    }
    return CellTriangle(place(0), place(1), place(2), unitBits: 8 + cells.depth)
  }
}

/// A triangle in fixed-point texels, ready to be rasterised by the top-left rule.
///
/// A texel whose centre lies on the edge of two triangles belongs to exactly one of them.
struct CellTriangle {
  /// A line through two corners; a point inside has `x * point.x + y * point.y + constant ≥ 0`.
  private struct Edge {
    var x: Int
    var y: Int
    var constant: Int

    init(from start: SIMD2<Int>, to end: SIMD2<Int>) {
      x = start.y - end.y
      y = end.x - start.x
      constant = -(x * start.x + y * start.y)
      let ownsItsPoints = x > 0 || (x == 0 && y > 0)
      if !ownsItsPoints { constant -= 1 }
    }
  }

  private let corners: (SIMD2<Int>, SIMD2<Int>, SIMD2<Int>)
  private let edges: (Edge, Edge, Edge)
  private let area: Int
  private let bits: Int
  /// What the weights of the corners grow by from one row and from one column to the next.
  let weightsPerRow: SIMD3<Float>
  let weightsPerColumn: SIMD3<Float>

  /// Texels of one row, next to each other.
  struct Span {
    var row: Int
    var columns: Range<Int>
    /// The weights of the corners at the centre of the first column.
    var weights: SIMD3<Float>
  }

  /// Nil for a triangle without an area.
  init?(_ a: SIMD2<Int>, _ b: SIMD2<Int>, _ c: SIMD2<Int>, unitBits: Int) {
    let (ab, ac) = (b &- a, c &- a)
    area = ab.x * ac.y - ab.y * ac.x
    guard area != 0 else { return nil }
    corners = (a, b, c)
    bits = unitBits
    edges =
      area > 0
      ? (Edge(from: a, to: b), Edge(from: b, to: c), Edge(from: c, to: a))
      : (Edge(from: b, to: a), Edge(from: c, to: b), Edge(from: a, to: c))
    let scale = Float(1 << unitBits) / Float(area)
    weightsPerColumn =
      SIMD3(Float(b.y - c.y), Float(c.y - a.y), Float(a.y - b.y)) * scale
    weightsPerRow = SIMD3(Float(c.x - b.x), Float(a.x - c.x), Float(b.x - a.x)) * scale
  }

  @inline(__always)
  func forEachSpan(_ body: (Span) -> Void) {
    let (a, b, c) = corners
    let half = 1 << (bits - 1)
    let first = (min(a.y, b.y, c.y) + half - 1) >> bits
    let end = ((max(a.y, b.y, c.y) - half) >> bits) + 1
    guard first < end else { return }
    let left = min(a.x, b.x, c.x)
    let right = max(a.x, b.x, c.x)
    for row in first..<end {
      let y = row << bits + half
      var (low, high) = (left, right)
      Self.clip(edges.0, y, &low, &high)
      Self.clip(edges.1, y, &low, &high)
      Self.clip(edges.2, y, &low, &high)
      let first = (low + half - 1) >> bits
      let end = ((high - half) >> bits) + 1
      guard first < end else { continue }
      let x = first << bits + half
      let second = (c.x - x) * (a.y - y) - (c.y - y) * (a.x - x)
      let third = (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x)
      let weights =
        SIMD3(Float(area - second - third), Float(second), Float(third)) / Float(area)
      body(Span(row: row, columns: first..<end, weights: weights))
    }
  }

  /// Narrows the interval of x at height `y` to the inside of an edge.
  @inline(__always)
  private static func clip(_ edge: Edge, _ y: Int, _ low: inout Int, _ high: inout Int) {
    let value = edge.y * y + edge.constant
    if edge.x > 0 {
      low = max(low, -floorDivide(value, edge.x))
    } else if edge.x < 0 {
      high = min(high, floorDivide(value, -edge.x))
    } else if value < 0 {
      high = low - (1 << 40)
    }
  }

  @inline(__always)
  private static func floorDivide(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a % b < 0 ? quotient - 1 : quotient
  }
}
