import MeshpipeScene
import POSIX

/// Finds where the edges of an opening in a face of a wall are.
///
/// Where there is a recess, its sides are: planes, of which much was seen. Elsewhere the wall ends there: the surface that was
/// seen next to the edge, over its length, says where, whatever cells it was counted in.
struct OpeningEdgeSearch {
  private typealias Edge = OpeningEdges.Edge

  /// A side of a rectangle in a face.
  private enum Side: CaseIterable {
    case left, right, bottom, top

    var isUpright: Bool { self == .left || self == .right }
    /// Whether the wall is where coordinates are greater.
    var isLast: Bool { self == .right || self == .top }

    /// Where the side of a recess looks at this edge.
    var inwards: WallFaceRaster.Reveal.Direction {
      switch self {
      case .left: .forward
      case .right: .backward
      case .bottom: .up
      case .top: .down
      }
    }
  }

  private(set) var edges: OpeningEdges

  /// The sides of a recess are looked for within this of a guess, lie within this of each other, and are seen over this share of
  /// the edge at least.
  private static let (reach, thickness, leastShare) = (0.15, 0.03, 0.4)
  /// The deviation of a recess's side besides that of a plane: it is narrow, and scans round its edges.
  private static let bend = 0.003
  /// The ends of an edge say nothing of it, in metres.
  private static let inset = 0.05
  /// Wall is counted from inside an opening to this far outside, and less and less beyond the second.
  private static let (inside, fully, outside) = (0.12, 0.1, 0.2)
  /// The share of the wall beside an edge that was seen where it tells the edge, and the share of the edge where it does and agrees.
  private static let (seen, leastSeen) = (0.8...1.25, 0.2)
  /// The deviation of an edge at which a wall ends, apart from its scatter, since scans round it; that of a guess, and that of
  /// an upper edge that was not seen.
  private static let (rounding, guess, unseen) = (0.006, 0.025, 0.05)

  /// The share of an opening that is closed at the face if what closes it lies there.
  private static let flush = 0.4
  /// The side of a recess and the end of the wall within this of it are the same edge.
  private static let agreement = 0.02

  private let face: WallFaceRaster

  /// - Parameters:
  ///   - along: About where the opening is.
  ///   - heights: The same upwards.
  ///   - isDoor: Whether it reaches down to the floor.
  init(
    _ face: WallFaceRaster, along: ClosedRange<Double>, heights: ClosedRange<Double>, isDoor: Bool
  ) {
    self.face = face
    func guess(_ place: Double) -> Edge { Edge(place: place, deviation: Self.guess) }
    edges = OpeningEdges(
      left: guess(along.lowerBound), right: guess(along.upperBound),
      bottom: isDoor ? Edge(place: 0, deviation: 0) : guess(heights.lowerBound),
      top: guess(heights.upperBound))
    edges.left = edge(.left) ?? edges.left
    edges.right = edge(.right) ?? edges.right
    if !isDoor { edges.bottom = edge(.bottom) ?? edges.bottom }
    edges.top = edge(.top) ?? edges.top
    if edges.top.deviation >= Self.guess { raiseTop() }
  }

  /// Where neither wall nor recess is above an opening, it goes up as far as something shows.
  private mutating func raiseTop() {
    let sides = face.reveals.filter { sample in
      (sample.direction == .forward && abs(sample.place.x - edges.left.place) < Self.thickness)
        || (sample.direction == .backward
          && abs(sample.place.x - edges.right.place) < Self.thickness)
    }
    guard let highest = sides.map(\.place.y).max(), highest > edges.top.place else { return }
    edges.top = Edge(place: highest + WallFaceRaster.pixel / 2, deviation: Self.unseen)
  }

  /// The side of a recess, and the end of the wall if it is there as well.
  private func edge(_ side: Side) -> Edge? {
    guard let reveal = reveal(side) else { return wallEnd(side) }
    guard let end = wallEnd(side), abs(end.place - reveal.place) < Self.agreement else {
      return reveal
    }
    return reveal.joined(end)
  }

  private func current(_ side: Side) -> Double {
    switch side {
    case .left: edges.left.place
    case .right: edges.right.place
    case .bottom: edges.bottom.place
    case .top: edges.top.place
    }
  }

