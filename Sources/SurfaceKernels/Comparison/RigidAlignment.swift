import MeshpipeBase
package import MeshpipeScene

/// The rotation and translation that bring one scene onto another: iterative closest points, by the distance from planes
/// where there are faces (Chen and Medioni 1992) and from points where there are none (Besl and McKay 1992).
///
/// Points far from everything have no weight, so that what only one of both has does not pull; and the first is also
/// moved onto the second, so that either may be a part of the other.
package struct RigidAlignment: Sendable {
  /// From the coordinates of the first to those of the second.
  package let transform: Transform
  /// The median distance of the points of the one from the other, of which the better counts.
  package let median: Double
  /// The same where the first was.
  package let medianBefore: Double

  /// One of two scenes.
  package struct Side: Sendable {
    /// Spread evenly over it.
    package var points: [Vector3]
    /// The nearest place of the scene to points, and the normal of its face there; nil for a cloud.
    package var nearest: @Sendable ([Vector3]) -> [Place]

    package init(points: [Vector3], nearest: @escaping @Sendable ([Vector3]) -> [Place]) {
      (self.points, self.nearest) = (points, nearest)
    }
  }

  /// The nearest place of a scene to a point.
  package typealias Place = (position: SIMD3<Double>, normal: SIMD3<Double>?)

  /// Turns about the vertical that a search from afar begins with.
  private static let turns = 16
  /// Points and rounds of a search from afar, of those of its results that are pursued, and of the best at the end.
  private static let (firstPoints, firstRounds) = (600, 30)
  private static let (pursued, laterPoints, laterRounds, lastRounds) = (4, 2000, 60, 100)
  /// A start from afar must fit so much better than that from where the scene is.
  private static let gain = 0.7
  /// The distance at which a point has a quarter of the weight: first a multiple of that of most points, so that nearly
  /// all count; then less with each round (graduated non-convexity, Zhou, Park and Koltun 2016), down to a multiple of the
  /// median, so that those count that fit.
  private static let (firstWidth, lastWidth, narrowing, mostShare) = (4.0, 2.0, 0.85, 0.8)
  /// The movement at which it ends, as a share of the extent.
  private static let still = 1e-10

  /// - Parameter up: About which starts from afar are turned.
  package init(of first: Side, onto second: Side, up: SIMD3<Double>) {
    let few = (first.thinned(to: Self.firstPoints), second.thinned(to: Self.firstPoints))
    medianBefore = Self.median(.identity, first, second)
    let here = Self.refined(.identity, few.0, few.1, rounds: Self.firstRounds)
    let (own, other) = (Self.middle(of: first.points), Self.middle(of: second.points))
    let fromAfar = (0..<Self.turns).map { turn in
      let angle = 2 * Double.pi * Double(turn) / Double(Self.turns)
      let start =
        Transform(translation: other - own) * Transform(rotationAbout: up, by: angle).about(own)
      return Self.refined(start, few.0, few.1, rounds: Self.firstRounds)
    }.sorted { $0.median < $1.median }
    let more = (first.thinned(to: Self.laterPoints), second.thinned(to: Self.laterPoints))
    let later = ([here] + fromAfar.prefix(Self.pursued)).map {
      Self.refined($0.transform, more.0, more.1, rounds: Self.laterRounds)
    }
    var best = later[0]
    for found in later where found.median < Self.gain * best.median { best = found }
    best = Self.refined(best.transform, first, second, rounds: Self.lastRounds)
    let isBetter = best.median <= medianBefore
    transform = isBetter ? best.transform : .identity
    median = isBetter ? best.median : medianBefore
  }

  private static func middle(of points: [Vector3]) -> SIMD3<Double> {
    points.reduce(SIMD3<Double>.zero) { $0 + $1.double } / Double(max(points.count, 1))
  }

  private static func moved(_ points: [Vector3], by transform: Transform) -> [Vector3] {
    points.map { Vector3(SIMD3<Float>(transform.apply(toPoint: $0.double))) }
  }

  private static func distances(_ points: [Vector3], _ places: [Place]) -> [Double] {
    zip(points, places).map { ($0.double - $1.position).length }
  }

  /// The better of the median distances of both directions: that of a part from the whole.
  private static func median(_ transform: Transform, _ first: Side, _ second: Side) -> Double {
    let moved = moved(first.points, by: transform)
    let back = Self.moved(second.points, by: transform.inverse ?? .identity)
    let medians = [
      distances(moved, second.nearest(moved)).median(),
      distances(back, first.nearest(back)).median(),
    ]
    return medians.compactMap(\.self).min() ?? 0
  }

  /// The better of the movement of the first onto the second, and of the opposite of the other way round.
  private static func refined(
    _ start: Transform, _ first: Side, _ second: Side, rounds: Int
  ) -> (transform: Transform, median: Double) {
    let there = closed(start, first.points, second.nearest, rounds: rounds)
    let back = closed(start.inverse ?? .identity, second.points, first.nearest, rounds: rounds)
    return [there, back.inverse ?? .identity]
      .map { (transform: $0, median: median($0, first, second)) }
      .min { $0.median < $1.median } ?? (start, .infinity)
  }

  /// Iterates from a start until nothing moves any more.
  private static func closed(
    _ start: Transform, _ points: [Vector3], _ nearest: ([Vector3]) -> [Place], rounds: Int
  ) -> Transform {
    var transform = start
    let extent = Double(Box(points).extent)
    var width = Double.infinity
    for _ in 0..<rounds {
      let moved = moved(points, by: transform)
      let places = nearest(moved)
      let distances = distances(moved, places)
      guard !distances.isEmpty else { break }
      let most = distances.element(ofRank: Int(Double(distances.count - 1) * mostShare))
      let least = max(lastWidth * (distances.median() ?? 0), still * extent)
      width = max(min(firstWidth * most, narrowing * width), least)
      guard most > still * extent, let step = step(moved, places, distances, scale: width)
      else { break }
      transform = step.movement * transform
      if width == least, step.length < still * extent { break }
    }
    return transform
  }

  /// The small movement that reduces the distances most, with the weights of Geman and McClure, and how far it moves
  /// points.
  private static func step(
    _ points: [Vector3], _ places: [Place], _ distances: [Double], scale: Double
  ) -> (movement: Transform, length: Double)? {
    var equations = MatchEquations(
      about: middle(of: points), reach: Double(Box(points).extent))
    for (index, place) in places.enumerated() {
      let point = points[index].double
      let gap = place.position - point
      let axes: [SIMD3<Double>] =
        place.normal.map { [$0] } ?? [SIMD3(1, 0, 0), SIMD3(0, 1, 0), SIMD3(0, 0, 1)]
      for axis in axes {
        equations.add(
          point, along: axis, by: gap.dot(axis),
          weight: robustWeight(distances[index], scale: scale))
      }
    }
    guard let movement = equations.movement else { return nil }
    return (movement.transform, movement.length)
  }
}

extension RigidAlignment.Side {
  fileprivate func thinned(to count: Int) -> Self {
    let step = max(1, points.count / count)
    return Self(
      points: stride(from: 0, to: points.count, by: step).map { points[$0] }, nearest: nearest)
  }
}
