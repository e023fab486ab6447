import MeshpipeScene

/// Adjacent texels of one face in one row of a page.
///
/// The weights are the barycentric coordinates at the texel's centre; they are affine along the
/// span.
@usableFromInline
package struct TexelSpan: Sendable {
  @usableFromInline package var row: Int
  @usableFromInline package var columns: Range<Int>
  /// The weights of the corners at the centre of the first column.
  @usableFromInline package var weights: SIMD3<Float>
  /// The increment of the weights per column.
  @usableFromInline package var weightsPerColumn: SIMD3<Float>

  /// The weights of the corners at the centre of a column.
  @inlinable @inline(__always)
  package func weights(atColumn column: Int) -> SIMD3<Float> {
    weights + weightsPerColumn * Float(column - columns.lowerBound)
  }

  @inlinable
  init(
    row: Int, columns: Range<Int>, weights: SIMD3<Float>, weightsPerColumn: SIMD3<Float>
  ) {
    self.row = row
    self.columns = columns
    self.weights = weights
    self.weightsPerColumn = weightsPerColumn
  }
}

extension Atlas {
  /// Calls `body` for each row of texels whose centres are in a face, from the top down.
  ///
  /// A centre on the edge of two faces belongs to one of them (the rasterisers' top-left rule, in
  /// integers), so no texel of a page is visited twice or missed between two faces: threads may
  /// work on different faces of one page.
  @inline(__always)
  func forEachSpan(ofFace face: Int, _ body: (TexelSpan) -> Void) {
    guard faceCharts[face] != Self.noChart else { return }
    triangle(ofFace: face)?.forEachSpan(body)
  }

  /// A face on its page; nil if it has no area there.
  @inline(__always)
  func triangle(ofFace face: Int) -> TexelTriangle? {
    TexelTriangle(
      cornerTexels[3 * face], cornerTexels[3 * face + 1], cornerTexels[3 * face + 2])
  }
}

/// A triangle in fixed-point texels, prepared for rasterisation.
@usableFromInline
package struct TexelTriangle: Sendable {
  /// A line through two corners; a point inside has `x * point.x + y * point.y + constant ≥ 0`.
  @usableFromInline
  struct Edge: Sendable {
    @usableFromInline var x: Int
    @usableFromInline var y: Int
    @usableFromInline var constant: Int

    /// - Parameter start: The triangle is to the left of the edge, with x to the right and y up,
    ///   from `start` to `end`.
    @inlinable
    init(from start: SIMD2<Int>, to end: SIMD2<Int>) {
      x = start.y - end.y
      y = end.x - start.x
      constant = -(x * start.x + y * start.y)
      // A centre on an edge belongs to the face for which it is a left or a top edge.
      let ownsItsPoints = x > 0 || (x == 0 && y > 0)
      if !ownsItsPoints { constant -= 1 }
    }
  }

  @usableFromInline let corners: (SIMD2<Int>, SIMD2<Int>, SIMD2<Int>)
  @usableFromInline let edges: (Edge, Edge, Edge)
  /// Twice the signed area, in squared units.
  @usableFromInline let area: Int
  /// The log2 of units per texel.
  @usableFromInline let bits: Int
  @usableFromInline let rows: Range<Int>
  /// The increments of the weights per row and per column.
  @usableFromInline package let weightsPerRow: SIMD3<Float>
  @usableFromInline package let weightsPerColumn: SIMD3<Float>

  /// The triangle of an atlas's ``Atlas/cornerTexels``; nil if it has no area.
  package init?(_ a: SIMD2<Int32>, _ b: SIMD2<Int32>, _ c: SIMD2<Int32>) {
    self.init(
      SIMD2<Int>(truncatingIfNeeded: a), SIMD2<Int>(truncatingIfNeeded: b),
      SIMD2<Int>(truncatingIfNeeded: c), fractionBits: 8)
  }

  /// Nil for a triangle without an area.
  ///
  /// - Parameter fractionBits: The number of fractional bits of a coordinate.
  package init?(_ a: SIMD2<Int>, _ b: SIMD2<Int>, _ c: SIMD2<Int>, fractionBits: Int) {
    let (ab, ac) = (b &- a, c &- a)
    area = ab.x * ac.y - ab.y * ac.x
    guard area != 0 else { return nil }
    corners = (a, b, c)
    edges =
      area > 0
      ? (Edge(from: a, to: b), Edge(from: b, to: c), Edge(from: c, to: a))
      : (Edge(from: b, to: a), Edge(from: c, to: b), Edge(from: a, to: c))
    bits = fractionBits
    let half = 1 << (bits - 1)
    // The rows whose centres are between the lowest and the highest corner.
    let first = (min(a.y, b.y, c.y) + half - 1) >> bits
    let end = ((max(a.y, b.y, c.y) - half) >> bits) + 1
    rows = first..<max(first, end)
    let scale = Float(1 << bits) / Float(area)
    weightsPerColumn = SIMD3(Float(b.y - c.y), Float(c.y - a.y), Float(a.y - b.y)) * scale
    weightsPerRow = SIMD3(Float(c.x - b.x), Float(a.x - c.x), Float(b.x - a.x)) * scale
  }

  /// The area of the triangle in texels.
  @inlinable
  package var texelArea: Float { abs(Float(area)) / (2 * Float(1 << bits) * Float(1 << bits)) }

  @inlinable @inline(__always)
  package func forEachSpan(_ body: (TexelSpan) -> Void) {
    let (a, b, c) = corners
    let half = 1 << (bits - 1)
    let left = min(a.x, b.x, c.x)
    let right = max(a.x, b.x, c.x)
    for row in rows {
      let y = row << bits + half
      var (low, high) = (left, right)
      Self.clip(edges.0, at: y, &low, &high)
      Self.clip(edges.1, at: y, &low, &high)
      Self.clip(edges.2, at: y, &low, &high)
      let first = (low + half - 1) >> bits
      let end = ((high - half) >> bits) + 1
      guard first < end else { continue }
      body(
        TexelSpan(
          row: row, columns: first..<end, weights: weights(column: first, row: row),
          weightsPerColumn: weightsPerColumn))
    }
  }

  /// The barycentric coordinates at the centre of a texel.
  @inlinable @inline(__always)
  func weights(column: Int, row: Int) -> SIMD3<Float> {
    let (a, b, c) = corners
    let half = 1 << (bits - 1)
    let (x, y) = (column << bits + half, row << bits + half)
    // Exact in integers, so that large pages lose no precision before the division.
    let second = (c.x - x) * (a.y - y) - (c.y - y) * (a.x - x)
    let third = (a.x - x) * (b.y - y) - (a.y - y) * (b.x - x)
    return SIMD3(Float(area - second - third), Float(second), Float(third)) / Float(area)
  }

  /// Clips the x interval at height `y` to the inside of an edge.
  @inlinable @inline(__always)
  static func clip(_ edge: Edge, at y: Int, _ low: inout Int, _ high: inout Int) {
    let value = edge.y * y + edge.constant
    if edge.x > 0 {
      low = max(low, -floorDivide(value, edge.x))
    } else if edge.x < 0 {
      high = min(high, floorDivide(value, -edge.x))
    } else if value < 0 {
      high = low - (1 << 40)
    }
  }

  @inlinable @inline(__always)
  static func floorDivide(_ a: Int, _ b: Int) -> Int {
    let quotient = a / b
    return a % b < 0 ? quotient - 1 : quotient
  }
}
