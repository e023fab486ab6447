/// A triangle whose corners are whole numbers below 2^29, for which all questions have exact answers.
struct GridTriangle {
  let a: SIMD3<Int32>
  let b: SIMD3<Int32>
  let c: SIMD3<Int32>

  /// Whether two triangles have a point in common that is not on a common edge or in a common corner.
  ///
  /// - Precondition: Both have an area.
  func intersects(_ other: GridTriangle) -> Bool {
    let own = cornersOutside(other)
    let theirs = other.cornersOutside(self)
    switch own.count {
    case 0: return true
    case 1: return foldsOnto(other, own.first, theirs.first)
    case 2: return other.meets(own.first, own.second) || meets(theirs.first, theirs.second)
    default:
      if separates(other) || other.separates(self) { return false }
      return meets(other.a, other.b) || meets(other.b, other.c) || meets(other.c, other.a)
        || other.meets(a, b) || other.meets(b, c) || other.meets(c, a)
    }
  }

  /// The number of corners that are not corners of another triangle, and the first two of them.
  @inline(__always)
  private func cornersOutside(
    _ other: GridTriangle
  ) -> (count: Int, first: SIMD3<Int32>, second: SIMD3<Int32>) {
    switch (other.hasCorner(a), other.hasCorner(b), other.hasCorner(c)) {
    case (true, true, true): (0, .zero, .zero)
    case (false, true, true): (1, a, .zero)
    case (true, false, true): (1, b, .zero)
    case (true, true, false): (1, c, .zero)
    case (false, false, true): (2, a, b)
    case (false, true, false): (2, a, c)
    case (true, false, false): (2, b, c)
    case (false, false, false): (3, a, b)
    }
  }

  @inline(__always)
  private func hasCorner(_ point: SIMD3<Int32>) -> Bool { point == a || point == b || point == c }

  /// Whether the triangle's plane has another triangle on one side, without touching it.
  private func separates(_ other: GridTriangle) -> Bool {
    let first = orientation(a, b, c, other.a)
    return first != 0 && orientation(a, b, c, other.b) == first
      && orientation(a, b, c, other.c) == first
  }

  /// Whether two triangles with a common edge overlap: whether they are in one plane, with their third
  /// corners on the same side.
  private func foldsOnto(
    _ other: GridTriangle, _ tip: SIMD3<Int32>, _ otherTip: SIMD3<Int32>
  ) -> Bool {
    guard orientation(a, b, c, otherTip) == 0 else { return false }
    let axes = planeAxes
    let (start, end) = tip == a ? (b, c) : tip == b ? (c, a) : (a, b)
    return planarOrientation(start, end, tip, in: axes)
      == planarOrientation(start, end, otherTip, in: axes)
  }

  /// Whether a segment has a point in common with the triangle, its border included.
  private func meets(_ p: SIMD3<Int32>, _ q: SIMD3<Int32>) -> Bool {
    let (start, end) = (orientation(a, b, c, p), orientation(a, b, c, q))
    if start == 0, end == 0 { return meetsInPlane(p, q) }
    if start == end { return false }
    let sides = SIMD3(orientation(p, q, a, b), orientation(p, q, b, c), orientation(p, q, c, a))
    return !(sides.max() == 1 && sides.min() == -1)
  }

  private func meetsInPlane(_ p: SIMD3<Int32>, _ q: SIMD3<Int32>) -> Bool {
    let axes = planeAxes
    func side(_ p: SIMD3<Int32>, _ q: SIMD3<Int32>, _ r: SIMD3<Int32>) -> Int {
      planarOrientation(p, q, r, in: axes)
    }
    for (u, v) in [(a, b), (b, c), (c, a)]
    where side(p, q, u) * side(p, q, v) <= 0 && side(u, v, p) * side(u, v, q) <= 0 {
      // Four points on a line: whether the segments overlap on it.
      if side(p, q, u) != 0 || side(p, q, v) != 0 || overlaps(p, q, u, v) { return true }
    }
    // No edge is met: the segment is inside as a whole or not at all.
    let inside = SIMD3(side(a, b, p), side(b, c, p), side(c, a, p))
    return inside.min() == inside.max()
  }

  private func overlaps(
    _ p: SIMD3<Int32>, _ q: SIMD3<Int32>, _ u: SIMD3<Int32>, _ v: SIMD3<Int32>
  ) -> Bool {
    all(pointwiseMin(p, q) .<= pointwiseMax(u, v)) && all(pointwiseMin(u, v) .<= pointwiseMax(p, q))
  }

  /// The two axes on which the triangle's shadow has an area.
  private var planeAxes: (Int, Int) {
    for axes in [(0, 1), (1, 2), (2, 0)] where planarOrientation(a, b, c, in: axes) != 0 {
      return axes
    }
    return (0, 1)
  }

  /// Whether the triangle is degenerate: its corners are collinear.
  var isDegenerate: Bool {
    [(0, 1), (1, 2), (2, 0)].allSatisfy { planarOrientation(a, b, c, in: $0) == 0 }
  }
}

/// The side of the plane through three points on which a fourth one is: 1, 0 or -1.
@inline(__always)
private func orientation(
  _ a: SIMD3<Int32>, _ b: SIMD3<Int32>, _ c: SIMD3<Int32>, _ d: SIMD3<Int32>
) -> Int {
  let (u, v, w) = (a &- d, b &- d, c &- d)
  let (x, y, z) = (SIMD3<Double>(u), SIMD3<Double>(v), SIMD3<Double>(w))
  let minors = SIMD3(y.y * z.z - y.z * z.y, y.z * z.x - y.x * z.z, y.x * z.y - y.y * z.x)
  let sum = (x * minors).sum()
  // Differences are below 2^30 and the minors below 2^62, which doubles round by at most 2^9; the sum
  // of three products is off by less than 2^42.
  if Swift.abs(sum) > 0x1p44 { return sum > 0 ? 1 : -1 }
  func minor(_ i: Int, _ j: Int) -> Int128 {
    Int128(Int64(v[i]) * Int64(w[j])) - Int128(Int64(v[j]) * Int64(w[i]))
  }
  let exact =
    Int128(u.x) * minor(1, 2) + Int128(u.y) * minor(2, 0) + Int128(u.z) * minor(0, 1)
  return Int(exact.signum())
}

/// The turn of three points, seen along an axis: 1 to the left, -1 to the right, 0 on a line.
@inline(__always)
private func planarOrientation(
  _ a: SIMD3<Int32>, _ b: SIMD3<Int32>, _ c: SIMD3<Int32>, in axes: (Int, Int)
) -> Int {
  let (u, v) = (b &- a, c &- a)
  let left = Int64(u[axes.0]) * Int64(v[axes.1])
  let right = Int64(u[axes.1]) * Int64(v[axes.0])
  return left == right ? 0 : left > right ? 1 : -1
}
