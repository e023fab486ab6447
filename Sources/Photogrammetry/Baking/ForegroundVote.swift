import MeshPipeline
import SurfaceKernels

/// Finds what frames show that the mesh lacks, such as poles, legs, cables and signs.
///
/// A thing before the mesh is seen at another place of the mesh by each frame. So each pixel of a frame
/// is looked up in others at the point of the mesh behind it: where nearly all of them agree on a colour
/// that is not to be found around it, the frame shows something else. What changes slowly over a picture
/// (exposure, glare, vignetting) is taken off before, and a neighbour's colour is as good as a pixel's own
/// in the other frames, so that edges which don't quite meet are no contradiction.
struct ForegroundVote: Sendable {
  let cameras: [Camera]
  let thumbnails: [FrameThumbnail?]
  let occlusions: [OcclusionMap?]
  /// What is to be added to the codes of each frame to level it.
  let offsets: [SIMD4<Float>]
  let millimetersPerUnit: Float
  /// How far the mesh may be off, in millimetres.
  let tolerance: Float

  /// Pixels along a side of the blocks that ask the same frames.
  fileprivate static let blockSize = 16
  /// The most frames that are asked, and the fewest that can contradict, alone and beside a depth map: of
  /// few, as many contradict a surface that is off as a thing before it.
  private static let mostVoters = 8
  private static let leastVotersAlone = 6
  private static let leastVoters = 3
  /// How much finer or coarser than the frame's own picture theirs may be there: what one resolves is a
  /// mean in the other.
  private static let leastScale: Float = 0.6
  private static let greatestScale: Float = 1.7
  /// Within so many pixels a colour is looked for in the pictures of the others: poses and the mesh are
  /// not exact.
  private static let reach = 2
  /// How far before or behind the mesh a surface is looked for where it is off, as shares of the depth.
  private static let shifts: [Float] = [-0.015, 0.015, -0.03, 0.03, -0.05, 0.05]
  /// So many frames that agree settle it.
  private static let leastAgreeing = 3
  /// The share of frames that must contradict.
  private static let majority: Float = 0.74
  /// Codes beyond the range of the others: 25 % and 11 % of the light.
  private static let strongMiss: Float = 11
  private static let weakMiss: Float = 5
  /// The others may be apart by this share of the miss.
  private static let greatestSpread: Float = 0.5

  init(
    _ frames: [Capture.Frame], _ thumbnails: [FrameThumbnail?], _ occlusions: [OcclusionMap?],
    _ looks: FrameLooks, unitsPerMeter: Float, meshError: Float
  ) {
    cameras = zip(frames, occlusions).map { frame, map in
      Camera(frame, size: map.map { SIMD2($0.width, $0.height) })
    }
    self.thumbnails = thumbnails
    self.occlusions = occlusions
    offsets = looks.gains.map { FrameThumbnail.offset($0) }
    millimetersPerUnit = 1000 / unitsPerMeter
    tolerance = OcclusionMap.tolerance(meshError)
  }

  /// The masks of all frames; nil for those that show the mesh alone.
  func masks() -> [ForegroundMask?] {
    Parallel.map(count: cameras.count) { mask(of: $0) }
  }

  /// What remains of the trust in a vertex in whose cells a frame shows something else: any other frame
  /// is better.
  private static let trustBeside: Float = 0.02
  /// The same for a vertex that itself is hidden.
  private static let trustBehind: Float = 0.001

  /// Takes trust from views of vertices in masks, and beside them.
  func doubt(
    _ table: inout ViewTable, at places: [Vector3], spacing: [Float], _ masks: [ForegroundMask?]
  ) {
    guard masks.contains(where: { $0 != nil }) else { return }
    let offsets = table.offsets
    table.views.withSharedElements { views in
      Parallel.forEachChunk(of: places.count, chunkSize: 1 << 12) { _, chunk in
        for vertex in chunk {
          for index in Int(offsets[vertex])..<Int(offsets[vertex + 1]) {
            let frame = Int(views[index].frame)
            guard let mask = masks[frame],
              let projected = cameras[frame].project(places[vertex].simd)
            else { continue }
            let pixel = SIMD2(projected.x, projected.y)
            let radius = spacing[vertex] * cameras[frame].focalLength.x / projected.z
            if mask.contains(near: pixel, within: 0.25 * radius) {
              views[index].sighting.trust *= Self.trustBehind
            } else if mask.contains(near: pixel, within: radius) {
              views[index].sighting.trust *= Self.trustBeside
            }
          }
        }
      }
    }
  }

  /// A frame's picture in blocks, and whom each of them asks.
  fileprivate struct Blocks {
    var columns: Int
    var rows: Int
    var voters: [[Int]]
    /// What is to be taken off the codes of the frame around the block.
    var levels: [SIMD4<Float>]
  }

