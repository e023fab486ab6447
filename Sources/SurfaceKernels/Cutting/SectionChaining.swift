import MeshpipeScene

/// The chains of one plane: what faces have in it, joined at the edges that they share.
struct SectionChaining {
  private(set) var chains: [SectionChain] = []

  /// What a face has in the plane: from one of its cut edges to another one.
  private struct Segment {
    var start: Int
    var end: Int
    var label: UInt32
  }

  /// The point of each cut edge.
  private var points: [SIMD2<Double>] = []
  private var segments: [Segment] = []
  /// The segments at each cut edge: where those of an edge begin, and the segments of all.
  private var starts: [Int] = []
  private var incident: [Int] = []

  init(_ corners: CutCorners, _ axes: Transform, height: Double) {
    makeSegments(corners, axes, height)
    linkSegments()
    var isUsed = [Bool](repeating: false, count: segments.count)
    for first in segments.indices where !isUsed[first] {
      chains.append(chain(from: first, &isUsed))
    }
    chains = chains.compactMap(\.withoutRepeatedPoints)
  }

  /// From the edge where a face goes behind the plane to the one where it comes back: its front is on the right.
  private mutating func makeSegments(
    _ corners: CutCorners, _ axes: Transform, _ height: Double
  ) {
    let (firstCorners, vertices) = PositionWelder.weld(corners.positions)
    let positions = firstCorners.map { corners.positions[Int($0)].double - axes.translation }
    let depths = positions.map { $0.dot(axes.z) - height }
    var nodes: [UInt64: Int] = [:]
    var known = Set<UInt64>()
    func node(_ a: UInt32, _ b: UInt32, _ points: inout [SIMD2<Double>]) -> Int {
      let (low, high) = (min(a, b), max(a, b))
      let key = UInt64(low) << 32 | UInt64(high)
      if let node = nodes[key] { return node }
      nodes[key] = points.count
      let (from, to) = (depths[Int(low)], depths[Int(high)])
      let (start, end) = (positions[Int(low)], positions[Int(high)])
      // Exact where a vertex is on the plane.
      let point = to == 0 ? end : start + (end - start) * (from / (from - to))
      points.append(SIMD2(point.dot(axes.x), point.dot(axes.y)))
      return points.count - 1
    }
    for face in corners.labels.indices {
      var ends = (-1, -1)
      for corner in 0..<3 {
        let (a, b) = (vertices[3 * face + corner], vertices[3 * face + (corner + 1) % 3])
        let (isAbove, isNextAbove) = (depths[Int(a)] >= 0, depths[Int(b)] >= 0)
        if isAbove, !isNextAbove { ends.0 = node(a, b, &points) }
        if !isAbove, isNextAbove { ends.1 = node(a, b, &points) }
      }
      // Rounding may move a vertex to the other side of a plane through it.
      guard ends.0 >= 0, ends.1 >= 0, ends.0 != ends.1 else { continue }
      // A face that is there twice, or seen from both sides, is one line.
      let pair = UInt64(min(ends.0, ends.1)) << 32 | UInt64(max(ends.0, ends.1))
      guard known.insert(pair).inserted else { continue }
      segments.append(Segment(start: ends.0, end: ends.1, label: corners.labels[face]))
    }
  }

  private mutating func linkSegments() {
    starts = [Int](repeating: 0, count: points.count + 1)
    for segment in segments {
      starts[segment.start + 1] += 1
      starts[segment.end + 1] += 1
    }
    for node in points.indices { starts[node + 1] += starts[node] }
    incident = [Int](repeating: 0, count: 2 * segments.count)
    var next = starts
    for (index, segment) in segments.enumerated() {
      for node in [segment.start, segment.end] {
        incident[next[node]] = index
        next[node] += 1
      }
    }
  }

  /// Follows the line through a segment as far as it goes, to both sides.
  private func chain(from first: Int, _ isUsed: inout [Bool]) -> SectionChain {
    isUsed[first] = true
    var nodes = [segments[first].start, segments[first].end]
    var labels = [segments[first].label]
    while nodes[nodes.count - 1] != nodes[0],
      let next = next(at: nodes[nodes.count - 1], beginning: true, isUsed)
    {
      isUsed[next.segment] = true
      nodes.append(next.node)
      labels.append(segments[next.segment].label)
    }
    if nodes[nodes.count - 1] == nodes[0] {
      return SectionChain(
        points: nodes.dropLast().map { points[$0] }, labels: labels, isClosed: true)
    }
    var before: [Int] = []
    var labelsBefore: [UInt32] = []
    var node = nodes[0]
    while let next = next(at: node, beginning: false, isUsed) {
      isUsed[next.segment] = true
      node = next.node
      before.append(node)
      labelsBefore.append(segments[next.segment].label)
    }
    return SectionChain(
      points: (before.reversed() + nodes).map { points[$0] },
      labels: labelsBefore.reversed() + labels, isClosed: false)
  }

  /// The free segment that goes on at an edge, with its other edge: rather one in the same direction.
  private func next(
    at node: Int, beginning: Bool, _ isUsed: [Bool]
  ) -> (segment: Int, node: Int)? {
    var other: (segment: Int, node: Int)?
    for index in incident[starts[node]..<starts[node + 1]] where !isUsed[index] {
      let segment = segments[index]
      let (near, far) =
        beginning ? (segment.start, segment.end) : (segment.end, segment.start)
      if near == node { return (index, far) }
      if other == nil { other = (index, near) }
    }
    return other
  }
}

extension SectionChain {
  /// The chain without steps of no length, which begin at vertices on the plane; nil if nothing is left.
  fileprivate var withoutRepeatedPoints: SectionChain? {
    let steps = labels.indices.filter { points[$0] != points[($0 + 1) % points.count] }
    guard !steps.isEmpty else { return nil }
    var result = SectionChain(
      points: steps.map { points[$0] }, labels: steps.map { labels[$0] }, isClosed: isClosed)
    if isClosed, steps.count < 3 {
      // There and back.
      result.labels.removeLast(steps.count - 1)
      result.isClosed = false
      if steps.count == 1 { result.points.append(points[(steps[0] + 1) % points.count]) }
    } else if !isClosed {
      result.points.append(points[points.count - 1])
    }
    return result
  }
}
