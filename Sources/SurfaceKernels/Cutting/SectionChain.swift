import MeshpipeScene

/// A line in which a plane cuts faces that are joined, one after the other.
package struct SectionChain: Sendable, Equatable {
  /// In the axes of the plane; the first one is not repeated at the end of a closed chain.
  package var points: [SIMD2<Double>]
  /// The label of the face on which the line goes from each point to the next, and in a closed chain from the last to the first.
  package var labels: [UInt32]
  /// Whether the last point is joined to the first.
  package var isClosed: Bool

  package init(points: [SIMD2<Double>], labels: [UInt32], isClosed: Bool) {
    (self.points, self.labels, self.isClosed) = (points, labels, isClosed)
  }

  /// The length along the line.
  package var length: Double {
    var sum = 0.0
    for (a, b) in zip(points, points.dropFirst()) { sum += (b - a).length }
    if isClosed, let first = points.first, let last = points.last { sum += (first - last).length }
    return sum
  }

  /// The area that a closed line encloses, positive if it goes counterclockwise.
  package var area: Double { PolygonTriangulation.signedArea(of: points) }

  /// The parts of the chain that have one label each; a closed chain of one label stays whole.
  package var partsByLabel: [SectionChain] {
    let steps = labels.count
    guard let change = (0..<steps).first(where: { isStart(ofLabelAt: $0) }) else {
      return [self]
    }
    var parts: [SectionChain] = []
    for offset in 0..<steps {
      let step = (change + offset) % steps
      if offset == 0 || labels[step] != labels[(step + steps - 1) % steps] {
        parts.append(
          SectionChain(points: [points[step]], labels: [], isClosed: false))
      }
      parts[parts.count - 1].points.append(points[(step + 1) % points.count])
      parts[parts.count - 1].labels.append(labels[step])
    }
    return parts
  }

  /// Whether a label begins at a step; the first one of an open chain does if others follow.
  private func isStart(ofLabelAt step: Int) -> Bool {
    if step == 0, !isClosed { return labels.contains { $0 != labels[0] } }
    return labels[step] != labels[(step + labels.count - 1) % labels.count]
  }

  /// The chain without points that are within a distance of the line without them.
  ///
  /// After Douglas and Peucker (1973). Labels of the steps that stay are those of the first of the steps that each replaces.
  ///
  /// - Complexity: O(points × log points) usually, and O(points²) at worst.
  package func simplified(tolerance: Double) -> SectionChain {
    guard points.count > (isClosed ? 3 : 2) else { return self }
    // A closed line is two, between points far from each other.
    let origin = isClosed ? farthest(from: points[0]) : 0
    let path = isClosed ? Array(points[origin...] + points[...origin]) : points
    let last = path.count - 1
    var spans = [(0, last)]
    if isClosed {
      let middle = (farthest(from: path[0]) - origin + points.count) % points.count
      spans = [(0, middle), (middle, last)]
    }
    var isKept = [Bool](repeating: false, count: path.count)
    for (low, high) in spans {
      for index in [low, high] + bends(of: low...high, tolerance: tolerance, point: { path[$0] }) {
        isKept[index] = true
      }
    }
    let kept = path.indices.dropLast(isClosed ? 1 : 0).filter { isKept[$0] }
    guard !isClosed || kept.count > 2 else { return self }
    let steps = isClosed ? kept[...] : kept.dropLast()
    return SectionChain(
      points: kept.map { path[$0] }, labels: steps.map { labels[($0 + origin) % labels.count] },
      isClosed: isClosed)
  }

  private func farthest(from point: SIMD2<Double>) -> Int {
    points.indices.max { (points[$0] - point).length < (points[$1] - point).length } ?? 0
  }
}
