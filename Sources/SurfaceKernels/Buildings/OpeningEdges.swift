/// The edges of an opening in a face of a wall, or in the coordinates of a wall.
struct OpeningEdges {
  /// A straight edge.
  struct Edge {
    var place: Double
    /// The standard deviation of its place.
    var deviation: Double

    /// What two faces say of the same edge.
    func joined(_ other: Edge) -> Edge {
      let (own, theirs) = (deviation * deviation, other.deviation * other.deviation)
      guard own + theirs > 0 else { return self }
      // Both may have been measured at the same recess: the mean is no surer than the surer one.
      return Edge(
        place: (place * theirs + other.place * own) / (own + theirs),
        deviation: min(deviation, other.deviation))
    }
  }

  /// Along the face or wall.
  var (left, right): (Edge, Edge)
  /// Above the floor.
  var (bottom, top): (Edge, Edge)

  var along: ClosedRange<Double> { left.place...max(left.place, right.place) }
  var width: Double { right.place - left.place }
  var height: Double { top.place - bottom.place }
  var middle: Double { (left.place + right.place) / 2 }
  var heights: ClosedRange<Double> { bottom.place...max(bottom.place, top.place) }

  /// What two faces say of the same opening.
  func joined(_ other: OpeningEdges) -> OpeningEdges {
    OpeningEdges(
      left: left.joined(other.left), right: right.joined(other.right),
      bottom: bottom.joined(other.bottom), top: top.joined(other.top))
  }
}
