import MeshPipeline

extension PoseRefiner {
  /// Columns of the grid over each picture in which spots for warps are chosen, and in how many frames
  /// each is looked for: more columns than poses need, since each node of a warp is to be held by some.
  static let warpSearch = TileTracks.Search(
    cells: 20, partners: 5, reach: 4, findsEdges: true)
  /// A frame's matches that took no part must tell that many at least whether its warp is right.
  private static let leastWitnesses = 12
  /// They must come nearer by this share: what fits noise gains less, and right frames stay as they are.
  private static let leastWarpGain: Float = 0.15
  /// And by so many pixels on average: below lies what interpolation does to matches of exact frames.
  private static let leastWarpGainPixels: Float = 0.03
  /// Matches further off than so many pixels are wrong; how far does not matter.
  private static let greatestMiss: Float = 2

  /// What poses leave: smooth shifts of each picture towards what the others show of the mesh.
  ///
  /// - Parameters:
  ///   - pictures: About 960 pixels wide.
  ///   - focal: The logarithm of what the focal length of each frame is multiplied by.
  /// - Returns: Nil for frames whose spots that took no part in the fit are not better off.
  func warps(
    of sources: [Source], _ pictures: [DetailPicture], at poses: [Transform], focal: Double = 0,
    _ search: TileTracks.Search = warpSearch
  ) -> [ImageWarp?] {
    let frames = viewed(sources, poses, pictures, focal)
    let tracks = TileTracks(of: frames, on: surface, search)
    let solver = WarpSolver(tracks, frames)
    let warps = solver.warps { !tracks.areHeldOut[$0] }
    let unwarped = solver.misses(warps.map { _ in nil })
    let warped = solver.misses(warps)
    var gains = [(count: Int, before: Float, after: Float)](
      repeating: (0, 0, 0), count: frames.count)
    for spot in 0..<tracks.count where tracks.areHeldOut[spot] {
      for index in solver.starts[spot]..<solver.starts[spot + 1] {
        let frame = solver.observations[index].frame
        gains[frame].count += 1
        gains[frame].before += min(unwarped[index], Self.greatestMiss)
        gains[frame].after += min(warped[index], Self.greatestMiss)
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
  /// What tiles tell that were found in pictures.
  init(_ tracks: TileTracks, _ frames: [ViewedFrame], options: Options = Options()) {
    let chunks = Parallel.mapChunks(of: tracks.count, chunkSize: 256) { range in
      range.map { spot in
        let normal = tracks.normals[spot].simd
        let first = normal.anyPerpendicular
        let second = normal.cross(first)
        let point = tracks.positions[spot].simd
        return (tracks.starts[spot]..<tracks.starts[spot + 1]).compactMap { index -> Observation? in
          let frame = frames[Int(tracks.frames[index])]
          guard let place = frame.place(of: point), let depth = frame.camera.project(point)?.z,
            let right = frame.place(of: point + first * (depth * 1e-3)),
            let down = frame.place(of: point + second * (depth * 1e-3))
          else { return nil }
          return Observation(
            frame: Int(tracks.frames[index]), expected: place,
            slopes: ((right - place) * 1000, (down - place) * 1000), found: tracks.pixels[index],
            edgeNormal: tracks.edgeNormals[index])
        }
      }
    }
    var starts = [0]
    var observations: [Observation] = []
    for chunk in chunks {
      for spot in chunk {
        observations += spot
        starts.append(observations.count)
      }
    }
    self.init(
      sizes: frames.map { SIMD2(Float($0.picture.width), Float($0.picture.height)) },
      starts: starts, observations: observations, options: options)
  }
}

extension SIMD3 where Scalar == Float {
  /// A vector of length 1 at a right angle to this one, which has length 1.
  fileprivate var anyPerpendicular: SIMD3<Float> {
    let axis: SIMD3<Float> = abs(x) < 0.6 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    return cross(axis).normalized
  }
}
