import MeshPipeline

/// A factor that the focal lengths of all frames are off by, and how sure it is.
struct FocalError: Sendable {
  /// The logarithm of the factor.
  var logarithm = 0.0
  /// Its standard deviation: see ``BundleAdjuster``.
  var deviation = Double.infinity

  /// The least that is solved for: on correct captures it came to 0.001, on one of a phone with few frames and a
  /// coarse mesh to 0.013.
  private static let least = 0.02
  /// The largest that is accepted: more is a wrong unit or another camera, which ``FitCheck`` finds.
  private static let greatest = 0.25
  /// In standard deviations: what is less may be none, and what differs by more is not the same.
  private static let (leastDeviations, mostDeviations) = (2.0, 2.0)

  /// Whether it is beyond doubt, and of a size that occurs.
  var isPlausible: Bool {
    abs(logarithm) > max(Self.least, Self.leastDeviations * deviation)
      && abs(logarithm) < Self.greatest
  }

  /// Whether this one, found on other frames, has the same sign and about the same size.
  func confirms(_ other: FocalError) -> Bool {
    let difference = abs(logarithm - other.logarithm)
    return logarithm * other.logarithm > 0 && abs(logarithm) > Self.least / 2
      && difference < max(Self.least / 2, Self.mostDeviations * deviation)
  }
}

extension PoseRefiner {
  /// Whether all focal lengths are off, judged by the first few patches.
  ///
  /// Each half of the frames must say so by itself, without the other: what is made up of noise, or belongs to a few
  /// frames, does not hold on frames that took no part.
  ///
  /// - Parameter tracks: The patches of all frames.
  func isFocalWrong(
    _ sources: [Source], _ poses: [Transform], _ images: [BandPassImage], _ tracks: PatchTracks,
    _ search: PatchTracks.Search
  ) -> Bool {
    let error = focalError(sources, poses, images, tracks)
    guard error.isPlausible else { return false }
    return [0, 1].allSatisfy { first in
      let half = Array(first * sources.count / 2..<(first + 1) * sources.count / 2)
      let (sources, poses, images) = (
        half.map { sources[$0] }, half.map { poses[$0] }, half.map { images[$0] }
      )
      let tracks = PatchTracks(of: viewed(sources, poses, images), on: surface, search)
      return Self.areTied(half.count, by: tracks)
        && focalError(sources, poses, images, tracks).confirms(error)
    }
  }

  private func focalError(
    _ sources: [Source], _ poses: [Transform], _ images: [BandPassImage], _ tracks: PatchTracks
  ) -> FocalError {
    let width = images.map(\.width).max() ?? 0
    var solver = BundleAdjuster(
      tracks: tracks, prior: prior(sources.count),
      commonError: Self.commonError(ofWidth: width), scale: surface.scale)
    solver.solvesFocalLength = true
    var (moved, focal) = (poses, FocalError())
    solver.solve(&moved, &focal, recorded: poses) { viewed(sources, $0, images, $1) }
    return focal
  }
}
