import MeshpipeScene

extension PointTree {
  /// Two points of different parts.
  struct Link: BitwiseCopyable, Sendable {
    var squaredDistance: Double
    var one: UInt32
    var other: UInt32

    @inline(__always)
    static func < (one: Link, other: Link) -> Bool {
      (one.squaredDistance, one.one, one.other)
        < (other.squaredDistance, other.one, other.other)
    }
  }

  /// The shortest link of each part to any other, by number of the part.
  ///
  /// - Parameters:
  ///   - parts: The part of each point.
  ///   - excepted: The part for which none is looked for: one of few others finds it.
  func nearestLinks(between parts: [UInt32], except excepted: UInt32) -> [Link] {
    let nodeParts = commonParts(parts)
    let found = Parallel.mapChunks(of: count, chunkSize: 1 << 12) { range in
      var best: [UInt32: Link] = [:]
      for item in range {
        let part = parts[Int(items[item].index)]
        guard part != excepted else { continue }
        var link =
          best[part] ?? Link(squaredDistance: .infinity, one: .max, other: .max)
        let search = ForeignSearch(
          point: items[item].index, center: items[item].position.double, part: part)
        find(
          &link, for: search, parts: parts, nodeParts: nodeParts, level: 0, index: 0, gaps: .zero)
        if link.one != .max { best[part] = link }
      }
      return best
    }
    var best: [UInt32: Link] = [:]
    for links in found {
      best.merge(links) { $1 < $0 ? $1 : $0 }
    }
    return best.keys.sorted().compactMap { best[$0] }
  }

  /// The search for the nearest point of another part.
  private struct ForeignSearch {
    let point: UInt32
    let center: SIMD3<Double>
    let part: UInt32
  }

  private func find(
    _ link: inout Link, for search: ForeignSearch, parts: [UInt32], nodeParts: [UInt32],
    level: Int, index: Int, gaps: SIMD3<Double>
  ) {
    guard nodeParts[(1 << level) - 1 + index] != search.part else { return }
    guard level < depth else {
      for item in range(level: level, index: index)
      where parts[Int(items[item].index)] != search.part {
        let candidate = Link(
          squaredDistance: Self.squared(items[item].position.double - search.center),
          one: search.point, other: items[item].index)
        if candidate < link { link = candidate }
      }
      return
    }
    let (near, axis, gap) = side(of: search.center, level: level, index: index)
    find(
      &link, for: search, parts: parts, nodeParts: nodeParts, level: level + 1, index: near,
      gaps: gaps)
    var far = gaps
    far[axis] = gap
    if Self.squared(far) <= link.squaredDistance {
      find(
        &link, for: search, parts: parts, nodeParts: nodeParts, level: level + 1, index: near ^ 1,
        gaps: far)
    }
  }

  /// The part to which all points of a node belong, in heap order; `.max` where there are several.
  private func commonParts(_ parts: [UInt32]) -> [UInt32] {
    var result = [UInt32](repeating: .max, count: (2 << depth) - 1)
    for leaf in 0..<(1 << depth) {
      let range = range(level: depth, index: leaf)
      guard let first = range.first.map({ parts[Int(items[$0].index)] }) else { continue }
      let isCommon = range.allSatisfy { parts[Int(items[$0].index)] == first }
      result[(1 << depth) - 1 + leaf] = isCommon ? first : .max
    }
    for node in stride(from: (1 << depth) - 2, through: 0, by: -1) {
      let (one, other) = (result[2 * node + 1], result[2 * node + 2])
      result[node] = one == other ? one : .max
    }
    return result
  }
}
