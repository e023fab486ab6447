import MeshpipeScene
import POSIX

/// How deep the recess of an opening is, by the upright sides of it that were seen.
///
/// The sides of a doorway in which nothing stands are as deep as the wall is thick; others end at a door leaf or a window, and
/// the wall is at least as thick.
struct RecessDepth {
  /// Behind the face, with its deviation.
  let depth: OpeningEdges.Edge
  /// Whether the wall is no thicker.
  let isWhole: Bool

  /// Sides of a recess lie within this of the edge, in metres.
  private static let reach = 0.03
  /// Depths are looked at on levels this far apart, on at least as many of which a side was seen, in metres.
  private static let (rise, leastLevels) = (0.1, 4)
  /// Of a doorway, in metres, and the share of it that may be closed.
  private static let (thickness, mostClosed) = (0.04...0.45, 0.2)
  /// The deviation of where a side ends, apart from its scatter: scans round it.
  private static let rounding = 0.006

  /// - Parameter isDoor: Whether the opening reaches the floor and is not a window.
  init?(_ face: WallFaceRaster, _ edges: OpeningEdges, isDoor: Bool) {
    let sides = [
      Self.depths(face, .forward, near: edges.left.place, edges.heights),
      Self.depths(face, .backward, near: edges.right.place, edges.heights),
    ].filter { $0.count >= Self.leastLevels }
    let all = sides.flatMap { $0 }
    guard let middle = all.interpolatedMedian() else { return nil }
    let off = all.map { abs($0 - middle) }.interpolatedMedian() ?? 0
    // The median deviation is two thirds of the standard deviation; levels next to each other are the same.
    let scatter = 1.5 * off / (Double(all.count) / 2).squareRoot()
    depth = OpeningEdges.Edge(
      place: middle, deviation: (scatter * scatter + Self.rounding * Self.rounding).squareRoot())
    isWhole =
      isDoor && Self.thickness.contains(middle)
      && (face.share(of: face.behind, within: edges) ?? 1) < Self.mostClosed
  }

  /// The depth of a side on each level on which it was seen: the area there by the height of a level.
  ///
  /// Samples count less and less up to the next level, so that it does not matter where they lie.
  private static func depths(
    _ face: WallFaceRaster, _ direction: WallFaceRaster.Reveal.Direction, near along: Double,
    _ heights: ClosedRange<Double>
  ) -> [Double] {
    let own = face.reveals.filter {
      $0.direction == direction && abs($0.place.x - along) < reach
    }
    let levels = stride(
      from: heights.lowerBound + rise, through: heights.upperBound - rise, by: rise)
    return levels.compactMap { level in
      let area = own.reduce(0) {
        $0 + $1.area * max(0, 1 - abs($1.place.y - level) / rise)
      }
      return area > 0.01 * rise ? area / rise : nil
    }
  }
}
