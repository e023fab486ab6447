import MeshpipeScene

/// A depth map as planes: for each pixel, the plane of the surface around it, fitted to the depths.
///
/// A plane is linear in inverse depth over the image, so that a fit of inverse depths over a few
/// pixels gives the surface's distance and normal at once, and depths between pixels are never
/// blended across an edge. Distances are in metres, in camera coordinates (right, down, forward).
struct DepthPlanes: Sendable {
  let size: SIMD2<Int>
  /// The focal length in pixels of the depth map; the centre of the first pixel is (0.5, 0.5).
  let focalLength: SIMD2<Float>
  let principalPoint: SIMD2<Float>
  /// The unit normals away from the camera (x, y, z), and the distances from the camera (w).
  var planes: [SIMD4<Float>]
  /// The weight of each pixel: 0 where nothing was measured, about 1 for a good depth at 1 m.
  let weights: [Float]
  /// The least depth among a pixel and its neighbours, 0 where nothing was measured: what is nearer
  /// is empty.
  let emptyDepths: [Float]
  let noise: DepthNoise

  /// Which depths count, and how much.
  struct Limits: Sendable {
    /// The depths that count, in metres.
    var depths: ClosedRange<Float> = 0.1...5
    /// Depths of less confidence are ignored; 0 low, 1 medium, 2 high.
    var minimumConfidence: UInt8 = 1
    /// Whether planes are continued over pixels beside them: for surfaces, not for what was measured.
    var isExtended = false
  }

  /// The least cosine between the normal and the ray: 80°, where a pixel covers six times its width.
  private static let leastCosine: Float = 0.17
  /// The fewest of the 25 pixels around one that a plane needs: a flying pixel between two surfaces
  /// has few neighbours on either.
  private static let leastCount: Float = 8
  /// The weight of medium confidence, against that of high; ARKit calls depths beside edges,
  /// grazing ones and far ones medium.
  private static let mediumWeight: Float = 0.5
  /// The radius of the window in pixels, and the padding that it and a vector of eight need.
  private static let radius = 2
  private static let padding = 16

  /// - Parameters:
  ///   - camera: Of the size of the depth map; a pinhole.
  ///   - rowStep: The step between rows that are fitted; pixels of the others have no weight.
  init(
    _ map: DepthMap, _ camera: Camera, _ limits: Limits, _ noise: DepthNoise, rowStep: Int = 1
  ) {
    size = map.size
    self.noise = noise
    focalLength = camera.focalLength
    principalPoint = camera.principalPoint
    let inverse = Self.inverseDepths(map, limits)
    var fit = Self.fitted(inverse, map: map, camera: camera, noise, rowStep: rowStep)
    if limits.isExtended {
      PlaneExtension(
        size: size, focalLength: focalLength, principalPoint: principalPoint, edge: noise.edge
      )
      .extend(&fit.planes, &fit.weights, rowStep: rowStep) {
        limits.depths.contains(map.meters[$0]) ? map.meters[$0] : 0
      }
    }
    (planes, weights) = (fit.planes, fit.weights)
    emptyDepths = Self.emptyDepths(inverse, size)
  }

  private static func inverseDepths(_ map: DepthMap, _ limits: Limits) -> [Float] {
    let stride = map.width + 2 * padding
    var inverse = [Float](repeating: 0, count: stride * (map.height + 2 * radius) + padding)
    for y in 0..<map.height {
      for x in 0..<map.width {
        let index = y * map.width + x
        let depth = map.meters[index]
        guard limits.depths.contains(depth),
          map.confidences.map({ $0[index] >= limits.minimumConfidence }) ?? true
        else { continue }
        inverse[(y + radius) * stride + x + padding] = 1 / depth
      }
    }
    return inverse
  }

  // MARK: Fits

  /// Sums over the window around eight pixels.
  private struct Sums {
    var count = SIMD8<Float>.zero
    var x = SIMD8<Float>.zero
    var y = SIMD8<Float>.zero
    var xx = SIMD8<Float>.zero
    var xy = SIMD8<Float>.zero
    var yy = SIMD8<Float>.zero
    var q = SIMD8<Float>.zero
    var xq = SIMD8<Float>.zero
    var yq = SIMD8<Float>.zero

    @inline(__always)
    mutating func add(_ weight: SIMD8<Float>, dx: Float, dy: Float, value: SIMD8<Float>) {
      let (wx, wy, wq) = (weight * dx, weight * dy, weight * value)
      count += weight
      x += wx
      y += wy
      xx += wx * dx
      xy += wx * dy
      yy += wy * dy
      q += wq
      xq += wq * dx
      yq += wq * dy
    }
  }

