import MeshpipeScene
import SurfaceKernels

/// The weight of a signed distance in a voxel.
///
/// Behind the surface the weight falls to nothing where noise doesn't reach: what lies behind a thin
/// part is left to the frames that see it.
struct DepthIntegration: Sendable {
  /// Distances beyond this are cut, in metres.
  let truncation: Float
  /// A distance counts fully up to this far behind the surface.
  let certain: Float
  /// The width over which the weight falls to zero, at least: two voxels from the surface, so that
  /// all corners of a cell that it passes, up to √3 voxels away, have some.
  private let leastWidth: Float
  /// The standard deviations of the depth within which it falls, beyond ``certain``.
  private static let deviations: Float = 3
  /// The weight of seeing through a voxel.
  ///
  /// What moved, or was a reflection, is carved away by the frames that see through it; but thin
  /// parts are missed at the edges of a depth map.
  static let emptyWeight: Float = 0.2
  /// The distance from a pixel's point within which its plane holds, as a multiple of the
  /// truncation.
  static let longestReach: Float = 2

  /// The width of a pixel on the surface from which on a depth counts less, by the square: it is blurred.
  let clearWidth: Float

  /// - Parameter isFine: Whether voxels are narrower than the pixels of some depth maps.
  init(voxel: Float, truncation: Float, isFine: Bool = false) {
    self.truncation = truncation
    clearWidth = isFine ? 2 * voxel : .infinity
    certain = voxel / 2
    leastWidth = 1.5 * voxel
  }

  /// The share of a weight that signed distances have at some depths.
  @inline(__always)
  func shares(
    _ distances: SIMD8<Float>, depths: SIMD8<Float>, _ noise: DepthNoise
  ) -> SIMD8<Float> {
    var widths = certain + Self.deviations * noise.deviation(at: depths)
    widths.replace(with: leastWidth, where: widths .< leastWidth)
    let falling = 1 + (distances + certain) / widths
    return falling.replacing(with: 0, where: falling .< 0)
      .replacing(with: 1, where: distances .>= -certain)
  }
}

extension VoxelBlocks {
  /// Adds a depth map to all blocks that it measured.
  mutating func integrate(_ view: DepthView, _ integration: DepthIntegration) {
    let grid = (coordinates: coordinates, voxel: voxel, offset: offset)
    let size = voxel * Float(SparseBlocks.width)
    let radius = size * 0.5 * Float(3).squareRoot()
    let steps = SIMD3(voxel, voxel, voxel)
    let kernel = IntegrationKernel(
      view, integration, steps, countsFrames: !frameCounts.isEmpty)
    distances.withDisjointBuffer { distances in
      weights.withDisjointBuffer { weights in
        frameCounts.withDisjointBuffer { frameCounts in
          Parallel.forEachChunk(of: grid.coordinates.count, chunkSize: 512) { _, range in
            for block in range {
              let corner = SIMD3<Float>(grid.coordinates[block]) * size + grid.offset
              let center = view.turned(corner + size / 2 - view.position)
              guard view.measures(center, radius: radius, behind: integration.truncation) else {
                continue
              }
              kernel.add(
                from: view.turned(corner + grid.voxel / 2 - view.position),
                to: distances, weights, frameCounts, at: block * SparseBlocks.volume)
            }
          }
        }
      }
    }
  }
}

/// The inner loop of integration, over the voxels of a block.
private struct IntegrationKernel: Sendable {
  private let planes: DepthPlanes
  private let integration: DepthIntegration
  private let countsFrames: Bool
  /// The steps from voxel to voxel in camera coordinates.
  private let (right, down, forward): (SIMD3<Float>, SIMD3<Float>, SIMD3<Float>)
  private static let lanes = SIMD8<Float>(0, 1, 2, 3, 4, 5, 6, 7)

  init(
    _ view: DepthView, _ integration: DepthIntegration, _ steps: SIMD3<Float>, countsFrames: Bool
  ) {
    self.countsFrames = countsFrames
    planes = view.planes
    self.integration = integration
    right = view.turned(SIMD3(steps.x, 0, 0))
    down = view.turned(SIMD3(0, steps.y, 0))
    forward = view.turned(SIMD3(0, 0, steps.z))
  }

