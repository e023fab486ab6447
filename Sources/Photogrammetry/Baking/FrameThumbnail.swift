import MeshPipeline
import SurfaceKernels

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// A small copy of a frame's picture in logarithmic codes, of the size of its occlusion map.
///
/// In logarithms a gain is a sum, and one byte for each channel is enough: a step is two percent of the
/// light.
struct FrameThumbnail: Sendable {
  let width: Int
  let height: Int
  /// Red, green, blue; the fourth is 1 where the depth map shows something nearer than the mesh.
  private(set) var pixels: [SIMD4<UInt8>]

  /// Codes for a change of the light by a factor of e.
  static let codesPerUnit: Float = 48
  /// Light that counts as none, one percent of white: the noise of dark places.
  static let darkness: Float = 650

  /// - Parameter occlusion: What the mesh looks like from there.
  init(
    _ pyramid: ImagePyramid, imageSize: SIMD2<Float>, _ occlusion: OcclusionMap, depth: DepthMap?
  ) {
    (width, height) = (occlusion.width, occlusion.height)
    let scale = imageSize / SIMD2(Float(width), Float(height))
    var pixels: [SIMD4<UInt8>] = []
    pixels.reserveCapacity(width * height)
    for y in 0..<height {
      for x in 0..<width {
        let light = pyramid.sample((SIMD2(Float(x), Float(y)) + 0.5) * scale, width: scale.x)
        var codes = SIMD4<UInt8>.zero
        for channel in 0..<3 { codes[channel] = Self.codes[Int(light[channel]) >> 4] }
        pixels.append(codes)
      }
    }
    self.pixels = pixels
    if let depth { markNearer(depth, than: occlusion) }
  }

  /// The code of every sixteenth light.
  private static let codes: [UInt8] = (0..<4096).map {
    UInt8((codesPerUnit * log((Float($0) * 16 + 8) / darkness + 1)).rounded())
  }

  /// The codes that a gain adds to those of bright places.
  static func offset(_ gain: SIMD4<Float>) -> SIMD4<Float> {
    SIMD4(log(max(gain.x, 1e-3)), log(max(gain.y, 1e-3)), log(max(gain.z, 1e-3)), 0) * codesPerUnit
  }

  /// Nearer than the mesh by this many millimetres and this share of the depth is something else; beside
  /// thin things depths are little certain, but colours decide in the end.
  private static let nearer: Float = 60
  private static let relativelyNearer: Float = 0.03
  /// Beyond so many millimetres phones measure no depths.
  private static let farthest: Float = 4500

  private mutating func markNearer(_ depth: DepthMap, than occlusion: OcclusionMap) {
    for y in 0..<height {
      let row = (2 * y + 1) * depth.height / (2 * height)
      for x in 0..<width {
        let column = (2 * x + 1) * depth.width / (2 * width)
        let measured = depth.meters[row * depth.width + column] * 1000
        let expected = Float(occlusion.depths[y * width + x])
        guard measured > 0, expected < Self.farthest,
          measured < expected * (1 - Self.relativelyNearer) - Self.nearer
        else {
          continue
        }
        pixels[y * width + x].w = 1
      }
    }
  }

  /// The codes at a pixel, as numbers; beyond the border those of the border.
  @inline(__always)
  func codes(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let pixel = pixels[min(max(y, 0), height &- 1) &* width &+ min(max(x, 0), width &- 1)]
    return SIMD4<Float>(Float(pixel.x), Float(pixel.y), Float(pixel.z), 0)
  }

  /// How far codes are beyond the range of those within some pixels; the fourth must be 0.
  @inline(__always)
  func miss(_ codes: SIMD4<Float>, _ x: Int, _ y: Int, within radius: Int) -> Float {
    var least = SIMD4<UInt8>(repeating: 255)
    var greatest = SIMD4<UInt8>.zero
    for row in max(0, y - radius)...min(height - 1, y + radius) {
      for column in max(0, x - radius)...min(width - 1, x + radius) {
        let pixel = pixels[row &* width &+ column]
        least = pointwiseMin(least, pixel)
        greatest = pointwiseMax(greatest, pixel)
      }
    }
    let low = SIMD4<Float>(Float(least.x), Float(least.y), Float(least.z), 0)
    let high = SIMD4<Float>(Float(greatest.x), Float(greatest.y), Float(greatest.z), 0)
    return pointwiseMax(low - codes, codes - high).max()
  }
}
