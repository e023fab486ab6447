import MeshpipeScene
import POSIX

/// The face of a round wall, unrolled: along the arc, and before and behind it, as if it were straight.
struct RoundWallFace {
  /// The face in the axes of the unrolled samples.
  let line = PlanLine(.zero, SIMD2(1, 0))
  let course: PlanCurve
  /// Those near the face, with x along it and y to its left.
  private(set) var samples: [ScanSamples.Sample] = []

  /// Samples this near to the face say something of it, before and behind, in metres.
  private static let (before, behind) = (1.0, 0.6)

  /// - Parameter samples: Those of the scan.
  init(_ course: PlanCurve, _ samples: [ScanSamples.Sample]) {
    self.course = course
    guard let arc = course.arc else { return }
    let length = course.length
    for sample in samples {
      let offset = sample.plan - arc.center
      // The centre is on the left of a counterclockwise arc.
      let distance = (arc.sweep > 0 ? 1 : -1) * (arc.radius - offset.length)
      guard -Self.behind...Self.before ~= distance else { continue }
      let share = course.share(of: sample.plan)
      guard 0...1 ~= share else { continue }
      let tangent = course.direction(at: share)
      let normal = SIMD2(sample.normal.x, sample.normal.y)
      var unrolled = sample
      unrolled.position = SIMD3(share * length, distance, sample.position.z)
      unrolled.normal = SIMD3(
        tangent.dot(normal), tangent.left.dot(normal), sample.normal.z)
      self.samples.append(unrolled)
    }
  }

  /// The edges of an opening along the centre line of the wall, with the width straight across.
  ///
  /// - Parameter length: Of the centre line.
  func edges(_ edges: OpeningEdges, length: Double) -> OpeningEdges {
    let shares = [edges.left.place, edges.right.place].map { $0 / course.length }
    let ends = shares.map { course.point(at: $0) }
    let middle = (shares[0] + shares[1]) / 2 * length
    let half = (ends[1] - ends[0]).length / 2
    var result = edges
    (result.left.place, result.right.place) = (middle - half, middle + half)
    return result
  }
}
