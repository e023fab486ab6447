import MeshpipeScene

/// The planes that meet in a hole, if its surroundings are plane: those of a wall and a floor behind a cupboard.
///
/// The solid that they bound near the hole is a union or an intersection of half-spaces, so its surface is where a
/// minimum or maximum of the distances to the planes is zero.
struct PlanarSurroundings: Sendable {
  /// The combination of the distances to the planes `first`, `second` and `third`, by their indices.
  private struct Solid {
    var order: [Int]
    /// Whether the first distance is joined with the rest by the maximum, which is an intersection.
    var outerIsMaximum: Bool
    var innerIsMaximum: Bool
  }

  /// The planes, with outward normals.
  let planes: [Plane]
  private let solid: Solid
  /// A direction along which the surface covers itself nowhere: the planes face it, so each combination of their
  /// distances grows along it.
  let view: SIMD3<Double>
  /// The distance within which a position counts as on a plane.
  let tolerance: Double

  /// Planes are told apart from curved surfaces and noise at this share of the edges' length.
  private static let toleranceOfEdges = 0.35
  /// The share of the area around the hole that is on the planes, and of the loop's vertices on the solid's surface.
  private static let leastShare = 0.8
  /// The least share of a plane.
  private static let leastShareOfPlane = 0.12
  /// The greatest cosine between the normals of two planes (25°).
  private static let greatestCosine = 0.9
  /// The least cosine between the normals of parallel planes (11°), and their least distance over the tolerance.
  private static let leastCosineOfParallels = 0.98
  private static let leastStep = 8.0
  /// The least cosine between the normals of a plane and of its faces (40°).
  private static let leastCosineOfFace = 0.77
  /// The least cosine between the view and the planes' normals (73°).
  private static let leastCosineOfView = 0.3
  /// The greatest bend of a plane's faces (6°).
  private static let mostBend = 0.1
  /// Faces that planes are tried through.
  private static let mostSeeds = 64

  /// A face around the hole.
  struct Face: Sendable {
    let areaVector: SIMD3<Double>
    let middle: SIMD3<Double>
    var area: Double { areaVector.length / 2 }
  }

  /// - Parameters:
  ///   - loop: The vertices of the hole.
  ///   - edgeLength: The mean length of the edges around it.
  /// - Returns: Nil unless two or three planes meet in the hole.
  init?(loop: [SIMD3<Double>], faces: [Face], edgeLength: Double) {
    let tolerance = edgeLength * Self.toleranceOfEdges
    let total = faces.reduce(0) { $0 + $1.area }
    var rest = faces
    var planes: [Plane] = []
    while planes.count < 3, let plane = Self.bestPlane(of: rest, tolerance) {
      let left = rest.filter { !Self.isOn(plane, $0, tolerance) }
      let area = rest.reduce(0) { $0 + $1.area } - left.reduce(0) { $0 + $1.area }
      guard area >= Self.leastShareOfPlane * total else { break }
      guard Self.bend(of: rest.filter { Self.isOn(plane, $0, tolerance) }, plane) <= Self.mostBend
      else { return nil }
      planes.append(plane)
      rest = left
    }
    guard planes.count >= 2, rest.reduce(0, { $0 + $1.area }) <= (1 - Self.leastShare) * total,
      Self.areDistinct(planes, near: loop.reduce(.zero, +) / Double(loop.count), tolerance)
    else { return nil }
    let fits = Self.solids(of: planes.count).map { solid in
      let distances = loop.map { position in
        abs(Self.combined(planes.map { $0.distance(to: position) }, solid).value)
      }
      return (solid: solid, sum: distances.reduce(0, +), near: distances.count { $0 <= tolerance })
    }
    guard let best = fits.min(by: { $0.sum < $1.sum }),
      Double(best.near) >= Self.leastShare * Double(loop.count)
    else { return nil }
    let view = planes.reduce(.zero) { $0 + $1.normal }.normalized
    guard planes.allSatisfy({ $0.normal.dot(view) >= Self.leastCosineOfView }) else { return nil }
    (self.planes, solid, self.tolerance, self.view) = (planes, best.solid, tolerance, view)
  }

  /// The angle over which normals turn on the faces of a plane, in radians.
  private static func bend(of faces: [Face], _ plane: Plane) -> Double {
    let area = faces.reduce(0) { $0 + $1.area }
    let center = faces.reduce(SIMD3<Double>.zero) { $0 + $1.middle * $1.area } / area
    var turn = NormalTurn(plane)
    for face in faces {
      turn.add(
        offset: face.middle - center, normal: face.areaVector.normalized, area: face.area)
    }
    return turn.angle
  }

