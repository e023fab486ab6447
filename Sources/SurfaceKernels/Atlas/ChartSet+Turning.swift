import MeshpipeScene

extension ChartSet {
  /// Rotates each chart so that its bounding box is as small as possible, and wider than high.
  ///
  /// The smallest box has a side on an edge of the convex hull (Freeman and Shapira, 1975).
  func turnedToSmallestBoxes(_ members: ChartMembers) -> ChartSet {
    let turns: [SIMD2<Float>] = Parallel.map(count: count) { chart in
      hull(of: members[chart]).smallestBoxDirection
    }
    var turned = self
    turned.corners = Parallel.array(count: corners.count) { corner in
      let chart = chartOfFace[corner / 3]
      guard chart != Atlas.noChart else { return .zero }
      let (turn, place) = (turns[Int(chart)], corners[corner])
      return SIMD2(
        place.x * turn.x + place.y * turn.y, place.y * turn.x - place.x * turn.y)
    }
    return turned
  }

  /// The convex hull of a chart.
  private func hull(of faces: ArraySlice<UInt32>) -> ConvexHull {
    var points: [SIMD2<Float>] = []
    points.reserveCapacity(3 * faces.count)
    for face in faces {
      for corner in 3 * Int(face)..<3 * Int(face) + 3 { points.append(corners[corner]) }
    }
    return ConvexHull(of: points)
  }
}