  /// From where to where a side goes.
  private func course(_ side: Side) -> ClosedRange<Double> {
    let range = side.isUpright ? edges.heights : edges.along
    let inset = min(Self.inset, (range.upperBound - range.lowerBound) / 4)
    return range.lowerBound + inset...range.upperBound - inset
  }

  // MARK: Recesses

  /// The plane of a recess's side; nil if too little of it was seen.
  private func reveal(_ side: Side) -> Edge? {
    let (start, course) = (current(side), course(side))
    let direction = side.inwards
    let own = face.reveals.compactMap { sample -> (across: Double, along: Double, area: Double)? in
      guard sample.direction == direction else { return nil }
      let position = side.isUpright ? sample.place : SIMD2(sample.place.y, sample.place.x)
      guard abs(position.x - start) < Self.reach, course.contains(position.y) else { return nil }
      return (position.x, position.y, sample.area)
    }
    guard let middle = own.map(\.across).interpolatedMedian() else { return nil }
    let near = own.filter { abs($0.across - middle) < Self.thickness }
    let cell = WallFaceRaster.pixel
    let cells = Set(near.map { Int($0.along / cell) })
    let length = course.upperBound - course.lowerBound
    guard Double(cells.count) * cell > Self.leastShare * length else { return nil }
    let area = near.reduce(0) { $0 + $1.area }
    let mean = near.reduce(0) { $0 + $1.across * $1.area } / area
    let squares = near.reduce(0) { $0 + ($1.across - mean) * ($1.across - mean) * $1.area }
    let plane = PlanUncertainty.deviation(spread: (squares / area).squareRoot(), area: area)
    return Edge(
      place: mean,
      deviation: (plane * plane + Self.bend * Self.bend).squareRoot())
  }

  // MARK: Ends of the wall

  /// Whether what closes the opening lies in the face.
  ///
  /// If not, what has the class of a door or window there is the wall around it: phones name whole faces.
  private var isFlush: Bool {
    (face.share(of: face.filling, within: edges) ?? 0) > Self.flush
  }

  /// Where the wall ends beside an opening; nil if it was not seen there.
  ///
  /// Samples are divided among pixels by hat functions, so that what a row of pixels holds in all, each with a weight that is linear
  /// except at two kinks, is the length of wall in it, wherever samples and pixels lie.
  private func wallEnd(_ side: Side) -> Edge? {
    let (start, course) = (current(side), course(side))
    let cell = WallFaceRaster.pixel
    let sign = side.isLast ? 1.0 : -1.0
    let (places, lines) = side.isUpright ? (face.columns, face.rows) : (face.rows, face.columns)
    func center(_ index: Int) -> Double { (Double(index) + 0.5) * cell }
    let window = (0..<places).filter {
      -Self.inside...Self.outside ~= sign * (center($0) - start)
    }
    guard let inner = side.isLast ? window.first : window.last,
      sign * (center(side.isLast ? places - 1 : 0) - start) > Self.outside - cell
    else { return nil }
    let isFlush = isFlush
    var ends: [Double] = []
    var count = 0
    for line in 0..<lines where course.contains(center(line)) {
      count += 1
      var (open, wall, beside) = (0.0, 0.0, 0.0)
      for index in window {
        let pixel = side.isUpright ? line * face.columns + index : index * face.columns + line
        let distance = sign * (center(index) - start)
        let weight = min(1, (Self.outside - distance) / (Self.outside - Self.fully))
        let seen = face.wall[pixel] + (isFlush ? 0 : face.filling[pixel])
        open += weight * (1 - seen)
        guard distance > cell else { continue }
        wall += seen
        beside += 1
      }
      guard beside > 0, Self.seen.contains(wall / beside) else { continue }
      ends.append(center(inner) + sign * cell * (open - 0.5))
    }
    guard let middle = ends.interpolatedMedian() else { return nil }
    let near = ends.filter { abs($0 - middle) < cell / 2 }
    guard near.count > 3, Double(near.count) > Self.leastSeen * Double(count) else { return nil }
    let mean = near.reduce(0, +) / Double(near.count)
    let squares = near.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    // Errors are the same over two rows.
    let variance = 2 * squares / Double(near.count * near.count)
    return Edge(
      place: mean, deviation: (variance + Self.rounding * Self.rounding).squareRoot())
  }
}
