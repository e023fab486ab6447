import MeshpipeBase
import MeshpipeScene
import SurfaceKernels

/// Finds objects that frames show and the mesh lacks, such as poles, legs, cables and signs.
///
/// The photometric outlier rejection of Waechter et al. (2014), per pixel of a thumbnail instead of per face, so that
/// things thinner than a face are found.
///
/// An object in front of the mesh projects to another point of the mesh in each frame. So each
/// pixel of a frame is looked up in others at the point of the mesh behind it: if nearly all of
/// them agree on a colour that does not occur around it, the frame shows something else. Slow
/// variations over an image (exposure, glare, vignetting) are removed first, and a neighbour's
/// colour counts like the pixel's own in the other frames, so that misaligned edges do not
/// contradict each other.
struct ForegroundVote: Sendable {
  /// The cameras of the frames, with pixels of the depth bounds.
  private let cameras: [Camera]
  /// The voters of the frames; nil for frames that show nothing of the mesh.
  private let voters: [ForegroundVoter?]

  /// The most voters: more do not improve the result, and the vote is half of what a bake of a fused mesh costs more
  /// than one of an exact mesh.
  private static let mostVoters = 8
  /// The largest ratio, either way, of the voters' resolution to the frame's own: what one resolves
  /// is averaged in the other, and letters or joints would contradict their mean.
  private static let leastScale: Float = 0.6
  private static let greatestScale: Float = 1.7
  /// The distances in front of and behind the mesh at which an inaccurate surface is searched, as
  /// shares of the depth.
  ///
  /// Fused meshes are off by up to some centimetres. Farther shifts would take objects that stand
  /// close to a wall for the wall.
  private static let shifts: [Float] = [-0.015, 0.015, -0.03, 0.03, -0.05, 0.05]
  /// The step between the pixels that determine a block's level, and the fewest comparisons of all of them
  /// with the voters: nine pixels in three frames and more are enough for a median.
  private static let levelStep = 5
  private static let leastResiduals = 8

  init(
    _ frames: [Capture.Frame], thumbnails: [FrameThumbnail?], depthBounds: [DepthBounds?],
    photometry: FramePhotometry, scale: MetricScale, meshError: Float
  ) {
    cameras = zip(frames, depthBounds).map { frame, map in
      Camera(frame, size: map.map { SIMD2($0.width, $0.height) })
    }
    voters = frames.indices.map { frame in
      guard let thumbnail = thumbnails[frame], let depthBounds = depthBounds[frame] else {
        return nil
      }
      return ForegroundVoter(
        frames[frame], thumbnail, depthBounds,
        offset: FrameThumbnail.offset(photometry.gains[frame]),
        scale: scale, meshError: meshError)
    }
  }

  /// The masks of all frames, of the size of their depth bounds; nil for those that show only the
  /// mesh.
  func masks() -> [ForegroundMask?] {
    Parallel.map(count: cameras.count) { frame in
      let size = cameras[frame].size
      return mask(of: frame)?.scaled(width: Int(size.x), height: Int(size.y))
    }
  }

  /// The factor of the confidence of a vertex in whose triangles a frame shows an object: any other frame is better,
  /// but where none is, the vertex still gets a colour.
  private static let confidenceBeside: Float = 0.02
  /// The factor of the confidence of a vertex that is hidden itself, within this part of the distance to its
  /// neighbours: its colour is that of the object.
  private static let confidenceBehind: Float = 0.001
  private static let hiddenPart: Float = 0.25

  /// Reduces the weight of views of vertices in masks, and next to them.
  func doubt(
    _ table: inout ObservationTable, at places: [Vector3], spacing: [Float],
    _ masks: [ForegroundMask?]
  ) {
    guard masks.contains(where: { $0 != nil }) else { return }
    let offsets = table.offsets
    table.observations.withDisjointBuffer { views in
      Parallel.forEachChunk(of: places.count, chunkSize: 1 << 12) { _, chunk in
        for vertex in chunk {
          for index in Int(offsets[vertex])..<Int(offsets[vertex + 1]) {
            let frame = Int(views[index].frame)
            guard let mask = masks[frame],
              let projected = cameras[frame].project(places[vertex].simd)
            else { continue }
            let pixel = SIMD2(projected.x, projected.y)
            let radius = spacing[vertex] * cameras[frame].focalLength.x / projected.z
            if mask.contains(near: pixel, within: Self.hiddenPart * radius) {
              views[index].measurement.confidence *= Self.confidenceBehind
            } else if mask.contains(near: pixel, within: radius) {
              views[index].measurement.confidence *= Self.confidenceBeside
            }
          }
        }
      }
    }
  }