  /// Whether planes meet at clear angles; two may also be parallel, such as the floor and a sill, if a third crosses them.
  private static func areDistinct(
    _ planes: [Plane], near center: SIMD3<Double>, _ tolerance: Double
  ) -> Bool {
    let pairs = planes.indices.flatMap { second in
      planes[..<second].map { first -> (cosine: Double, distance: Double) in
        let other = planes[second]
        let distance = first.distance(to: center) - other.distance(to: center)
        return (first.normal.dot(other.normal), abs(distance))
      }
    }
    let crossing = pairs.count { $0.cosine < greatestCosine }
    let parallel = pairs.count {
      $0.cosine >= leastCosineOfParallels && $0.distance >= leastStep * tolerance
    }
    return crossing == pairs.count || (crossing == 2 && parallel == 1)
  }

  private static func isOn(_ plane: Plane, _ face: Face, _ tolerance: Double) -> Bool {
    abs(plane.distance(to: face.middle)) <= tolerance
      && face.areaVector.normalized.dot(plane.normal) >= leastCosineOfFace
  }

  /// The plane of the most area, fitted to its faces.
  private static func bestPlane(of faces: [Face], _ tolerance: Double) -> Plane? {
    let step = max(1, faces.count / mostSeeds)
    let fits = stride(from: 0, to: faces.count, by: step).map { seed -> (Plane, Double) in
      var plane = Plane(
        normal: faces[seed].areaVector.normalized, through: faces[seed].middle)
      var area = 0.0
      // The first round is of the seed's own normal, the next ones of the mean.
      for _ in 0..<3 {
        let own = faces.filter { isOn(plane, $0, tolerance) }
        area = own.reduce(0) { $0 + $1.area }
        guard area > 0 else { break }
        plane = Plane(
          normal: own.reduce(.zero) { $0 + $1.areaVector }.normalized,
          through: own.reduce(.zero) { $0 + $1.middle * $1.area } / area)
      }
      return (plane, area)
    }
    return fits.max { $0.1 < $1.1 }?.0
  }

  private static func solids(of planeCount: Int) -> [Solid] {
    guard planeCount == 3 else {
      return [true, false].map {
        Solid(order: [0, 1], outerIsMaximum: $0, innerIsMaximum: $0)
      }
    }
    return [true, false].flatMap { outer in
      [true, false].flatMap { inner in
        [[0, 1, 2], [1, 2, 0], [2, 0, 1]].map {
          Solid(order: $0, outerIsMaximum: outer, innerIsMaximum: inner)
        }
      }
    }
  }

  /// The value of the planes' combination, and the plane that it is of.
  ///
  /// - Parameter isReversed: Whether minimum and maximum are exchanged.
  private static func combined(
    _ values: [Double], _ solid: Solid, isReversed: Bool = false
  ) -> (value: Double, plane: Int) {
    func joined(_ a: Int, _ b: Int, _ isMaximum: Bool) -> Int {
      (values[a] >= values[b]) == (isMaximum != isReversed) ? a : b
    }
    let rest =
      solid.order.count == 3
      ? joined(solid.order[1], solid.order[2], solid.innerIsMaximum) : solid.order[1]
    let plane = joined(solid.order[0], rest, solid.outerIsMaximum)
    return (values[plane], plane)
  }

  /// The distance of the surface from a position along the view, and the index of the plane there.
  private func reach(from position: SIMD3<Double>) -> (value: Double, plane: Int) {
    // Outside a maximum of distances is where one of them is above 0: the first that is left.
    Self.combined(reaches(from: position), solid, isReversed: true)
  }

  private func reaches(from position: SIMD3<Double>) -> [Double] {
    planes.map { -$0.distance(to: position) / $0.normal.dot(view) }
  }

  /// The position on the surface along the view.
  func projected(_ position: SIMD3<Double>) -> SIMD3<Double> {
    position + view * reach(from: position).value
  }

  /// The plane that is the surface along the view from a position.
  func plane(along position: SIMD3<Double>) -> Int { reach(from: position).plane }

  /// The share of the way from a position to another at which the view of one plane crosses that of another.
  func crossing(
    from start: SIMD3<Double>, to end: SIMD3<Double>, between one: Int, and other: Int
  ) -> Double? {
    let (first, last) = (reaches(from: start), reaches(from: end))
    let (before, after) = (first[one] - first[other], last[one] - last[other])
    guard before * after < 0 else { return nil }
    return before / (before - after)
  }

  /// Two planes if they are the surface along the view from where they meet, otherwise the one that is.
  func planesMeeting(at position: SIMD3<Double>, _ first: Int, _ second: Int) -> [Int] {
    let (value, plane) = reach(from: position)
    let own = reaches(from: position)[first]
    return abs(value - own) <= 1e-6 * tolerance ? [first, second] : [plane]
  }

  /// The planes that a position is on, within the tolerance.
  func planes(near position: SIMD3<Double>) -> [Int] {
    planes.indices.filter { abs(planes[$0].distance(to: position)) <= tolerance }
  }

  /// Where three planes meet; nil if there are fewer, or if they meet in no point.
  var corner: SIMD3<Double>? {
    planes.count == 3 ? Plane.meeting(planes[0], planes[1], planes[2]) : nil
  }
}
