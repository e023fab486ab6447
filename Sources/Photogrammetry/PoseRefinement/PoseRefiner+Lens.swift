import MeshpipeScene
import NativeLibraries

extension PoseRefiner {
  /// Rounds of matching and adjusting with an unknown lens: more change its numbers by a tenth of their uncertainty.
  private static let lensRounds = 4

  /// The error of the lens of all frames, judged by coarse patches; nothing if that is not beyond doubt.
  ///
  /// Depths don't take part: with a wrong lens they are points beside those that were measured.
  ///
  /// - Parameters:
  ///   - poses: Set to those that go with the lens, if it is off.
  ///   - tracks: The patches of all frames.
  func lensError(
    _ sources: [Source], _ poses: inout [Transform], _ images: [BandPassImage],
    _ tracks: PatchTracks, _ search: PatchTracks.Search
  ) -> LensError {
    var lens = LensError()
    let wrong = wrongLensParts(sources, poses, images, tracks, search)
    guard !wrong.isEmpty else { return lens }
    var (tracks, moved) = (tracks, poses)
    for round in 0..<Self.lensRounds {
      if round > 0 {
        tracks = PatchTracks(of: viewed(sources, moved, images, lens), on: surface, search)
      }
      solve(wrong, &lens, &moved, recorded: poses, sources, images, tracks)
    }
    guard wrong.allSatisfy({ lens[$0].isPlausible }) else { return LensError() }
    poses = moved
    return lens
  }

  /// The parts of the lens that are off.
  ///
  /// Each half of the frames must say so by itself, without the other: what is made up of noise, or belongs to a few
  /// frames, does not hold on frames that took no part. All parts are unknown at once, so that none takes on the error of
  /// another.
  private func wrongLensParts(
    _ sources: [Source], _ poses: [Transform], _ images: [BandPassImage], _ tracks: PatchTracks,
    _ search: PatchTracks.Search
  ) -> [LensPart] {
    // What files record of a distortion was measured better than it can be here.
    let isDistorted = sources.contains { $0.frame.distortion != .none }
    let parts = isDistorted ? [LensPart.focalLength] : LensPart.allCases
    func error(
      _ sources: [Source], _ poses: [Transform], _ images: [BandPassImage], _ tracks: PatchTracks
    ) -> LensError {
      var (moved, lens) = (poses, LensError())
      solve(parts, &lens, &moved, recorded: poses, sources, images, tracks)
      return lens
    }
    let all = error(sources, poses, images, tracks)
    var wrong = parts.filter { all[$0].isPlausible }
    for first in [0, 1] where !wrong.isEmpty {
      let half = Array(first * sources.count / 2..<(first + 1) * sources.count / 2)
      let (sources, poses, images) = (
        half.map { sources[$0] }, half.map { poses[$0] }, half.map { images[$0] }
      )
      let tracks = PatchTracks(of: viewed(sources, poses, images), on: surface, search)
      guard Self.areTied(half.count, by: tracks) else { return [] }
      let own = error(sources, poses, images, tracks)
      wrong = wrong.filter { own[$0].confirms(all[$0]) }
    }
    return wrong
  }

  /// Solves for poses and some parts of the lens.
  private func solve(
    _ parts: [LensPart], _ lens: inout LensError, _ poses: inout [Transform],
    recorded: [Transform], _ sources: [Source], _ images: [BandPassImage], _ tracks: PatchTracks
  ) {
    var solver = BundleAdjuster(
      tracks: tracks, prior: prior(sources.count),
      commonError: Self.commonError(ofWidth: images.map(\.width).max() ?? 0),
      scale: surface.scale)
    solver.lens = parts
    solver.solve(&poses, &lens, recorded: recorded) { viewed(sources, $0, images, $1) }
  }
}

extension PoseRefiner.Source {
  /// The frame without an error of its lens.
  func corrected(_ error: LensError, _ scale: MetricScale) -> PoseRefiner.Source {
    var source = self
    error.correct(&source.frame.intrinsics, &source.frame.distortion)
    if depths != nil {
      source.depths = source.frame.depthFrame.flatMap { depthFrame in
        depthFrame.depth.readable().map.map { DepthPoints($0, depthFrame, scale) }
      }
    }
    return source
  }
}
