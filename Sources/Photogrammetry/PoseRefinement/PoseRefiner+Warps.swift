import MeshpipeScene

extension PoseRefiner {
  /// Columns of the grid over each image in which landmarks for warps are chosen, and the number of
  /// frames in which each is searched: more columns than poses need, since each node of a warp must
  /// be fixed by several landmarks.
  static let warpSearch = PatchTracks.Search(
    columns: 20, partners: 5, reach: 4, findsEdges: true)
  /// The least number of a frame's held-out matches that can decide on its warp: of fewer, one wrong match decides.
  private static let leastWitnesses = 12
  /// The least share by which they must get closer: fitting noise gains less, so correct frames
  /// stay as they are.
  private static let leastWarpGain: Float = 0.15
  /// And the least number of pixels on average: interpolation moves matches of exact frames by
  /// less.
  private static let leastWarpGainPixels: Float = 0.03
  /// Matches further off than this many pixels are wrong, however far: ten times the error of a match.
  private static let greatestResidual: Float = 2
  /// The steps of numeric derivatives on the mesh that make the depth: one is about a pixel, over which the projection
  /// is linear.
  fileprivate static let stepsPerDepth: Float = 1000

  /// The corrections that poses leave: smooth shifts of each image towards what the others show of
  /// the mesh.
  ///
  /// - Parameter images: About 960 pixels wide.
  /// - Returns: Nil for frames whose held-out landmarks do not improve.
  func warps(
    of sources: [Source], _ images: [BandPassImage], at poses: [Transform],
    _ search: PatchTracks.Search = warpSearch
  ) -> [ImageWarp?] {
    let frames = viewed(sources, at: poses, in: images)
    let tracks = PatchTracks(of: frames, on: surface, search)
    let solver = WarpSolver(tracks, frames)
    let warps = solver.warps { !tracks.areHeldOut[$0] }
    let unwarped = solver.residuals(warps.map { _ in nil })
    let warped = solver.residuals(warps)
    var gains = [(count: Int, before: Float, after: Float)](
      repeating: (0, 0, 0), count: frames.count)
    for landmark in 0..<tracks.count where tracks.areHeldOut[landmark] {
      for index in solver.starts[landmark]..<solver.starts[landmark + 1] {
        let frame = solver.observations[index].frame
        gains[frame].count += 1
        gains[frame].before += min(unwarped[index], Self.greatestResidual)
        gains[frame].after += min(warped[index], Self.greatestResidual)
      }
    }
    return zip(warps, gains).map { warp, gain in
      let least = max(
        Self.leastWarpGain * gain.before, Self.leastWarpGainPixels * Float(gain.count))
      let isBetter = gain.before - gain.after > least
      return gain.count >= Self.leastWitnesses && isBetter ? warp : nil
    }
  }
}

extension WarpSolver {
  /// The evidence of patches that were observed in images.
  init(_ tracks: PatchTracks, _ frames: [ViewedFrame], options: Options = Options()) {
    let chunks = Parallel.mapChunks(of: tracks.count, chunkSize: 256) { range in
      range.map { landmark in
        let normal = tracks.normals[landmark].simd
        let first = normal.anyPerpendicular
        let second = normal.cross(first)
        let point = tracks.positions[landmark].simd
        return (tracks.starts[landmark]..<tracks.starts[landmark + 1]).compactMap {
          index -> Observation? in
          let frame = frames[Int(tracks.frames[index])]
          guard let place = frame.place(of: point), let depth = frame.camera.project(point)?.z,
            let right = frame.place(of: point + first * (depth * (1 / PoseRefiner.stepsPerDepth))),
            let down = frame.place(of: point + second * (depth * (1 / PoseRefiner.stepsPerDepth)))
          else { return nil }
          return Observation(
            frame: Int(tracks.frames[index]), predicted: place,
            derivatives: (
              (right - place) * PoseRefiner.stepsPerDepth,
              (down - place) * PoseRefiner.stepsPerDepth
            ),
            observed: tracks.pixels[index],
            edgeNormal: tracks.edgeNormals[index])
        }
      }
    }
    var starts = [0]
    var observations: [Observation] = []
    for chunk in chunks {
      for landmark in chunk {
        observations += landmark
        starts.append(observations.count)
      }
    }
    self.init(
      sizes: frames.map { SIMD2(Float($0.image.width), Float($0.image.height)) },
      starts: starts, observations: observations, options: options)
  }
}

extension SIMD3 where Scalar == Float {
  /// A vector of length 1 perpendicular to this one, which has length 1.
  fileprivate var anyPerpendicular: SIMD3<Float> {
    // Whichever axis is far from this vector: of x, 0.6 is as good as any bound near 1/√3.
    let axis: SIMD3<Float> = abs(x) < 0.6 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    return cross(axis).normalized
  }
}
