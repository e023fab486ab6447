package import MeshpipeScene
import POSIX

/// Where up is in a world that only photographs show, where its ground is, and how far the cameras are from it.
///
/// Photographs determine a world up to a rotation, a shift and a scale. People hold cameras level, and floors and tables
/// are the largest level planes that they photograph.
package struct PhotographedWorld: Sendable {
  /// What shows where up is, the more certain first.
  package enum Evidence: Sendable, Equatable {
    /// A plane of points; how large their share is.
    case plane(share: Double)
    /// The cameras, whose lower edges were level.
    case cameras
    /// The cameras' upper sides alone, since all look the same way.
    case sides
  }

  /// A camera in the world of the photographs.
  package struct View: Sendable {
    /// Camera to world.
    package var pose: Transform
    /// The side of the image that was up, in the camera's axes.
    package var top: SIMD2<Double>

    package init(pose: Transform, top: SIMD2<Double>) {
      (self.pose, self.top) = (pose, top)
    }

    fileprivate var up: SIMD3<Double> { pose.apply(toVector: SIMD3(top.x, top.y, 0)) }
    /// To the right of an upright viewer.
    fileprivate var right: SIMD3<Double> { pose.apply(toVector: SIMD3(top.y, -top.x, 0)) }
  }

  /// A unit vector.
  package let up: SIMD3<Double>
  package let evidence: Evidence
  /// The height of the plane, or else that of the middle of the points, along ``up``.
  private let ground: Double
  private let middle: SIMD3<Double>
  private let forward: SIMD3<Double>
  /// The median distance of the cameras from what they show.
  package let viewingDistance: Double

  /// The smallest share of the points that makes a plane.
  private static let leastShare = 0.12
  /// That of a plane which the files contradict.
  private static let leastShareOfTurned = 0.3
  /// Radians that a level plane may be off the direction that cameras show.
  private static let largestTilt = 15.0 * .pi / 180
  /// Half the thickness of the layer in which the points of a plane are looked for, as shares of the viewing distance: the
  /// first is for a direction that is some degrees off.
  private static let tolerances = [0.06, 0.03, 0.015, 0.008, 0.008]

  /// Nil without views or points.
  package init?(_ views: [View], points: [SIMD3<Double>]) {
    guard !views.isEmpty, !points.isEmpty else { return nil }
    let distance = Self.viewingDistance(views, points)
    guard distance > 0, distance.isFinite else { return nil }
    viewingDistance = distance
    let byCameras = Self.up(of: views)
    let near = points.filter { point in
      views.contains { ($0.pose.translation - point).length < 3 * distance }
    }
    middle = SIMD3(
      near.map(\.x).median() ?? 0, near.map(\.y).median() ?? 0, near.map(\.z).median() ?? 0)
    let plane =
      Self.plane(of: near, near: byCameras.up, distance)
      ?? Self.plane(ofTurned: views, near, distance)
    if let plane {
      (up, ground) = (plane.up, plane.height)
      evidence = .plane(share: plane.share)
    } else {
      (up, evidence) = byCameras
      ground = middle.dot(byCameras.up)
    }
    forward = Self.forward(of: views, up)
  }

  /// The motion, with a scale, to a world with Y up along ``up`` in which the cameras look along −Z.
  ///
  /// Its origin is below the middle of the points, on the plane if there is one.
  /// - Parameter distance: What the median distance of the cameras becomes.
  package func placement(viewingDistance distance: Double) -> Transform {
    let scale = distance / viewingDistance
    let right = forward.cross(up)
    // The rows are the images of the new axes.
    let rotation = Transform(
      x: SIMD3(right.x, up.x, -forward.x), y: SIMD3(right.y, up.y, -forward.y),
      z: SIMD3(right.z, up.z, -forward.z))
    let origin = middle + up * (ground - middle.dot(up))
    return Transform(scale: SIMD3(repeating: scale)) * rotation * Transform(translation: -origin)
  }

  // MARK: Up

  /// The direction at right angles to the lower edges of the photographs, as far as these differ; on the side that the
  /// photographs show above.
  private static func up(of views: [View]) -> (up: SIMD3<Double>, evidence: Evidence) {
    let mean = views.reduce(SIMD3<Double>.zero) { $0 + $1.up }
    var up = mean.length > 1e-9 ? mean.normalized : SIMD3(0, 1, 0)
    // Some photographs are tilted, or turned without a word in the file: they count less in each round.
    var weights = views.map { _ in 1.0 }
    for _ in 0..<8 {
      var scatter = Transform(x: .zero, y: .zero, z: .zero)
      for (view, weight) in zip(views, weights) {
        let right = view.right
        scatter.x += right * right.x * weight
        scatter.y += right * right.y * weight
        scatter.z += right * right.z * weight
      }
      let axes = PrincipalAxes(scatter)
      let directions = [axes.directions.x, axes.directions.y, axes.directions.z]
      let order = (0..<3).sorted { axes.lengths[$0] < axes.lengths[$1] }
      // Cameras that all look one way have the same lower edge, and any direction across it is possible.
      guard axes.lengths[order[1]] > leastTurn * axes.lengths.sum() else { return (up, .sides) }
      let direction = directions[order[0]].normalized
      up = direction.dot(mean) < 0 ? -direction : direction
      weights = views.map { view in
        let tilt = view.right.dot(up) / usualTilt
        return 1 / (1 + tilt * tilt)
      }
    }
    return (up, .cameras)
  }

  /// The sine of the angle by which hand-held cameras are usually off level.
  private static let usualTilt = 0.05
  /// The share of the second direction of the lower edges: that of turns by some 15 degrees.
  private static let leastTurn = 0.02

  /// The largest plane of points that is nearly at right angles to a direction; nil if none is large.
  ///
  /// The densest layer of points across the direction is found and a plane fitted to it, again and again in thinner layers.
  private static func plane(
    of points: [SIMD3<Double>], near direction: SIMD3<Double>, _ distance: Double
  ) -> (up: SIMD3<Double>, height: Double, share: Double)? {
    guard points.count >= 30 else { return nil }
    var normal = direction
    var layer: (middle: Double, members: [Int]) = (0, [])
    for tolerance in tolerances {
      let heights = points.map { $0.dot(normal) }
      layer = densestLayer(of: heights, thickness: 2 * tolerance * distance)
      guard layer.members.count >= 12 else { return nil }
      let center =
        layer.members.reduce(SIMD3<Double>.zero) { $0 + points[$1] } / Double(layer.members.count)
      var scatter = Transform(x: .zero, y: .zero, z: .zero)
      for index in layer.members {
        let offset = points[index] - center
        scatter.x += offset * offset.x
        scatter.y += offset * offset.y
        scatter.z += offset * offset.z
      }
      let axes = PrincipalAxes(scatter)
      let order = (0..<3).sorted { axes.lengths[$0] < axes.lengths[$1] }
      // A row of points is not a plane.
      guard axes.lengths[order[1]] > 0.02 * axes.lengths[order[2]] else { return nil }
      let fitted = [axes.directions.x, axes.directions.y, axes.directions.z][order[0]].normalized
      normal = fitted.dot(direction) < 0 ? -fitted : fitted
      guard normal.dot(direction) > cos(largestTilt) else { return nil }
    }
    let share = Double(layer.members.count) / Double(points.count)
    return share >= leastShare ? (normal, layer.middle, share) : nil
  }

  /// The largest plane below cameras that were held upright while their files say otherwise; nil if none is large.
  private static func plane(
    ofTurned views: [View], _ points: [SIMD3<Double>], _ distance: Double
  ) -> (up: SIMD3<Double>, height: Double, share: Double)? {
    let turned = views.map { View(pose: $0.pose, top: SIMD2($0.top.y, -$0.top.x)) }
    guard let found = plane(of: points, near: up(of: turned).up, distance),
      found.share >= leastShareOfTurned
    else { return nil }
    // A floor is seen from above; to which side the cameras were turned is not known.
    let heights = views.map { $0.pose.translation.dot(found.up) }
    guard (heights.median() ?? 0) < found.height else { return found }
    return (-found.up, -found.height, found.share)
  }

  /// The layer of a thickness with the most heights.
  private static func densestLayer(
    of heights: [Double], thickness: Double
  ) -> (middle: Double, members: [Int]) {
    let order = heights.indices.sorted { (heights[$0], $0) < (heights[$1], $1) }
    var (best, start) = (0..<0, 0)
    for end in order.indices {
      while heights[order[end]] - heights[order[start]] > thickness { start += 1 }
      if end + 1 - start > best.count { best = start..<end + 1 }
    }
    let members = order[best].sorted()
    let sum = members.reduce(0) { $0 + heights[$1] }
    return (members.isEmpty ? 0 : sum / Double(members.count), members)
  }

  // MARK: Views

  /// The level direction in which the cameras look; of cameras all around, that of the first.
  private static func forward(of views: [View], _ up: SIMD3<Double>) -> SIMD3<Double> {
    func level(_ direction: SIMD3<Double>) -> SIMD3<Double> { direction - up * direction.dot(up) }
    let directions = views.map { level(-$0.pose.z) }
    let sum = directions.reduce(SIMD3<Double>.zero, +)
    let candidates =
      [sum.length > 0.3 * Double(views.count) ? sum : .zero] + directions
      + [level(SIMD3(1, 0, 0)), level(SIMD3(0, 1, 0))]
    return (candidates.first { $0.length > 1e-3 } ?? SIMD3(0, 0, 1)).normalized
  }

  /// The median over the cameras of the median depth of the points in the middle of their pictures.
  private static func viewingDistance(_ views: [View], _ points: [SIMD3<Double>]) -> Double {
    let distances = views.compactMap { view -> Double? in
      let depths = points.compactMap { point -> Double? in
        let offset = point - view.pose.translation
        let depth = -offset.dot(view.pose.z)
        let side = SIMD2(offset.dot(view.pose.x), offset.dot(view.pose.y))
        return depth > 0 && max(abs(side.x), abs(side.y)) < depth / 2 ? depth : nil
      }
      return depths.median()
    }
    return distances.median() ?? 0
  }
}
