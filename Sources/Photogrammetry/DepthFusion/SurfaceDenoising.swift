import MeshPipeline

/// Takes out of a fused surface what is within the noise of its measurement, at all scales.
///
/// Errors of phones' depth maps are smooth over a dozen pixels: the mean over frames has waves of a
/// hand's width, which no filter of a voxel's size removes. Here the surface is split into scales, by
/// a pyramid of robust local planes in which edges, corners and sheets apart do not mix; what a scale
/// adds to the coarser one is kept where it is more than the noise, and shrunk to nothing where it
/// is less (wavelet shrinkage; Donoho and Johnstone 1994, with the garrote of Gao 1998). A wall
/// becomes flat; a relief that the depths prove stays.
struct SurfaceDenoising: Sendable {
  /// In metres.
  let voxel: Float
  private let noise: Noise
  private let levels: [Level]

  /// How far the surface may be off.
  struct Noise: Sendable {
    /// Of a good depth at 1 m, in metres.
    var deviation: Float
    /// The share that remains of any number of frames, whose errors are alike.
    private static let common: Float = 0.18

    /// The variance of a surface, in square metres, by its sum of weights.
    @inline(__always)
    func variance(weight: Float) -> Float {
      deviation * deviation * (1 / max(weight, 0.02) + Self.common * Self.common)
    }
  }

  private struct Level: Sendable {
    var surfels: Surfels
    /// The planes of the patches, smoothed at this scale.
    var planes: [SurfelPlane]
    /// How far each plane is to move along its normal, in metres.
    var moves: [Float]
  }

  /// The cosine between normals of one surface, at least: 25°.
  static let leastCosine: Float = 0.9
  /// The edge of the finest cells in voxels.
  static let finest = 4
  /// Cells of the coarsest level reach this far, in metres: waves of the sensor's error are shorter.
  private static let coarsest: Float = 0.4
  /// Details up to this many standard deviations are noise.
  static let threshold: Float = 2

  init(_ patches: [Surfels.Patch], voxel: Float, _ noise: Noise) {
    self.voxel = voxel
    self.noise = noise
    let tolerance = voxel / 5
    var levels: [Level] = []
    var surfels = Surfels(patches, cell: voxel * Float(Self.finest))
    while true {
      let current = surfels
      let spread: Float = levels.isEmpty ? 1.0 / 12 : 0
      let planes: [SurfelPlane] = Parallel.array(count: current.patches.count, chunkSize: 512) {
        range, output in
        var fit = SurfelFit(current, tolerance: tolerance)
        for index in range { output.append(fit.plane(at: index, spread: spread)) }
      }
      levels.append(Level(surfels: current, planes: planes, moves: []))
      guard current.cell < Self.coarsest, current.patches.count > 1 else { break }
      surfels = current.halved(planes, tolerance: tolerance)
    }
    for index in levels.indices.reversed() {
      let level = levels[index]
      guard index + 1 < levels.count else {
        levels[index].moves = Array(repeating: 0, count: level.planes.count)
        continue
      }
      let coarser = levels[index + 1]
      levels[index].moves = Parallel.array(count: level.planes.count, chunkSize: 1024) { place in
        let (patch, plane) = (level.surfels.patches[place], level.planes[place])
        let cell = SIMD3<Int32>(patch.cell.x >> 1, patch.cell.y >> 1, patch.cell.z >> 1)
        return Self.change(
          of: plane, in: cell, patch.variance, coarser, tolerance: tolerance
        ).move
      }
    }
    self.levels = levels
  }

  /// How far a point of the surface is to move along its normal, in metres, and its new normal.
  @inline(__always)
  func change(
    of plane: SurfelPlane, in cell: SIMD3<Int32>, weight: Float
  ) -> (move: Float, normal: SIMD3<Float>) {
    Self.change(
      of: plane, in: cell, noise.variance(weight: weight), levels[0], tolerance: voxel / 5)
  }

  @inline(__always)
  private static func change(
    of plane: SurfelPlane, in cell: SIMD3<Int32>, _ variance: Float, _ level: Level,
    tolerance: Float
  ) -> (move: Float, normal: SIMD3<Float>) {
    let reach = 1.5 * level.surfels.cell
    let limit = 4 * variance.squareRoot() + 2 * tolerance
    var sum = SIMD3<Float>.zero  // weights, heights, moves
    var normal = SIMD3<Float>.zero
    for z in Int32(-1)...1 {
      for y in Int32(-1)...1 {
        for x in Int32(-1)...1 {
          for other in level.surfels.patches(in: cell &+ SIMD3(x, y, z)) {
            let coarse = level.planes[other]
            let offset = plane.position - coarse.position
            let near = 1 - offset.dot(offset) / (reach * reach)
            guard near > 0, coarse.normal.dot(plane.normal) > 0.8 else { continue }
            let height = coarse.height(of: plane.position)
            let ratio = height / limit
            let inside = 1 - ratio * ratio
            guard inside > 0 else { continue }
            let weight = near * near * inside * inside
            sum += SIMD3(1, height, level.moves[other]) * weight
            normal += coarse.normal * weight
          }
        }
      }
    }
    guard sum.x > 1e-3 else { return (0, plane.normal) }
    let (height, move) = (sum.y / sum.x, sum.z / sum.x)
    let ratio = height * height / (threshold * threshold * variance)
    let kept = ratio > 1 ? 1 - 1 / ratio : 0
    let turned = normal / sum.x * (1 - kept) + plane.normal * kept
    return (move - (1 - kept) * height, turned / max(turned.length, .leastNormalMagnitude))
  }
}
