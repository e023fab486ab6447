import MeshpipeScene

/// Takes out of a fused surface what is within the noise of its measurement, at all scales.
///
/// Errors of phones' depth maps are smooth over a dozen pixels: the mean over frames has waves of a
/// hand's width, which no filter of a voxel's size removes. Here the surface is split into scales, by
/// a pyramid of robust local planes in which edges, corners and sheets apart do not mix; what a scale
/// adds to the coarser one is kept where it is more than the noise, and shrunk to nothing where it
/// is less (wavelet shrinkage; Donoho and Johnstone 1994, with the garrote of Gao 1998). A wall
/// becomes flat; a relief that the depths prove stays. Where a surface turns within a cell of a scale,
/// that scale and coarser ones say nothing: a ball is not a wall with a detail.
struct SurfaceDenoising: Sendable {
  private let noise: Noise
  private let levels: [Level]
  /// The level at which the vertices of each layer begin.
  private let firstLevels: [Int]

  /// The vertices of a grid.
  struct Layer: Sendable {
    /// The edge of a voxel in metres; that of each layer is that of the one after it, times a power of two.
    let voxel: Float
    /// The finest patches.
    let patches: [Surfels.Patch]
  }

  /// The noise of the surface before denoising.
  struct Noise: Sendable {
    /// The standard deviation of a good depth at 1 m, in metres.
    var deviation: Float
    /// The share that remains of any number of frames, whose errors are alike.
    private static let common: Float = 0.18
    /// Less weight counts as this: one grazing depth is seven times as far off as a good one.
    private static let leastWeight: Float = 0.02

    /// The variance of a surface, in square metres, by its sum of weights.
    @inline(__always)
    func variance(weight: Float) -> Float {
      deviation * deviation * (1 / max(weight, Self.leastWeight) + Self.common * Self.common)
    }
  }

  private struct Level: Sendable {
    var surfels: Surfels
    /// The planes of the patches, smoothed at this scale.
    var planes: [SurfelPlane]
    /// The displacement of each plane along its normal, in metres.
    var moves: [Float]
    /// The maximum distance between planes of exact depths, in metres.
    let tolerance: Float
  }

  /// The cosine between normals of one surface, at least: 25°.
  static let leastCosine: Float = 0.9
  /// The minimum cosine against a coarser plane's normal, 37°: what is finer may be tilted against it.
  private static let leastCoarseCosine: Float = 0.8
  /// The edge of the finest cells in voxels.
  static let finest = 4
  /// Cells of the coarsest level reach this far, in metres: waves of the sensor's error are shorter.
  private static let coarsest: Float = 0.4
  /// Details of less than this many standard deviations are noise.
  ///
  /// One is much for a detail, which is the difference between two scales: errors are alike over a
  /// dozen pixels, and those of a scale are a tenth to a fifth of the whole (by the median, in
  /// synthetic rooms and objects with the noise of a phone).
  static let threshold: Float = 1
  /// Coarser planes farther away than this, in standard deviations and in tolerances, are of another
  /// surface.
  private static let farthest = (deviations: Float(4), tolerances: Float(2))
  /// The distance within which coarser planes are blended, in their cells: several always are, so
  /// that the blend has no steps.
  private static let reach: Float = 1.5
  /// The maximum distance between planes of exact depths, in voxels: the field is linear between voxels.
  private static let tolerance: Float = 0.2
  /// The variance along each axis of points in a cell of width 1.
  private static let spread: Float = 1.0 / 12
  /// The least sum of weights of a blend: at its rim, rounding would decide.
  private static let leastBlend: Float = 1e-3

