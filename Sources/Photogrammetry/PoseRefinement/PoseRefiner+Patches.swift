import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

extension PoseRefiner {
  /// The result of searching for patches.
  enum Alignment {
    /// Poses agree within measurement error.
    case exact(Misalignment)
    /// Poses were moved; the misalignment of frames before and after.
    case found(before: Misalignment, after: Misalignment)
    /// Too little was found.
    case nothing
  }

  /// The distance of each frame's matches from where its pose and the others' predict them.
  struct Misalignment {
    /// The median of each frame in pixels of its image; NaN for a frame without matches.
    var ofFrames: [Float]
    /// The median of all, in pixels of the compared images.
    var median: Float
    /// Three quarters are closer.
    var upperQuartile: Float
  }

  /// The search for patches in images of one width.
  private struct Level {
    var width: Int
    /// Columns of the grid over each image in which they are chosen.
    var columns: Int
    /// The search radius in pixels around the expected position.
    var reach: Int
  }

  /// From coarse to as exact as the images allow.
  ///
  /// Measured on a room with fused mesh (recorded poses: 4.1 mm): 480 pixels alone 1.10 mm, 960 from the start 1.56,
  /// one after the other 0.80; with exact mesh 0.56, 0.20 and 0.14. 16 columns instead of 10 at 480 take 2 s for a
  /// fifth of that gain, 20 instead of 14 at 960 change nothing.
  private static let levels = [
    Level(width: 480, columns: 10, reach: 12), Level(width: 960, columns: 14, reach: 4),
  ]
  /// The error that all matches may share, as a share of the images' width: it ties all cameras together to the mean
  /// of the recorded poses (``BundleAdjuster/fixGauge(of:to:_:)``).
  ///
  /// Measured, of 480 pixels: with 0.05 fused rooms have up to twice the error, with 0.12 a real chair that drifts loses
  /// .02 of SSIM.
  static func commonError(ofWidth width: Int) -> Double { 0.08 / 480 * Double(width) }
  /// The number of matches that tie a frame to the others: four times the three that determine its six
  /// unknowns, since some are wrong.
  private static let leastMatches = 12
  /// The share of frames that must be tied, in tenths: with fewer, poses stay as recorded.
  private static let leastTiedTenths = 8
  /// Columns and partners of the first search: few are enough to find that nothing needs to be done, and to get close.
  private static let firstSearch = (columns: 8, partners: 4)
  /// The frames in which a landmark is searched after that; 14 change nothing.
  private static let partners = 8
  /// The least search radius in pixels: some times the error of a match.
  private static let leastReach = (first: 4, close: 3)
  /// The upper quartile of residuals in pixels above which frames may still be far off, and the whole radius is
  /// searched again.
  private static let farResidual: Float = 1.5
  /// The distance of matches of exact poses on a mesh that is inaccurate in places, in pixels of 480.
  private static let exactResidual: Float = 0.125
  /// Rounds of matching and adjusting at each level, at most; more change nothing.
  private static let rounds = 8
  /// The least share by which the median residual must fall for another round to be worth its time.
  private static let leastGain: Float = 0.05

  /// The largest distance in metres of measured depths from the surface.
  private static let depthReach: Float = 0.05

