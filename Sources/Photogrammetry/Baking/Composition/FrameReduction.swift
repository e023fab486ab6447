import MeshpipeScene

/// The reduction of a frame's image that the texels sampling it allow.
///
/// A texel that is several pixels wide is a mean of them. A decoder computes such means in a
/// fraction of the time and the memory, and over all pixels, while samples would skip some.
struct FrameReduction {
  /// The number of texels, each times the frame's blend weight in it, with a footprint of less than 2, 4 and 8
  /// pixels, and of all.
  private var finer = SIMD3<Float>.zero
  private var all: Float = 0

  /// The least number of pixels per texel after the reduction.
  ///
  /// Measured on a clean room, 1.5 changes nothing (21.50 and 21.53 dB at 1024 texels); 1 costs 0.007 dB.
  static let leastPixels: Float = 1.5
  /// The share of texels that may have fewer: those seen at grazing angles.
  static let finestPart: Float = 0.05

  /// - Parameters:
  ///   - width: The least width of a texel: see ``TexelFootprint/leastWidth``.
  ///   - weight: The number of texels times the frame's weight in them.
  mutating func add(_ width: Float, weight: Float) {
    guard width.isFinite, weight.isFinite else { return }
    all += weight
    let limits = SIMD3<Float>(2, 4, 8) * Self.leastPixels
    finer.replace(with: finer + weight, where: width .< limits)
  }

  /// 1, 2, 4 or 8.
  ///
  /// - Parameter size: The size of the image, which must be divisible: decoders don't agree on the
  ///   position of a remainder.
  func factor(for size: SIMD2<Int>) -> Int {
    var factor = 1
    for (index, next) in [2, 4, 8].enumerated() {
      guard finer[index] <= Self.finestPart * all, size.x % next == 0, size.y % next == 0 else {
        break
      }
      factor = next
    }
    return factor
  }
}