  private func mask(of frame: Int) -> ForegroundMask? {
    guard let thumbnail = thumbnails[frame], let occlusion = occlusions[frame] else { return nil }
    let blocks = blocks(frame, thumbnail, occlusion)
    var doubts = [ForegroundMask.Doubt](
      repeating: .none, count: thumbnail.width * thumbnail.height)
    for y in 0..<thumbnail.height {
      // As on the black squares of a chessboard, which touch at their corners: masks grow by a pixel.
      for x in stride(from: y & 1, to: thumbnail.width, by: 2) {
        let block = y / Self.blockSize * blocks.columns + x / Self.blockSize
        guard blocks.voters[block].count >= Self.leastVoters,
          let point = point(x, y, frame, occlusion)
        else { continue }
        let level = blocks.level(x, y)
        let color = thumbnail.codes(x, y) + offsets[frame] - level
        let found = doubt(
          color, at: point, blocks.voters[block],
          isNearer: thumbnail.pixels[y * thumbnail.width + x].w > 0)
        guard found != .none, !isSurface(color, behind: frame, point, blocks.voters[block]) else {
          continue
        }
        doubts[y * thumbnail.width + x] = found
      }
    }
    return ForegroundMask(width: thumbnail.width, height: thumbnail.height, doubts: doubts)
  }

  /// The point of the mesh behind a pixel.
  @inline(__always)
  private func point(_ x: Int, _ y: Int, _ frame: Int, _ occlusion: OcclusionMap) -> SIMD3<Float>? {
    let depth = Float(occlusion.depths[y &* occlusion.width &+ x])
    guard depth > 0, depth < OcclusionMap.greatestDepth else { return nil }
    let ray = cameras[frame].ray(through: SIMD2(Float(x) + 0.5, Float(y) + 0.5))
    return cameras[frame].position + ray * (depth / millimetersPerUnit)
  }

  /// Where a frame sees a point of the mesh; nil when it does not.
  ///
  /// - Parameter slack: How far it may be off the mesh, as a share of the depth.
  @inline(__always)
  private func pixel(
    of point: SIMD3<Float>, in frame: Int, slack: Float = 0.01
  ) -> (x: Int, y: Int, depth: Float)? {
    guard let map = occlusions[frame], let projected = cameras[frame].project(point),
      cameras[frame].contains(SIMD2(projected.x, projected.y), margin: 2)
    else { return nil }
    let (x, y) = (Int(projected.x), Int(projected.y))
    let depth = projected.z * millimetersPerUnit
    let miss = abs(Float(map.depths[y &* map.width &+ x]) - depth)
    return miss < 2 * tolerance + slack * depth ? (x, y, depth) : nil
  }

  fileprivate func blocks(
    _ frame: Int, _ thumbnail: FrameThumbnail, _ occlusion: OcclusionMap
  ) -> Blocks {
    let size = Self.blockSize
    let columns = (thumbnail.width + size - 1) / size
    let rows = (thumbnail.height + size - 1) / size
    var blocks = Blocks(columns: columns, rows: rows, voters: [], levels: [])
    for row in 0..<rows {
      for column in 0..<columns {
        let x = min(column * size + size / 2, thumbnail.width - 1)
        let y = min(row * size + size / 2, thumbnail.height - 1)
        let voters = point(x, y, frame, occlusion).map { self.voters(frame, $0) } ?? []
        blocks.voters.append(voters)
        blocks.levels.append(
          self.level(
            frame, thumbnail, occlusion, voters,
            column * size..<min((column + 1) * size, thumbnail.width),
            row * size..<min((row + 1) * size, thumbnail.height)))
      }
    }
    blocks.smooth()
    return blocks
  }

  /// Frames that see a point from about as far, spread evenly; far ones first.
  private func voters(_ frame: Int, _ point: SIMD3<Float>) -> [Int] {
    guard let own = cameras[frame].project(point) else { return [] }
    let scale = cameras[frame].focalLength.x / own.z
    let seeing = cameras.indices.filter { other in
      guard other != frame, thumbnails[other] != nil, let place = pixel(of: point, in: other) else {
        return false
      }
      let ratio = cameras[other].focalLength.x * millimetersPerUnit / place.depth / scale
      return ratio > Self.leastScale && ratio < Self.greatestScale
    }
    guard seeing.count > Self.mostVoters else { return seeing }
    let count = Self.mostVoters
    // In an order in which those that follow each other are far apart.
    return (0..<count).map { seeing[(2 * ($0 * 3 % count) + 1) * seeing.count / (2 * count)] }
  }

