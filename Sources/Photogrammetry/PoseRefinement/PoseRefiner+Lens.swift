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
    of sources: [Source], at poses: inout [Transform], in images: [BandPassImage],
    tracks: PatchTracks, search: PatchTracks.Search
  ) -> LensError {
    var lens = LensError()
    let wrong = wrongLensParts(of: sources, at: poses, in: images, tracks: tracks, search: search)
    guard !wrong.isEmpty else { return lens }
    var (tracks, moved) = (tracks, poses)
    for round in 0..<Self.lensRounds {
      if round > 0 {
        tracks = PatchTracks(
          of: viewed(sources, at: moved, in: images, through: lens), on: surface, search)
      }
      solve(
        for: wrong, of: &lens, poses: &moved, recorded: poses, sources: sources, images: images,
        tracks: tracks)
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
    of sources: [Source], at poses: [Transform], in images: [BandPassImage], tracks: PatchTracks,
    search: PatchTracks.Search
  ) -> [LensPart] {
    // What files record of a distortion was measured better than it can be here.
    let isDistorted = sources.contains { $0.frame.distortion != .none }
    let parts = isDistorted ? [LensPart.focalLength] : LensPart.allCases
    func error(
      of sources: [Source], at poses: [Transform], in images: [BandPassImage], tracks: PatchTracks
    ) -> LensError {
      var (moved, lens) = (poses, LensError())
      solve(
        for: parts, of: &lens, poses: &moved, recorded: poses, sources: sources, images: images,
        tracks: tracks)
      return lens
    }
    let all = error(of: sources, at: poses, in: images, tracks: tracks)
    var wrong = parts.filter { all[$0].isPlausible }
    for first in [0, 1] where !wrong.isEmpty {
      let half = Array(first * sources.count / 2..<(first + 1) * sources.count / 2)
      let (sources, poses, images) = (
        half.map { sources[$0] }, half.map { poses[$0] }, half.map { images[$0] }
      )
      let tracks = PatchTracks(of: viewed(sources, at: poses, in: images), on: surface, search)
      guard Self.areTied(half.count, by: tracks) else { return [] }
      let own = error(of: sources, at: poses, in: images, tracks: tracks)
      wrong = wrong.filter { own[$0].confirms(all[$0]) }
    }
    return wrong
  }

  /// Solves for poses and some parts of the lens.
  private func solve(
    for parts: [LensPart], of lens: inout LensError, poses: inout [Transform],
    recorded: [Transform], sources: [Source], images: [BandPassImage], tracks: PatchTracks
  ) {
    var solver = BundleAdjuster(
      tracks: tracks, prior: prior(sources.count),
      commonError: Self.commonError(ofWidth: images.map(\.width).max() ?? 0),
      scale: surface.scale)
    solver.lens = parts
    solver.solve(&poses, &lens, recorded: recorded) {
      viewed(sources, at: $0, in: images, through: $1)
    }
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
