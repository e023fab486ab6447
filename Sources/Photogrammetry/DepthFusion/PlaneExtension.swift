import MeshpipeBase
import MeshpipeScene

/// Continues the planes of a depth map over pixels beside them that have none.
///
/// Sensors are not sure of the pixels at edges, each of which shows two surfaces, and of glass, where most
/// depths are those of something behind it. Without these pixels surfaces end a pixel before their edges, and
/// windows are holes. At an edge, a pixel continues the side that its own depth, a mixture, is nearer to.
/// Elsewhere, and where nothing was measured, it continues planes only that surround it: what ends at nothing
/// isn't made wider.
struct PlaneExtension: Sendable {
  let size: SIMD2<Int>
  let focalLength: SIMD2<Float>
  let principalPoint: SIMD2<Float>
  let edge: DepthNoise.Edge

  /// The radius of the surroundings in pixels.
  private static let radius = 2
  /// In glass, the second pass continues what the first one found.
  private static let passes = 2
  /// The fewest planes that must agree at a pixel.
  private static let leastCount = 2
  /// The greatest distance of a pixel from the middle of planes that surround it: it is 1.5 beside an edge.
  private static let greatestOffset: Float = 1
  /// The weight of a continued plane, against that of those it continues.
  private static let weight: Float = 0.8
  /// The least cosine between the normal and the ray: 70°, beyond which a pixel covers three times its width.
  private static let leastCosine: Float = 0.34

  /// - Parameters:
  ///   - planes: See ``DepthPlanes/planes``.
  ///   - weights: See ``DepthPlanes/weights``.
  ///   - rowStep: The step between the rows that have planes and get some.
  ///   - depth: The depth of a pixel, believed or not; 0 if it has none.
  func extend(
    _ planes: inout [SIMD4<Float>], _ weights: inout [Float], rowStep: Int = 1,
    depth: (Int) -> Float
  ) {
    var found: [Candidate] = []
    for _ in 0..<Self.passes {
      let (known, knownWeights) = (planes, weights)
      for y in stride(from: 0, to: size.y, by: rowStep) {
        for x in 0..<size.x where knownWeights[y * size.x + x] <= 0 {
          let index = y * size.x + x
          let ray = SIMD3((SIMD2(Float(x), Float(y)) + 0.5 - principalPoint) / focalLength, 1)
          gather(&found, around: SIMD2(x, y), ray: ray, planes: known, weights: knownWeights)
          guard found.count >= Self.leastCount else { continue }
          let depth = depth(index)
          found.sort { $0.inverse < $1.inverse }
          guard let group = group(of: found, at: depth > 0 ? 1 / depth : 0),
            let plane = Self.mean(of: found[group], ray)
          else { continue }
          (planes[index], weights[index]) = plane
        }
      }
    }
  }

  /// A plane beside a pixel.
  private struct Candidate {
    /// The normal over the distance: times a ray, it is the inverse depth.
    var plane: SIMD3<Float>
    var weight: Float
    /// The inverse depth of the plane at the pixel.
    var inverse: Float
    /// The offset from the pixel.
    var offset: SIMD2<Float>
  }

  @inline(__always)
  private func gather(
    _ found: inout [Candidate], around pixel: SIMD2<Int>, ray: SIMD3<Float>,
    planes: [SIMD4<Float>], weights: [Float]
  ) {
    found.removeAll(keepingCapacity: true)
    for row in max(0, pixel.y - Self.radius)...min(size.y - 1, pixel.y + Self.radius) {
      for column in max(0, pixel.x - Self.radius)...min(size.x - 1, pixel.x + Self.radius) {
        let index = row * size.x + column
        guard weights[index] > 0 else { continue }
        let plane = planes[index]
        let scaled = SIMD3(plane.x, plane.y, plane.z) / plane.w
        found.append(
          Candidate(
            plane: scaled, weight: weights[index], inverse: scaled.dot(ray),
            offset: SIMD2(Float(column - pixel.x), Float(row - pixel.y))))
      }
    }
  }

  /// The candidates of one surface that a pixel belongs to; nil if it belongs to none.
  ///
  /// - Parameters:
  ///   - found: By ascending inverse depth.
  ///   - inverse: The inverse of the pixel's own depth; 0 if it has none.
  private func group(of found: [Candidate], at inverse: Float) -> Range<Int>? {
    var best: (group: Range<Int>, miss: Float)?
    var (first, count) = (0, 0)
    for index in found.indices {
      let value = found[index].inverse
      let isLast = index + 1 == found.count
      guard isLast || found[index + 1].inverse - value > edge.step(atInverseDepth: value)
      else { continue }
      let group = first..<index + 1
      first = index + 1
      guard group.count >= Self.leastCount else { continue }
      let middle = found[(group.lowerBound + group.upperBound) / 2].inverse
      count += 1
      let miss = inverse > 0 ? abs(middle - inverse) : -Float(group.count)
      if miss < best?.miss ?? .infinity { best = (group, miss) }
    }
    guard let best, found[0].inverse > 0 else { return nil }
    let isAtEdge = inverse > 0 && count > 1
    return isAtEdge || Self.surrounds(found[best.group]) ? best.group : nil
  }

  private static func surrounds(_ candidates: ArraySlice<Candidate>) -> Bool {
    let sum = candidates.reduce(SIMD2<Float>.zero) { $0 + $1.offset }
    let mean = sum / Float(candidates.count)
    return (mean * mean).sum() < greatestOffset * greatestOffset
  }

  /// The mean plane, and its weight; nil if it is seen at too flat an angle.
  private static func mean(
    of candidates: ArraySlice<Candidate>, _ ray: SIMD3<Float>
  ) -> (SIMD4<Float>, Float)? {
    var (sum, weight) = (SIMD3<Float>.zero, Float(0))
    for candidate in candidates {
      sum += candidate.plane * candidate.weight
      weight += candidate.weight
    }
    let mean = sum / weight
    let length = mean.length
    guard length > 0, mean.dot(ray) > leastCosine * length * ray.length else { return nil }
    return (SIMD4(mean / length, 1 / length), Self.weight * weight / Float(candidates.count))
  }
}
