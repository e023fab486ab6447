import MeshPipeline

/// A wall as a solid: how thick it is on both sides of its surface, and where its ends are cut at corners of the room.
struct WallShape {
  /// The ends of one side, as distances from the ends of the wall's surface along its x axis.
  struct Ends {
    var start = 0.0
    var end = 0.0
  }

  let part: Room.Part
  /// From the surface to the room's side, and away from it.
  var front = 0.0
  var back = 0.0
  var frontEnds = Ends()
  var backEnds = Ends()
  /// Whether an end has an edge on the surface itself, where several walls meet.
  var hasMiddle = (start: false, end: false)

  init(_ part: Room.Part) { self.part = part }

  /// The thickness.
  var thickness: Double { front + back }

  /// Places where a curved wall is bent.
  var cuts: [Double] { RoomArc(part)?.cuts ?? [] }

  /// A point of the wall in the scene, of the flat wall's x and y, and away from the surface to its front.
  func place(_ x: Double, _ y: Double, _ z: Double) -> Vector3 {
    let local = RoomArc(part)?.bent(x, y, z) ?? SIMD3(x, y, z)
    return Vector3(SIMD3<Float>(part.placement.apply(toPoint: local)))
  }

  /// The outline of another part in the flat wall's x and y; nil if it is turned away.
  func outline(of other: Room.Part) -> [SIMD2<Double>]? {
    guard let inverse = part.placement.inverse else { return nil }
    let relative = inverse * other.placement
    guard let arc = RoomArc(part) else {
      return other.outline.map { point in
        let local = relative.apply(toPoint: SIMD3(point.x, point.y, 0))
        return SIMD2(local.x, local.y)
      }
    }
    let center = relative.translation
    let direction: Double = relative.x.x < 0 ? -1 : 1
    return other.outline.map { point in
      SIMD2(arc.straightened(center) + direction * point.x * arc.shrinking, center.y + point.y)
    }
  }

  /// The closed mesh of the wall without holes, which are outlines in its x and y.
  func mesh(holes: [[SIMD2<Double>]]) -> Mesh {
    let outline = part.outline
    let cells = PlanarCells(
      outline: outline, holes: holes.map { Self.snapped($0, to: outline) }, cuts: cuts)
    let places = Set(cells.points.map(\.x)).sorted()
    guard let first = places.first, let last = places.last, places.count > 1 else { return Mesh() }
    // An end must not pass the nearest corner inside.
    let reach = (start: 0.9 * (places[1] - first), end: 0.9 * (last - places[places.count - 2]))
    func x(_ point: SIMD2<Double>, _ ends: Ends) -> Double {
      if point.x == first { return first + min(ends.start, reach.start) }
      if point.x == last { return last + max(ends.end, -reach.end) }
      return point.x
    }
    return Slab(cells) { point in
      place(x(point, frontEnds), point.y, front)
    } back: { point in
      place(x(point, backEnds), point.y, -back)
    } middle: { point in
      let isFirst = point.x == first
      guard isFirst ? hasMiddle.start : point.x == last && hasMiddle.end else { return nil }
      let shifts = isFirst ? (frontEnds.start, backEnds.start) : (frontEnds.end, backEnds.end)
      // A side that is not moved has its edge there already.
      if (front == 0 && shifts.0 == 0) || (back == 0 && shifts.1 == 0) { return nil }
      return place(point.x, point.y, 0)
    }.mesh(mirrored: part.placement.determinant < 0)
  }

  /// Moves a hole that ends within a few millimetres of the wall's border onto it: a door stands on the floor.
  private static func snapped(
    _ hole: [SIMD2<Double>], to outline: [SIMD2<Double>]
  ) -> [SIMD2<Double>] {
    let low = outline.reduce(outline[0], pointwiseMin)
    let high = outline.reduce(outline[0], pointwiseMax)
    func snapped(_ value: Double, _ low: Double, _ high: Double) -> Double {
      abs(value - low) < 0.005 ? low : abs(value - high) < 0.005 ? high : value
    }
    return hole.map { SIMD2(snapped($0.x, low.x, high.x), snapped($0.y, low.y, high.y)) }
  }
}
