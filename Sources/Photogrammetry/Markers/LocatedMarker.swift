package import MeshpipeScene

/// A marker in the scene: its four corners, each where the rays through its pixels meet.
package struct LocatedMarker: Sendable {
  package let name: MarkerName
  /// In coordinates of the scene: the top left, top right, bottom right and bottom left corner.
  package let corners: [SIMD3<Double>]
  /// The frames that see it, as positions in the capture.
  package let frames: [Int]
  /// The median distance of its corners in the photographs from where they should be, in pixels.
  package let residual: Double
  /// The same distance, that of three of four corners at most: large if some photographs show the marker elsewhere.
  package let disagreement: Double
  /// The standard deviation of a corner's position along each axis, in units of the scene.
  package let deviation: Double

  package var center: SIMD3<Double> { corners.reduce(.zero, +) / 4 }

  /// The mean length of its sides in units of the scene.
  package var side: Double {
    (0..<4).reduce(0) { $0 + (corners[$1] - corners[($1 + 1) % 4]).length } / 4
  }

  /// Why a marker has no place.
  package enum Fault: Error, Sendable, Equatable {
    /// One photograph shows it, or several from the same place.
    case seenFromOnePlace
    /// It is elsewhere in other photographs.
    case moves
  }

  /// A camera's ray through a corner.
  fileprivate struct Ray {
    var origin: SIMD3<Double>
    /// Of length 1.
    var direction: SIMD3<Double>
    /// Pixels for a radian.
    var focalLength: Double
  }

  /// Rays that differ by less, in radians (2°), say nothing of a distance.
  private static let leastAngle = 0.035
  /// Residuals in pixels above which a marker has moved, since neither poses nor lenses are that wrong.
  private static let largestResidual = 25.0

  /// Triangulates a marker.
  ///
  /// - Parameters:
  ///   - sightings: Of this marker.
  ///   - frames: All of the capture.
  package init(
    _ name: MarkerName, _ sightings: [MarkerSightings.Sighting], _ frames: [Capture.Frame]
  ) throws(Fault) {
    let cameras = sightings.map { Camera(frames[$0.frame]) }
    var corners: [SIMD3<Double>] = []
    var residuals: [Double] = []
    var variances = 0.0
    for corner in 0..<4 {
      let rays = zip(sightings, cameras).map { sighting, camera in
        Ray(
          origin: frames[sighting.frame].pose.translation,
          direction: SIMD3<Double>(camera.ray(through: SIMD2<Float>(sighting.corners[corner])))
            .normalized,
          focalLength: Double(camera.focalLength.x))
      }
      guard let meeting = Meeting(of: rays) else { throw .seenFromOnePlace }
      corners.append(meeting.point)
      residuals += meeting.residuals
      variances += meeting.variance / 4
      guard corner > 0 || Self.spread(of: rays, at: meeting.point) >= Self.leastAngle else {
        throw .seenFromOnePlace
      }
    }
    let disagreement = residuals.isEmpty ? 0 : residuals.element(ofRank: residuals.count * 3 / 4)
    guard disagreement < Self.largestResidual else { throw .moves }
    self.name = name
    self.corners = corners
    residual = residuals.median() ?? 0
    self.disagreement = disagreement
    self.frames = sightings.map(\.frame)
    deviation = variances.squareRoot()
  }

  /// The largest angle between the first direction to a point and the others, in radians.
  private static func spread(of rays: [Ray], at point: SIMD3<Double>) -> Double {
    let directions = rays.map { ($0.origin - point).normalized }
    guard let first = directions.first else { return 0 }
    return directions.reduce(0) { max($0, ($1 - first).length) }
  }

  /// Where rays meet.
  private struct Meeting {
    var point = SIMD3<Double>.zero
    /// The distances of the rays from it, in pixels.
    var residuals: [Double] = []
    /// Of the point along an axis, in units of the scene squared.
    var variance = 0.0

    /// The least scale of residuals, in pixels, so that some that agree by chance do not decide.
    private static let leastScale = 0.2
    private static let rounds = 12

    /// The point with the least sum of squared angles, with weights that lessen rays far from it; nil for parallel rays.
    init?(of rays: [Ray]) {
      guard rays.count > 1 else { return nil }
      var weights = [Double](repeating: 1, count: rays.count)
      var scale = Self.leastScale
      for _ in 0..<Self.rounds {
        var matrix = (x: SIMD3<Double>.zero, y: SIMD3<Double>.zero, z: SIMD3<Double>.zero)
        var right = SIMD3<Double>.zero
        for (ray, weight) in zip(rays, weights) {
          let d = ray.direction
          matrix.x += weight * (SIMD3(1, 0, 0) - d * d.x)
          matrix.y += weight * (SIMD3(0, 1, 0) - d * d.y)
          matrix.z += weight * (SIMD3(0, 0, 1) - d * d.z)
          right += weight * (ray.origin - d * d.dot(ray.origin))
        }
        let sum = Transform(x: matrix.x, y: matrix.y, z: matrix.z)
        guard let inverse = sum.inverse else { return nil }
        point = inverse.apply(toVector: right)
        let distances = rays.map { max(1e-9, ($0.origin - point).length) }
        residuals = zip(rays, distances).map { ray, distance in
          ray.focalLength * ray.direction.cross(point - ray.origin).length / distance
        }
        scale = max(Self.leastScale, 1.48 * (residuals.median() ?? 0))
        weights = rays.indices.map { index in
          let share = residuals[index] / (2 * scale)
          let precision = rays[index].focalLength / distances[index]
          return precision * precision / (1 + share * share)
        }
        variance = scale * scale * (inverse.x.x + inverse.y.y + inverse.z.z) / 3
      }
      guard point.x.isFinite, point.y.isFinite, point.z.isFinite, variance.isFinite else {
        return nil
      }
    }
  }
}

extension MarkerSightings {
  /// Locates all markers, in order; those without a place with the reason.
  ///
  /// - Parameter isUsed: Whether a frame counts, by its position.
  package func located(
    in frames: [Capture.Frame], where isUsed: (Int) -> Bool = { _ in true }
  ) -> (markers: [LocatedMarker], faults: [(name: MarkerName, fault: LocatedMarker.Fault)]) {
    let groups = Dictionary(grouping: sightings.filter { isUsed($0.frame) }, by: \.marker)
    var markers: [LocatedMarker] = []
    var faults: [(name: MarkerName, fault: LocatedMarker.Fault)] = []
    for name in groups.keys.sorted() {
      do throws(LocatedMarker.Fault) {
        markers.append(try LocatedMarker(name, groups[name] ?? [], frames))
      } catch {
        faults.append((name, error))
      }
    }
    return (markers, faults)
  }
}