  private func mask(of frame: Int) -> ForegroundMask? {
    guard let own = voters[frame] else { return nil }
    let thumbnail = own.thumbnail
    let blocks = blocks(of: frame, own)
    var doubts = [ForegroundMask.Doubt](
      repeating: .none, count: thumbnail.width * thumbnail.height)
    var ballots: [ForegroundBallot] = []
    for (block, witnesses) in blocks.witnesses.enumerated()
    where witnesses.count >= ForegroundBallot.leastVoters {
      let shift = own.shift(at: blocks.middle(of: block))
      ballots.removeAll(keepingCapacity: true)
      for y in blocks.rows(of: block) {
        // A checkerboard: masks grow by a pixel, so that its squares touch.
        let columns = blocks.columns(of: block)
        for x in stride(from: columns.lowerBound + y & 1, to: columns.upperBound, by: 2) {
          guard let point = own.point(x, y, shift: shift) else { continue }
          ballots.append(
            ForegroundBallot(
              pixel: y * thumbnail.width + x, point: point,
              color: own.color(x, y) - blocks.level(x, y)))
        }
      }
      let settling = ForegroundBallot.settling(among: witnesses.count)
      for witness in witnesses { witness.vote(on: &ballots, settling: settling) }
      for ballot in ballots {
        let found = ballot.doubt(isNearer: thumbnail.pixels[ballot.pixel].w > 0)
        guard found != .none, !isSurface(ballot, from: own.camera.position, witnesses) else {
          continue
        }
        doubts[ballot.pixel] = found
      }
    }
    return ForegroundMask(width: thumbnail.width, height: thumbnail.height, doubts: doubts)
  }

  private func blocks(of frame: Int, _ own: ForegroundVoter) -> ForegroundBlocks {
    var blocks = ForegroundBlocks(width: own.thumbnail.width, height: own.thumbnail.height)
    for block in 0..<blocks.count {
      let middle = blocks.middle(of: block)
      let shift = own.shift(at: middle)
      let witnesses =
        own.point(middle.x, middle.y, shift: shift).map { self.witnesses(of: frame, own, $0) } ?? []
      blocks.witnesses.append(witnesses)
      blocks.levels.append(
        level(
          of: own, shift: shift, witnesses: witnesses, columns: blocks.columns(of: block),
          rows: blocks.rows(of: block)))
    }
    blocks.smooth()
    return blocks
  }

  /// Frames that see a point from about the same distance, spread evenly; far ones first.
  private func witnesses(
    of frame: Int, _ own: ForegroundVoter, _ point: SIMD3<Float>
  ) -> [ForegroundWitness] {
    guard let projected = own.camera.project(point) else { return [] }
    let scale = own.camera.focalLength.x / projected.z
    let seeing = voters.indices.filter { other in
      guard other != frame, let voter = voters[other],
        let position = voter.pixel(of: point, shift: .zero)
      else { return false }
      let ratio = voter.camera.focalLength.x / position.depth / scale
      return ratio > Self.leastScale && ratio < Self.greatestScale
    }
    var chosen = seeing
    if seeing.count > Self.mostVoters {
      let count = Self.mostVoters
      // An order in which successive frames are far apart.
      chosen = (0..<count).map { seeing[(2 * ($0 * 3 % count) + 1) * seeing.count / (2 * count)] }
    }
    return chosen.compactMap { other in
      voters[other].map { voter in
        let position = voter.pixel(of: point, shift: .zero)
        return ForegroundWitness(
          voter: voter, shift: position.map { voter.shift(at: ($0.x, $0.y)) } ?? .zero)
      }
    }
  }

  /// The median difference in brightness between a block and the others, over some pixels and frames.
  private func level(
    of own: ForegroundVoter, shift: SIMD2<Float>, witnesses: [ForegroundWitness],
    columns: Range<Int>, rows: Range<Int>
  ) -> SIMD4<Float> {
    guard witnesses.count >= ForegroundBallot.leastVoters else { return .zero }
    var samples: [(point: SIMD3<Float>, color: SIMD4<Float>)] = []
    for y in stride(from: rows.lowerBound + 1, to: rows.upperBound, by: Self.levelStep) {
      for x in stride(from: columns.lowerBound + 1, to: columns.upperBound, by: Self.levelStep) {
        guard let point = own.point(x, y, shift: shift) else { continue }
        samples.append((point, own.color(x, y)))
      }
    }
    var residuals: [SIMD4<Float>] = []
    for witness in witnesses {
      for sample in samples {
        guard let pixel = witness.pixel(of: sample.point) else { continue }
        residuals.append(sample.color - witness.voter.color(pixel.x, pixel.y))
      }
    }
    guard residuals.count >= Self.leastResiduals else { return .zero }
    var level = SIMD4<Float>(0, 0, 0, 1)
    for channel in 0..<3 {
      level[channel] = residuals.map { $0[channel] }.median() ?? 0
    }
    return level
  }

  /// Whether most of the others show a colour slightly in front of or behind a point of the mesh.
  private func isSurface(
    _ ballot: ForegroundBallot, from position: SIMD3<Float>, _ witnesses: [ForegroundWitness]
  ) -> Bool {
    let ray = ballot.point - position
    return Self.shifts.contains { shift in
      let point = ballot.point + ray * shift
      var (agreeing, contradicting) = (0, 0)
      for (place, witness) in witnesses.enumerated()
      where contradicting < agreeing + witnesses.count - place {
        guard let pixel = witness.pixel(of: point, slack: 2 * abs(shift)) else { continue }
        if witness.voter.residual(ballot.color, pixel.x, pixel.y) < ForegroundBallot.weakResidual {
          agreeing += 1
        } else {
          contradicting += 1
        }
      }
      return agreeing + contradicting >= ForegroundBallot.leastVoters && agreeing > contradicting
    }
  }
}
