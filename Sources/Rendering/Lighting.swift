import MeshpipeScene
import NativeLibraries
import POSIX

/// The lighting of a surface: sky, ground, and a light at the camera.
struct Lighting: Sendable {
  private let style: RenderStyle
  let up: SIMD3<Float>
  let lamp: SIMD3<Float>
  /// The maximum distance of ambient occlusion.
  let reach: Float
  /// The number of rays towards the sky for each camera ray.
  static let skyRays = 3

  init(_ style: RenderStyle, up: SIMD3<Float>, _ rays: some PictureRays, extent: Float) {
    self.style = style
    self.up = up
    lamp = (up * 0.9 - rays.forward * 0.6 - rays.right * 0.5).normalized
    reach = 0.08 * extent
  }

  /// The light reflected to the camera.
  ///
  /// - Parameters:
  ///   - sample: The index among the `count` samples of a pixel.
  ///   - seed: Rotates the rays of each pixel differently.
  func light(
    of sight: SceneSampler.Sight, sample: Int, of count: Int, seed: UInt32, _ tracers: [RayTracer]
  ) -> SIMD3<Float> {
    let height = 0.5 + 0.5 * sight.normal.dot(up)
    switch style.shading {
    case .unlit: return sight.color
    case .auto where sight.isPhotographed:
      return style.shadesPhotographs ? sight.color * (0.88 + 0.12 * height) : sight.color
    case .auto, .lit:
      let open = openness(of: sight, sample: sample, of: count, seed: seed, tracers)
      let sky = (0.5 + 0.5 * height) * open
      return sight.color * (0.66 * sky + 0.46 * max(0, sight.normal.dot(lamp)) * (0.4 + 0.6 * open))
    }
  }

  /// Ambient occlusion by near surfaces: the visible share of the sky, 0 to 1.
  private func openness(
    of sight: SceneSampler.Sight, sample: Int, of count: Int, seed: UInt32, _ tracers: [RayTracer]
  ) -> Float {
    let normal = sight.normal
    let helper: SIMD3<Float> = abs(normal.x) < 0.7 ? SIMD3(1, 0, 0) : SIMD3(0, 1, 0)
    let across = normal.cross(helper).normalized
    let along = normal.cross(across)
    let origin = sight.position + normal * (0.01 * reach)
    let total = Float(count * Self.skyRays)
    let (turn, shift) = (Float(seed & 0xFFFF) / 65536, Float(seed >> 16) / 65536)
    var free: Float = 0
    for ray in 0..<Self.skyRays {
      let number = Float(sample * Self.skyRays + ray)
      // Points distributed evenly over the disc by the golden angle, lifted to the hemisphere:
      // cosine-weighted.
      let square = (number + shift) / total
      let angle = 2 * Float.pi * (number * 0.618034 + turn)
      let radius = square.squareRoot()
      let direction =
        across * (radius * cosf(angle)) + along * (radius * sinf(angle))
        + normal * max(0, 1 - square).squareRoot()
      let far =
        reach * (0.3 + 0.7 * ((number * 0.7548777 + turn).truncatingRemainder(dividingBy: 1)))
      let isBlocked = tracers.contains {
        $0.isBlocked(from: origin, along: direction, near: 0, far: far)
      }
      if !isBlocked { free += 1 }
    }
    return free / Float(Self.skyRays)
  }
}