  /// By how much a block is brighter than the others have it: the median over some pixels and frames.
  private func level(
    _ frame: Int, _ thumbnail: FrameThumbnail, _ occlusion: OcclusionMap, _ voters: [Int],
    _ columns: Range<Int>, _ rows: Range<Int>
  ) -> SIMD4<Float> {
    var misses: [[Float]] = [[], [], []]
    guard voters.count >= Self.leastVoters else { return .zero }
    for y in stride(from: rows.lowerBound + 1, to: rows.upperBound, by: 4) {
      for x in stride(from: columns.lowerBound + 1, to: columns.upperBound, by: 4) {
        guard let point = point(x, y, frame, occlusion) else { continue }
        let color = thumbnail.codes(x, y) + offsets[frame]
        for other in voters {
          guard let place = pixel(of: point, in: other), let picture = thumbnails[other] else {
            continue
          }
          let miss = color - picture.codes(place.x, place.y) - offsets[other]
          for channel in 0..<3 { misses[channel].append(miss[channel]) }
        }
      }
    }
    guard misses[0].count >= 8 else { return .zero }
    var level = SIMD4<Float>(0, 0, 0, 1)
    for channel in 0..<3 { level[channel] = misses[channel].sorted()[misses[channel].count / 2] }
    return level
  }

  /// Whether most of the others show a colour a little before or behind a point of the mesh.
  private func isSurface(
    _ color: SIMD4<Float>, behind frame: Int, _ point: SIMD3<Float>, _ voters: [Int]
  ) -> Bool {
    let ray = point - cameras[frame].position
    return Self.shifts.contains { shift in
      var (agreeing, count) = (0, 0)
      for other in voters {
        guard let place = pixel(of: point + ray * shift, in: other, slack: 2 * abs(shift)),
          let picture = thumbnails[other]
        else { continue }
        count += 1
        let miss = picture.miss(color - offsets[other], place.x, place.y, within: Self.reach)
        if miss < Self.weakMiss { agreeing += 1 }
      }
      return count >= Self.leastVoters && 2 * agreeing > count
    }
  }

  /// What the others say of a colour at a point of the mesh.
  @inline(__always)
  private func doubt(
    _ color: SIMD4<Float>, at point: SIMD3<Float>, _ voters: [Int], isNearer: Bool
  ) -> ForegroundMask.Doubt {
    var (agreeing, count, weak, strong) = (0, 0, 0, 0)
    var (sum, squares) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
    for other in voters {
      guard let place = pixel(of: point, in: other), let picture = thumbnails[other] else {
        continue
      }
      var miss = picture.miss(color - offsets[other], place.x, place.y, within: 0)
      if miss >= Self.weakMiss {
        miss = picture.miss(color - offsets[other], place.x, place.y, within: Self.reach)
      }
      count += 1
      if miss < Self.weakMiss {
        agreeing += 1
        if agreeing >= Self.leastAgreeing { return .none }
        continue
      }
      weak += 1
      if miss > Self.strongMiss { strong += 1 }
      let code = picture.codes(place.x, place.y) + offsets[other]
      sum += code
      squares += code * code
    }
    let needed = Self.majority * Float(count)
    guard count >= (isNearer ? Self.leastVoters : Self.leastVotersAlone), Float(weak) >= needed
    else { return .none }
    let mean = sum / Float(weak)
    let variance = (squares / Float(weak) - mean * mean).max()
    let miss = color - mean
    let distance = max(abs(miss.x), abs(miss.y), abs(miss.z))
    guard variance < Self.greatestSpread * Self.greatestSpread * distance * distance else {
      return .none
    }
    if isNearer { return .measured }
    return Float(strong) >= needed ? .strong : .weak
  }
}

extension ForegroundVote.Blocks {
  /// Fills levels of blocks that have none, and evens them out: things are smaller than what is level.
  fileprivate mutating func smooth() {
    for _ in 0..<2 {
      let old = levels
      for row in 0..<rows {
        for column in 0..<columns {
          var sum = SIMD4<Float>.zero
          for other in max(0, row - 1)...min(rows - 1, row + 1) {
            for next in max(0, column - 1)...min(columns - 1, column + 1) {
              sum += old[other * columns + next]
            }
          }
          if sum.w > 0 { levels[row * columns + column] = sum / sum.w }
        }
      }
    }
  }

  /// The level at a pixel, interpolated between the middles of blocks.
  @inline(__always)
  fileprivate func level(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let size = Float(ForegroundVote.blockSize)
    let u = min(max((Float(x) + 0.5) / size - 0.5, 0), Float(columns - 1))
    let v = min(max((Float(y) + 0.5) / size - 0.5, 0), Float(rows - 1))
    let (left, top) = (min(Int(u), max(0, columns - 2)), min(Int(v), max(0, rows - 2)))
    let (right, bottom) = (min(left + 1, columns - 1), min(top + 1, rows - 1))
    let (s, t) = (u - Float(left), v - Float(top))
    let upper = levels[top * columns + left] * (1 - s) + levels[top * columns + right] * s
    let lower = levels[bottom * columns + left] * (1 - s) + levels[bottom * columns + right] * s
    var level = upper * (1 - t) + lower * t
    level.w = 0
    return level
  }
}