  /// - Parameter origin: The block's first voxel in camera coordinates.
  @inline(__always)
  func add(
    from origin: SIMD3<Float>, to distances: DisjointBuffer<Float>,
    _ weights: DisjointBuffer<Float>, _ frameCounts: DisjointBuffer<UInt8>, at first: Int
  ) {
    let limit = SIMD2<Float>(planes.size)
    for row in 0..<64 {
      let start = origin + down * Float(row & 7) + forward * Float(row >> 3)
      let x = start.x + Self.lanes * right.x
      let y = start.y + Self.lanes * right.y
      let z = start.z + Self.lanes * right.z
      let isAhead = z .> 0.05
      let inverse = 1 / z.replacing(with: 1, where: .!isAhead)
      let u = x * inverse * planes.focalLength.x + planes.principalPoint.x
      let v = y * inverse * planes.focalLength.y + planes.principalPoint.y
      let isInside =
        isAhead .& (u .>= 0) .& (v .>= 0) .& (u .< limit.x) .& (v .< limit.y)
      guard any(isInside) else { continue }
      let column = Self.floors(u.replacing(with: 0, where: .!isInside))
      let line = Self.floors(v.replacing(with: 0, where: .!isInside))
      let pixels = line &* UInt32(planes.size.x) &+ column
      let found = samples(of: pixels, at: x, y, z)
      let weight = found.weights.replacing(with: 0, where: .!isInside)
      guard any(weight .> 0) else { continue }
      let index = first + 8 * row
      distances[vectorAt: index] += found.distances * weight
      weights[vectorAt: index] += weight
      guard countsFrames else { continue }
      let agrees = (weight .> 0) .& (found.distances .< integration.truncation)
      for lane in 0..<8 where agrees[lane] && frameCounts[index + lane] < .max {
        frameCounts[index + lane] += 1
      }
    }
  }

  /// Numbers from 0 to 2²² rounded down; whole ones may become the one below, which is as near.
  ///
  /// Added to 2²³, half less than a number is rounded into the last bits of its pattern, where a
  /// conversion takes each lane by itself.
  @inline(__always)
  private static func floors(_ values: SIMD8<Float>) -> SIMD8<UInt32> {
    let lowered = values - 0.5
    let shifted = lowered.replacing(with: 0, where: lowered .< 0) + 8_388_608
    return SIMD8<UInt32>(
      shifted[0].bitPattern, shifted[1].bitPattern, shifted[2].bitPattern, shifted[3].bitPattern,
      shifted[4].bitPattern, shifted[5].bitPattern, shifted[6].bitPattern, shifted[7].bitPattern)
      & 0x7F_FFFF
  }

  /// The signed distances of points from the surfaces that their pixels measured, and the weights.
  @inline(__always)
  private func samples(
    of pixels: SIMD8<UInt32>, at x: SIMD8<Float>, _ y: SIMD8<Float>, _ z: SIMD8<Float>
  ) -> (distances: SIMD8<Float>, weights: SIMD8<Float>) {
    var (weights, emptyDepths) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    var (normalX, normalY) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    var (normalZ, offsets) = (SIMD8<Float>.zero, SIMD8<Float>.zero)
    for lane in 0..<8 {
      let pixel = Int(pixels[lane])
      let plane = planes.planes[pixel]
      (normalX[lane], normalY[lane]) = (plane.x, plane.y)
      (normalZ[lane], offsets[lane]) = (plane.z, plane.w)
      weights[lane] = planes.weights[pixel]
      emptyDepths[lane] = planes.emptyDepths[pixel]
    }
    // Projected on the normal, a step along the ray from the surface.
    let reach = normalX * x + normalY * y + normalZ * z
    let distances = offsets - reach
    let truncation = integration.truncation
    let isFar = distances .>= truncation
    let isEmpty = isFar .& (z + truncation .< emptyDepths)
    // |z − z of the plane on this ray| = |distance| z / reach.
    let lengths = distances.replacing(with: -distances, where: distances .< 0)
    let isNear =
      (lengths .< truncation)
      .& (lengths * z .< DepthIntegration.longestReach * truncation * reach)
    var shares = SIMD8<Float>.zero
    shares.replace(with: DepthIntegration.emptyWeight, where: isEmpty)
    shares.replace(with: integration.shares(distances, depths: z, planes.noise), where: isNear)
    if integration.clearWidth < .infinity {
      let clear =
        integration.clearWidth * planes.focalLength.x / z.replacing(with: 1, where: z .<= 0.05)
      shares *= (clear * clear).replacing(with: 1, where: clear .>= 1)
    }
    return (distances.replacing(with: truncation, where: isFar), weights * shares)
  }
}
