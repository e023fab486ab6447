import MeshPipeline

/// A side of a face in the face's plane.
struct FlatSegment {
  var from: SIMD2<Double>
  var to: SIMD2<Double>
  /// The vertices, by which segments know their neighbours.
  var ends: (UInt32, UInt32)

  /// Whether any two segments cross, or come nearer than a distance elsewhere than at a common vertex.
  ///
  /// - Complexity: O(n log n) where few segments are beside one another.
  static func anyTouch(_ segments: [FlatSegment], within distance: Double) -> Bool {
    let sorted = segments.sorted { $0.left < $1.left }
    var beside: [FlatSegment] = []
    for segment in sorted {
      beside.removeAll { $0.right + distance < segment.left }
      if beside.contains(where: { $0.touches(segment, within: distance) }) { return true }
      beside.append(segment)
    }
    return false
  }

  private var left: Double { min(from.x, to.x) }
  private var right: Double { max(from.x, to.x) }

  private func touches(_ other: FlatSegment, within distance: Double) -> Bool {
    let gap = max(
      min(from.y, to.y) - max(other.from.y, other.to.y),
      min(other.from.y, other.to.y) - max(from.y, to.y))
    guard gap <= distance else { return false }
    if crosses(other) { return true }
    return other.comes(near: self, within: distance) || comes(near: other, within: distance)
  }

  /// Whether both have their ends on different sides of the other.
  private func crosses(_ other: FlatSegment) -> Bool {
    func side(_ point: SIMD2<Double>, _ segment: FlatSegment) -> Double {
      (segment.to - segment.from).cross(point - segment.from)
    }
    guard !isNeighbour(of: other) else { return false }
    return side(from, other) * side(to, other) < 0
      && side(other.from, self) * side(other.to, self) < 0
  }

  private func isNeighbour(of other: FlatSegment) -> Bool {
    isEnd(other.ends.0) || isEnd(other.ends.1)
  }

  private func isEnd(_ vertex: UInt32) -> Bool { ends.0 == vertex || ends.1 == vertex }

  /// Whether an end that both do not share is near another segment.
  private func comes(near other: FlatSegment, within distance: Double) -> Bool {
    func isNear(_ point: SIMD2<Double>) -> Bool {
      point.distance(fromSegmentAt: other.from, along: other.to - other.from) <= distance
    }
    return (!other.isEnd(ends.0) && isNear(from)) || (!other.isEnd(ends.1) && isNear(to))
  }
}