  /// Finds patches of each image in others, and moves all poses so that they coincide.
  ///
  /// - Parameters:
  ///   - lens: Set to what the lens of all frames is off by.
  ///   - sources: Corrected by that.
  func align(
    _ poses: inout [Transform], lens: inout LensError, sources: inout [Source],
    images: inout BandPassImages, progress: (Double) throws -> Void
  ) throws -> Alignment {
    let recorded = poses
    var first: Misalignment?
    var last: Misalignment?
    let levels = levels(sources)
    let samples =
      sources.contains { $0.depths != nil }
      ? SurfaceSamples.forDepths(of: surface, frames: sources.count) : nil
    for (number, level) in levels.enumerated() {
      let images = images.ofWidth(level.width)
      var depths = DepthLandmarks()
      let farthest = max(
        Self.leastReach.first, (images.map(\.width).max() ?? 0) * level.reach / level.width)
      var reach = farthest
      var previous = Float.infinity
      for round in 0..<Self.rounds {
        let part = Double(number) + Double(round) / Double(Self.rounds)
        try progress(part / Double(levels.count))
        let full = PatchTracks.Search(
          columns: level.columns, partners: Self.partners, reach: reach)
        let search =
          first == nil
          ? PatchTracks.Search(
            columns: Self.firstSearch.columns, partners: Self.firstSearch.partners, reach: reach)
          : full
        var tracks = PatchTracks(of: viewed(sources, at: poses, in: images), on: surface, search)
        // Where there is little detail, a few patches are too few to tell.
        if first == nil, !Self.areTied(sources.count, by: tracks) {
          tracks = PatchTracks(of: viewed(sources, at: poses, in: images), on: surface, full)
        }
        guard Self.areTied(sources.count, by: tracks) else {
          if first == nil { return .nothing }
          break
        }
        let residuals = Misalignment(tracks, images)
        if first == nil {
          if residuals.median < Self.exactResidual { return .exact(residuals) }
          first = residuals
          lens = lensError(of: sources, at: &poses, in: images, tracks: tracks, search: full)
          if !lens.isNone {
            sources = sources.map { $0.corrected(lens, surface.scale) }
            tracks = PatchTracks(of: viewed(sources, at: poses, in: images), on: surface, full)
          }
        } else {
          last = residuals
          if residuals.median > (1 - Self.leastGain) * previous { break }
          previous = residuals.median
        }
        var solver = BundleAdjuster(
          tracks: tracks, prior: prior(sources.count),
          commonError: Self.commonError(ofWidth: min(level.width, Self.width(sources))),
          scale: surface.scale)
        // Poses move by less than the depths' pixels after the first round.
        if round == 0, let samples {
          depths = depthLandmarks(sources, poses, samples)
        }
        solver.depths = depths
        solver.solve(&poses, recorded: recorded) { viewed(sources, at: $0, in: images) }
        // Frames that were far off may not have been found yet.
        reach =
          residuals.upperQuartile > Self.farResidual
          ? farthest : max(Self.leastReach.close, farthest / 3)
      }
    }
    guard let first, let last else {
      (poses, lens) = (recorded, LensError())
      return .nothing
    }
    return .found(before: first, after: last)
  }

  /// Whether matches tie most frames to others.
  static func areTied(_ count: Int, by tracks: PatchTracks) -> Bool {
    let tied = tracks.matches(ofFrames: count).count { $0 >= leastMatches }
    return 10 * tied >= leastTiedTenths * count
  }

  /// The depth measurements at points of the surface.
  private func depthLandmarks(
    _ sources: [Source], _ poses: [Transform], _ samples: SurfaceSamples
  ) -> DepthLandmarks {
    DepthLandmarks(
      of: sources.map(\.depths), at: poses, on: samples,
      reach: surface.scale.units(meters: Self.depthReach))
  }

  /// The distinct levels, for images of this size.
  private func levels(_ sources: [Source]) -> [Level] {
    let width = Self.width(sources)
    return [Self.levels[0]] + Self.levels.dropFirst().filter { 4 * width >= 3 * $0.width }
  }
}

extension PoseRefiner.Misalignment {
  init(_ tracks: PatchTracks, _ images: [BandPassImage]) {
    var all: [Float] = []
    var ofFrames = [[Float]](repeating: [], count: images.count)
    for track in 0..<tracks.count {
      let observations = tracks.starts[track]..<tracks.starts[track + 1]
      // The first is where the landmark was chosen, and is not a match.
      for index in observations.dropFirst() {
        let frame = Int(tracks.frames[index])
        ofFrames[frame].append(tracks.residuals[index] * images[frame].scale.x)
        all.append(tracks.residuals[index])
      }
    }
    self.ofFrames = ofFrames.map { residuals in
      residuals.median() ?? .nan
    }
    median = all.median() ?? .nan
    upperQuartile = all.isEmpty ? .nan : all.select(all.count * 3 / 4)
  }
}