  private static func fitted(
    _ inverse: [Float], map: DepthMap, camera: Camera, _ noise: DepthNoise, rowStep: Int
  ) -> (planes: [SIMD4<Float>], weights: [Float]) {
    let stride = map.width + 2 * padding
    var planes = [SIMD4<Float>](repeating: .zero, count: map.width * map.height)
    var weights = [Float](repeating: 0, count: map.width * map.height)
    for y in Swift.stride(from: 0, to: map.height, by: rowStep) {
      for first in Swift.stride(from: 0, to: map.width, by: 8) {
        let fit = fit(inverse, at: (y + radius) * stride + first + padding, stride, noise.edge)
        for lane in 0..<min(8, map.width - first) where fit.count[lane] >= leastCount {
          let pixel = SIMD2(Float(first + lane) + 0.5, Float(y) + 0.5)
          let offset = camera.principalPoint - pixel
          let (gx, gy) = (fit.x[lane], fit.y[lane])
          let normal = SIMD3(
            gx * camera.focalLength.x, gy * camera.focalLength.y,
            fit.value[lane] + gx * offset.x + gy * offset.y)
          let length = normal.length
          let ray = SIMD2(-offset.x, -offset.y) / camera.focalLength
          let cosine = fit.value[lane] / (length * (1 + (ray * ray).sum()).squareRoot())
          guard length > 0, cosine > leastCosine else { continue }
          let index = y * map.width + first + lane
          planes[index] = SIMD4(normal / length, 1 / length)
          weights[index] = weight(
            depth: 1 / fit.value[lane], confidence: map.confidences?[index], cosine: cosine,
            share: fit.count[lane] / 25, noise)
        }
      }
    }
    return (planes, weights)
  }

  /// The information of a pixel: one over the square of its noise, as a share of that at 1 m.
  ///
  /// Seen at an angle, a pixel is wide on the surface, and reaches beyond its edges.
  private static func weight(
    depth: Float, confidence: UInt8?, cosine: Float, share: Float, _ noise: DepthNoise
  ) -> Float {
    let isHigh = confidence ?? 2 >= 2
    // Stereo takes those of a sensor, and what it is not sure of, as medium.
    let ratio = DepthNoise.sensor.deviation(at: 1) / (isHigh ? noise : .sensor).deviation(at: depth)
    return ratio * ratio * (isHigh ? 1 : mediumWeight) * cosine * share
  }

  /// Value and gradient per pixel of inverse depth at eight pixels, and how many pixels agree.
  ///
  /// The gradient is fitted over 5×5 pixels, and the value over 3×3 with that gradient: a curved
  /// surface is cut less.
  @inline(__always)
  private static func fit(
    _ inverse: [Float], at index: Int, _ stride: Int, _ edge: DepthNoise.Edge
  ) -> (value: SIMD8<Float>, x: SIMD8<Float>, y: SIMD8<Float>, count: SIMD8<Float>) {
    let center = load(inverse, index)
    // As in `DepthNoise.Edge.step(atInverseDepth:)`.
    let step = center * (edge.share + edge.meters * center)
    var (near, far) = (Sums(), Sums())
    for dy in -radius...radius {
      for dx in -radius...radius {
        let value = load(inverse, index + dy * stride + dx)
        let ring = max(abs(dx), abs(dy))
        let difference = value - center
        let isSame =
          (difference .<= step * (0.5 + 0.5 * Float(ring)))
          .& (difference .>= -step * (0.5 + 0.5 * Float(ring))) .& (value .> 0)
        let weight = SIMD8<Float>.zero.replacing(with: 1, where: isSame)
        // Relative to the centre: inverse depths of neighbours differ in their last digits only.
        if ring <= 1 {
          near.add(weight, dx: Float(dx), dy: Float(dy), value: difference)
        } else {
          far.add(weight, dx: Float(dx), dy: Float(dy), value: difference)
        }
      }
    }
    let count = near.count + far.count
    let n = count.replacing(with: 1, where: count .== 0)
    let (mx, my) = ((near.x + far.x) / n, (near.y + far.y) / n)
    let q = near.q + far.q
    let cxx = near.xx + far.xx - n * mx * mx
    let cxy = near.xy + far.xy - n * mx * my
    let cyy = near.yy + far.yy - n * my * my
    let cxq = near.xq + far.xq - mx * q
    let cyq = near.yq + far.yq - my * q
    let determinant = cxx * cyy - cxy * cxy
    let isFlat = determinant .< 1
    let divisor = determinant.replacing(with: 1, where: isFlat)
    let x = ((cxq * cyy - cyq * cxy) / divisor).replacing(with: 0, where: isFlat)
    let y = ((cyq * cxx - cxq * cxy) / divisor).replacing(with: 0, where: isFlat)
    let few = near.count.replacing(with: 1, where: near.count .== 0)
    let value = center + (near.q - x * near.x - y * near.y) / few
    return (value, x, y, count.replacing(with: 0, where: isFlat .| (center .<= 0)))
  }

  @inline(__always)
  private static func load(_ values: [Float], _ index: Int) -> SIMD8<Float> {
    SIMD8(
      values[index], values[index + 1], values[index + 2], values[index + 3], values[index + 4],
      values[index + 5], values[index + 6], values[index + 7])
  }

  // MARK: Free space

  private static func emptyDepths(_ inverse: [Float], _ size: SIMD2<Int>) -> [Float] {
    let stride = size.x + 2 * padding
    var result = [Float](repeating: 0, count: size.x * size.y)
    for y in 0..<size.y {
      for first in Swift.stride(from: 0, to: size.x, by: 8) {
        let index = (y + radius) * stride + first + padding
        let center = load(inverse, index)
        var nearest = center
        for dy in -1...1 {
          for dx in -1...1 {
            let value = load(inverse, index + dy * stride + dx)
            nearest = nearest.replacing(with: value, where: value .> nearest)
          }
        }
        let depth = (1 / nearest).replacing(with: 0, where: center .<= 0)
        for lane in 0..<min(8, size.x - first) { result[y * size.x + first + lane] = depth[lane] }
      }
    }
    return result
  }
}