  /// - Parameter layers: From coarse to fine.
  init(_ layers: [Layer], _ noise: Noise) {
    self.noise = noise
    let finest = layers[layers.count - 1]
    let firstLevels = layers.map { Int(($0.voxel / finest.voxel).rounded()).trailingZeroBitCount }
    var levels: [Level] = []
    var surfels = Surfels(finest.patches, cell: finest.voxel * Float(Self.finest))
    var tolerance = finest.voxel * Self.tolerance
    while true {
      let current = surfels
      let limit = tolerance
      let spread = firstLevels.contains(levels.count) ? Self.spread : 0
      let planes: [SurfelPlane] = Parallel.array(count: current.patches.count, chunkSize: 512) {
        range, output in
        var fit = SurfelFit(current, tolerance: limit)
        for index in range { output.append(fit.plane(at: index, spread: spread)) }
      }
      levels.append(Level(surfels: current, planes: planes, moves: [], tolerance: limit))
      let isLast = current.cell >= Self.coarsest || current.patches.count <= 1
      guard !isLast || levels.count <= firstLevels[0] else { break }
      surfels = current.halved(planes, tolerance: limit)
      if let layer = firstLevels.firstIndex(of: levels.count) {
        tolerance = layers[layer].voxel * Self.tolerance
        surfels = surfels.joined(with: layers[layer].patches)
      }
    }
    self.firstLevels = firstLevels
    for index in levels.indices.reversed() {
      let level = levels[index]
      guard index + 1 < levels.count else {
        levels[index].moves = Array(repeating: 0, count: level.planes.count)
        continue
      }
      let coarser = levels[index + 1]
      levels[index].moves = Parallel.array(count: level.planes.count, chunkSize: 1024) { index in
        let (patch, plane) = (level.surfels.patches[index], level.planes[index])
        let cell = SIMD3<Int32>(patch.cell.x >> 1, patch.cell.y >> 1, patch.cell.z >> 1)
        return Self.change(
          of: plane, in: cell, patch.variance, coarser, tolerance: level.tolerance
        ).move
      }
    }
    self.levels = levels
  }

  /// The displacement of a point of the surface along its normal, in metres, and its new normal.
  @inline(__always)
  func change(
    of plane: SurfelPlane, in cell: SIMD3<Int32>, weight: Float, layer: Int
  ) -> (move: Float, normal: SIMD3<Float>) {
    let level = levels[firstLevels[layer]]
    return Self.change(
      of: plane, in: cell, noise.variance(weight: weight), level, tolerance: level.tolerance)
  }

  @inline(__always)
  private static func change(
    of plane: SurfelPlane, in cell: SIMD3<Int32>, _ variance: Float, _ level: Level,
    tolerance: Float
  ) -> (move: Float, normal: SIMD3<Float>) {
    let radius = reach * level.surfels.cell
    let limit =
      farthest.deviations * variance.squareRoot() + farthest.tolerances * tolerance
    var sum = SIMD3<Float>.zero  // weights, heights, moves
    var normal = SIMD3<Float>.zero
    var total: Float = 0
    for z in Int32(-1)...1 {
      for y in Int32(-1)...1 {
        for x in Int32(-1)...1 {
          for other in level.surfels.patches(in: cell &+ SIMD3(x, y, z)) {
            let coarse = level.planes[other]
            let offset = plane.position - coarse.position
            let near = 1 - offset.dot(offset) / (radius * radius)
            guard near > 0, coarse.normal.dot(plane.normal) > leastCoarseCosine else { continue }
            let height = coarse.height(of: plane.position)
            let ratio = height / limit
            let inside = 1 - ratio * ratio
            guard inside > 0 else { continue }
            let weight = near * near * inside * inside
            total += weight
            sum += SIMD3(1, height, level.moves[other]) * (weight * coarse.reliability)
            normal += coarse.normal * (weight * coarse.reliability)
          }
        }
      }
    }
    guard sum.x > leastBlend else { return (0, plane.normal) }
    let (height, move) = (sum.y / sum.x, sum.z / sum.x)
    let ratio = height * height / (threshold * threshold * variance)
    // Where the coarser planes don't hold, neither they nor their moves count.
    let reliability = sum.x / total
    let removed = (ratio > 1 ? 1 / ratio : 1) * reliability
    let turned = normal / sum.x * removed + plane.normal * (1 - removed)
    return (
      move * reliability - removed * height,
      turned / max(turned.length, .leastNormalMagnitude)
    )
  }
}
