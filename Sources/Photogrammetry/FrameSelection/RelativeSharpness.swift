import MeshpipeBase
import MeshpipeScene
import POSIX
import SurfaceKernels

/// Distinguishes blurred frames from frames of a plain, near or slanted subject, by the width of
/// the same edges in other frames.
///
/// The width of a surface edge in one image can be predicted from its width in another, from the
/// scale and foreshortening of both, and from the pixel size. A frame is blurred if its edges are
/// wider than predicted across some direction.
package enum RelativeSharpness {
  /// One frame's observation of one point.
  package struct Observation: Sendable {
    var sample: UInt32
    /// The image displacement of the point, in pixels, per unit along the first and the second axis
    /// of the surface.
    var axes: (first: SIMD2<Float>, second: SIMD2<Float>)
    var detail: DirectionalDetail
  }

  /// The minimum number of points with an edge across a direction to judge it.
  ///
  /// For a stable median; below, nothing is said, since a frame of a plain subject has few.
  static let fewestEdges = 25
  /// The squared width of a perfectly sharp edge in a smoothed image, in pixels.
  private static let pixelWidth: Float = 1
  /// A frame at less than this share of another's scale can't predict the width of its edges: its pixels are wider than
  /// the other's then, and errors of its widths are magnified.
  private static let leastScale: Float = 0.8
  /// The maximum number of peers per point: more don't improve the median, and time grows with them.
  private static let mostPeers = 24
  /// The minimum number of predictions at a point: of one, either frame may be the blurred one.
  private static let leastPredictions = 2
  /// The frames before and after a frame that it is compared with without a surface: more would make
  /// the median steadier, but fewer of them show the same subject.
  private static let neighborCount = 7
  /// The least area, in pixels per squared unit of the surface, that its axes span in the image; it is 0 edge-on.
  fileprivate static let leastAxisArea: Float = 1e-6

  /// The sharpness of each frame relative to others that see the same points, as a logarithm to
  /// base 2: −1 if edges across some direction are twice as wide as predicted.
  ///
  /// The median of the predictions at each point, and the median over all points, make it robust to
  /// a few blurred frames and to errors of poses and mesh.
  ///
  /// - Returns: Nil for a frame that shares too few edges with two other frames.
  package static func relativeToPeers(_ frames: [[Observation]], sampleCount: Int) -> [Float?] {
    var views = [[View]](repeating: [], count: sampleCount)
    for (frame, observations) in frames.enumerated() {
      for (place, observation) in observations.enumerated() {
        views[Int(observation.sample)].append(View(frame: frame, place: place))
      }
    }
    return Parallel.map(count: frames.count) { [views] frame in
      var excesses = [[Float]](repeating: [], count: DirectionalDetail.directions.count)
      for observation in frames[frame] {
        let others = views[Int(observation.sample)].filter { $0.frame != frame }
        let peers = others.evenly(atMost: Self.mostPeers).map { frames[$0.frame][$0.place] }
        for (index, direction) in DirectionalDetail.directions.enumerated() {
          guard let excess = excess(of: observation, along: direction, beside: peers) else {
            continue
          }
          excesses[index].append(excess)
        }
      }
      return excesses.filter { $0.count >= fewestEdges }.compactMap { $0.interpolatedMedian() }
        .max().map { -$0 }
    }
  }

  /// The location of a point's observation.
  private struct View {
    let frame: Int
    let place: Int
  }

  /// The excess width of edges across a direction, as a logarithm to base 2; nil without edges, or
  /// with fewer than two predictions.
  private static func excess(
    of observation: Observation, along direction: SIMD2<Float>, beside peers: [Observation]
  ) -> Float? {
    guard let width = observation.detail.squaredWidth(along: direction),
      let step = observation.surfaceStep(along: direction)
    else { return nil }
    let predictions = peers.compactMap { prediction(by: $0, alongSurface: step) }
    guard predictions.count >= leastPredictions, let predicted = predictions.interpolatedMedian()
    else {
      return nil
    }
    return log2f(width / predicted) / 2
  }

  /// The squared width, in pixels of another image, that a peer predicts for edges across a step on
  /// the surface that is one pixel long there.
  private static func prediction(
    by peer: Observation, alongSurface step: SIMD2<Float>
  ) -> Float? {
    let shown = peer.axes.first * step.x + peer.axes.second * step.y
    let scale = (shown * shown).sum().squareRoot()
    guard scale > leastScale,
      let width = peer.detail.squaredWidth(
        along: shown / scale, leastSlope: DirectionalDetail.richSlope)
    else { return nil }
    return max(width - pixelWidth, 0) / (scale * scale) + pixelWidth
  }

  /// The sharpness of each frame relative to its neighbours in time, as a logarithm to base 2, for
  /// captures without a surface.
  ///
  /// - Parameter widths: Nil for frames that were not measured, which say nothing of others either.
  /// - Returns: Nil for frames that were not measured, or have no edges.
  package static func relativeToNeighbors(_ widths: [EdgeWidths?]) -> [Float?] {
    widths.enumerated().map { index, own in
      guard let own else { return nil }
      let range = max(0, index - neighborCount)...min(widths.count - 1, index + neighborCount)
      let neighbors = widths[range].compactMap(\.self)
      let excesses = DirectionalDetail.directions.indices.compactMap { direction in
        own[direction].map {
          $0 - (neighbors.compactMap { $0[direction] }.interpolatedMedian() ?? 0)
        }
      }
      return excesses.max().map { -$0 }
    }
  }
}

extension RelativeSharpness.Observation {
  /// The step along the surface axes that moves the projection by one pixel along a direction; nil
  /// where the surface is seen edge-on.
  fileprivate func surfaceStep(along direction: SIMD2<Float>) -> SIMD2<Float>? {
    let (a, b) = axes
    let determinant = a.x * b.y - b.x * a.y
    guard abs(determinant) > RelativeSharpness.leastAxisArea else { return nil }
    return SIMD2(b.y * direction.x - b.x * direction.y, a.x * direction.y - a.y * direction.x)
      / determinant
  }
}
