import MeshpipeBase
import MeshpipeScene

/// Closes a hole with triangles, without new vertices.
///
/// Up to ``largestExact`` edges, finds the triangulation with the smallest maximum bend, including
/// the surrounding surface, and among these the smallest area (Barequet and Sharir 1995, Liepa
/// 2003). Larger holes are first reduced by cutting off corners with the shortest third side.
package struct HoleTriangulation {
  /// Larger loops are reduced to this many vertices, since the exact method takes cubic time.
  static let largestExact = 500

  /// The vertices of the hole, counter-clockwise as seen from outside.
  private let points: [SIMD3<Double>]
  /// Whether two vertices of the loop, by index, must not be joined by an edge.
  private let isForbidden: (Int, Int) -> Bool

  /// The normal of the face across each edge of the remaining loop.
  private var outerNormals: [SIMD3<Double>]
  /// The remaining loop.
  private var rest: [Int]
  private var triangles: [SIMD3<Int>] = []

  /// Closes a hole.
  ///
  /// - Parameters:
  ///   - points: The vertices of the hole, each once, counter-clockwise as seen from outside.
  ///   - outerNormals: The unit normal of the face across the edge from each point to the next.
  ///   - isForbidden: Whether two vertices, by index in `points`, must not be joined, since there
  ///     is an edge between them elsewhere.
  /// - Returns: Three indices in `points` per triangle, or nil if it is impossible.
  package static func triangles(
    of points: [SIMD3<Double>], outerNormals: [SIMD3<Double>],
    isForbidden: @escaping (Int, Int) -> Bool
  ) -> [SIMD3<Int>]? {
    var hole = HoleTriangulation(
      points: points, isForbidden: isForbidden, outerNormals: outerNormals,
      rest: Array(points.indices))
    guard points.count >= 3, hole.cutCorners(), hole.fillRest() else { return nil }
    return hole.triangles
  }

  private func normal(_ a: Int, _ b: Int, _ c: Int) -> SIMD3<Double> {
    (points[b] - points[a]).cross(points[c] - points[a])
  }

  /// Cuts off corners until the loop is small enough for the exact method.
  ///
  /// Corners that are convex as seen from outside are preferred.
  private mutating func cutCorners() -> Bool {
    guard rest.count > Self.largestExact else { return true }
    let outside = rest.indices.reduce(SIMD3<Double>.zero) { sum, position in
      sum + points[rest[position]].cross(points[rest[(position + 1) % rest.count]])
    }
    // A ring of vertices with the cost of cutting each; each pass takes the cheaper half.
    while rest.count > Self.largestExact {
      let count = rest.count
      let prices = (0..<count).map { index -> Double in
        let (a, b, c) = (rest[(index + count - 1) % count], rest[index], rest[(index + 1) % count])
        if isForbidden(a, c) { return .infinity }
        let length = (points[c] - points[a]).lengthSquared
        return normal(a, b, c).dot(outside) > 0 ? length : length * 1e6
      }
      let limit = prices.element(ofRank: count / 4)
      guard limit.isFinite else { return false }
      var isCut = [Bool](repeating: false, count: count)
      var left = count
      for index in 0..<count where prices[index] <= limit && left > Self.largestExact {
        // Neighbours of a cut keep their position for this pass.
        guard !isCut[(index + count - 1) % count], !isCut[(index + 1) % count] else { continue }
        isCut[index] = true
        left -= 1
      }
      cut(isCut)
    }
    return true
  }

  private mutating func cut(_ isCut: [Bool]) {
    let count = rest.count
    var newRest: [Int] = []
    var newNormals: [SIMD3<Double>] = []
    for index in 0..<count where !isCut[index] {
      let next = (index + 1) % count
      newRest.append(rest[index])
      if isCut[next] {
        let (a, b, c) = (rest[index], rest[next], rest[(index + 2) % count])
        triangles.append(SIMD3(a, b, c))
        newNormals.append(normal(a, b, c).normalized)
      } else {
        newNormals.append(outerNormals[index])
      }
    }
    rest = newRest
    outerNormals = newNormals
  }

  /// The best triangulation of a part of the loop, from one vertex to a later one.
  private struct Part {
    /// One minus the cosine of the sharpest bend.
    var bend = 0.0
    var area = 0.0
    /// The third vertex of the triangle at the edge that closes the part.
    var apex = -1
    var normal = SIMD3<Double>.zero

    static let impossible = Part(bend: .infinity)
    /// Bends that differ by less differ only by rounding, and count as equal.
    private static let sameBend = 1e-6

    func isBetter(than other: Part) -> Bool {
      if abs(bend - other.bend) > Self.sameBend { return bend < other.bend }
      return area < other.area
    }
  }

  /// Fills the remaining loop by dynamic programming over all its parts.
  private mutating func fillRest() -> Bool {
    let count = rest.count
    var parts = [Part](repeating: Part(), count: Self.place(0, count))
    for index in 0..<count - 1 {
      parts[Self.place(index, index + 1)].normal = outerNormals[index]
    }
    for length in 2..<count {
      for first in 0..<count - length {
        let last = first + length
        parts[Self.place(first, last)] = bestPart(first, last, parts)
      }
    }
    guard parts[Self.place(0, count - 1)].bend.isFinite else { return false }
    var open = [(0, count - 1)]
    while let (first, last) = open.popLast() {
      guard last > first + 1 else { continue }
      let apex = parts[Self.place(first, last)].apex
      triangles.append(SIMD3(rest[first], rest[apex], rest[last]))
      open.append((first, apex))
      open.append((apex, last))
    }
    return true
  }

  /// Where the part from one vertex to a later one is among all parts.
  private static func place(_ first: Int, _ last: Int) -> Int { last * (last - 1) / 2 + first }

  private func bestPart(_ first: Int, _ last: Int, _ parts: [Part]) -> Part {
    let count = rest.count
    let closesLoop = last - first == count - 1
    var best = Part.impossible
    if !closesLoop, isForbidden(rest[first], rest[last]) { return best }
    var (placeBefore, placeAfter) = (Self.place(first, first + 1), Self.place(first + 1, last))
    for apex in first + 1..<last {
      let (before, after) = (parts[placeBefore], parts[placeAfter])
      placeBefore += apex
      placeAfter += 1
      guard before.bend.isFinite, after.bend.isFinite else { continue }
      let areaVector = normal(rest[first], rest[apex], rest[last])
      let normal = areaVector.normalized
      var part = Part(apex: apex, normal: normal)
      part.bend = max(
        before.bend, after.bend, 1 - normal.dot(before.normal), 1 - normal.dot(after.normal))
      if closesLoop { part.bend = max(part.bend, 1 - normal.dot(outerNormals[count - 1])) }
      part.area = before.area + after.area + areaVector.length
      if part.isBetter(than: best) { best = part }
    }
    return best
  }
}
