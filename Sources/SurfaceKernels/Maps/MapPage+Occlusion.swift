package import MeshpipeBase
package import MeshpipeScene
import POSIX

/// Rays over a hemisphere, in sixteen patterns that complement each other.
///
/// The directions are those of a disc on which points are even by the golden angle, lifted to the
/// sphere (Malley's method): as many as the cosine to the normal. Each texel of a square of four by
/// four takes a sixteenth of them, spread over all, so that any such square has all of them
/// (interleaved sampling, Keller and Heidrich 2001).
private struct HemisphereRays {
  private let directions: [SIMD3<Float>]
  let perTexel: Int
  /// The order in which neighbouring texels take directions: far ones next to each other.
  private static let order = [0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5]

  init(perTexel: Int) {
    self.perTexel = perTexel
    let count = 16 * perTexel
    let even = (0..<count).map { number in
      let square = (Float(number) + 0.5) / Float(count)
      let angle = 2 * Float.pi * (Float(number) * 0.618_034).truncatingRemainder(dividingBy: 1)
      let radius = square.squareRoot()
      return SIMD3(radius * cosf(angle), radius * sinf(angle), max(0, 1 - square).squareRoot())
    }
    directions = (0..<16).flatMap { index in
      (0..<perTexel).map { even[16 * $0 + Self.order[index]] }
    }
  }

  @inline(__always)
  func direction(_ ray: Int, column: Int, row: Int) -> SIMD3<Float> {
    directions[((row & 3) * 4 + (column & 3)) * perTexel + ray]
  }
}

extension MapPage {
  /// The result of a texel's rays, packed for its neighbours.
  private struct Openness {
    /// The normal's coordinates from -127 to 127.
    var normal: SIMD3<Int8>
    /// The number of rays that met nothing; -1 for no value.
    var free: Int8
  }

  /// The minimum cosine between the normals of texels that share their rays.
  private static let likeness: Float = 0.85

  /// The share of light from all around that comes in, cosine-weighted; grey, white where nothing is
  /// near.
  ///
  /// - Parameters:
  ///   - distance: Beyond which nothing takes light away.
  ///   - rays: For each texel, 1 to 127; sixteen texels share theirs.
  package func occlusion(
    within distance: Float, rays count: Int, cancellation: some Cancellable
  ) throws(Cancelled) -> Image {
    let rays = HemisphereRays(perTexel: count)
    var parts: [[Openness]] = []
    for first in stride(from: 0, to: size.y, by: MapBaking.bandHeight) {
      try cancellation.checkCancellation()
      let rows = first..<min(first + MapBaking.bandHeight, size.y)
      parts.append(
        Parallel.array(count: rows.count * size.x, chunkSize: 1 << 9) { index in
          openness(of: first * size.x + index, rays, within: distance)
        })
    }
    let found = Parallel.joined(parts)
    let codes: [UInt8] = Parallel.array(count: owners.count, chunkSize: 1 << 12) { texel in
      UInt8((255 * share(of: texel, found, count)).rounded())
    }
    return picture(Parallel.array(count: 3 * codes.count) { codes[$0 / 3] }, fills: true)
  }

  private func openness(of texel: Int, _ rays: HemisphereRays, within distance: Float) -> Openness {
    guard !hits[texel].isNone else { return Openness(normal: .zero, free: -1) }
    let sight = baking.source.sight(of: hits[texel], area: 0)
    let normal = sight.normal
    let (across, along) = Self.frame(of: normal)
    let origin = sight.position + normal * (5e-4 * distance + 1e-6 * baking.source.extent)
    let (column, row) = (texel % size.x, texel / size.x)
    var free: Int8 = 0
    for ray in 0..<rays.perTexel {
      let direction = rays.direction(ray, column: column, row: row)
      let isBlocked = baking.source.tracer.isBlocked(
        from: origin, along: across * direction.x + along * direction.y + normal * direction.z,
        near: 0, far: distance)
      if !isBlocked { free += 1 }
    }
    let packed = (normal * 127).rounded(.toNearestOrAwayFromZero)
      .clamped(lowerBound: SIMD3(repeating: -127), upperBound: SIMD3(repeating: 127))
    return Openness(normal: SIMD3<Int8>(packed), free: free)
  }

  /// Two unit vectors across a unit vector and each other, which turn little where it does (Duff and
  /// others 2017).
  private static func frame(of normal: SIMD3<Float>) -> (SIMD3<Float>, SIMD3<Float>) {
    let sign: Float = normal.z < 0 ? -1 : 1
    let a = -1 / (sign + normal.z)
    let b = normal.x * normal.y * a
    return (
      SIMD3(1 + sign * normal.x * normal.x * a, sign * b, -sign * normal.x),
      SIMD3(b, sign + normal.y * normal.y * a, -normal.y)
    )
  }

  /// The share of free rays of a texel and those of the sixteen around it that are of the same chart
  /// and look the same way.
  private func share(of texel: Int, _ found: [Openness], _ rays: Int) -> Float {
    let own = found[texel]
    guard own.free >= 0 else { return 1 }
    let chart = baking.target.atlas.faceCharts[Int(owners[texel])]
    let normal = SIMD3<Int32>(truncatingIfNeeded: own.normal)
    let least = Int32(Self.likeness * 127 * 127)
    let (column, row) = (texel % size.x, texel / size.x)
    var (free, count) = (0, 0)
    for y in max(0, row - 2)..<min(size.y, row + 2) {
      for x in max(0, column - 2)..<min(size.x, column + 2) {
        let other = y * size.x + x
        guard found[other].free >= 0,
          baking.target.atlas.faceCharts[Int(owners[other])] == chart,
          (SIMD3<Int32>(truncatingIfNeeded: found[other].normal) &* normal).wrappedSum() >= least
        else { continue }
        free += Int(found[other].free)
        count += rays
      }
    }
    return Float(free) / Float(count)
  }
}
