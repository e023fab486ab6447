import MeshPipeline

/// How far the picture of a frame may be reduced for the texels that take from it.
///
/// A texel that is several pixels wide is a mean of them. A decoder finds such means in a fraction of the
/// time and the memory, and of all pixels, where samples would leave some out.
struct FrameReduction {
  /// Of the texels with a footprint of less than 2, 4 and 8 pixels, and of all; times their shares.
  private var finer = SIMD3<Float>.zero
  private var all: Float = 0

  /// Pixels to a texel that are left at least.
  static let leastPixels: Float = 1.5
  /// The part of the texels that may have fewer: what is seen from the side.
  static let finestPart: Float = 0.05

  /// - Parameters:
  ///   - width: The least width of a texel: see ``TexelFootprint/leastWidth``.
  ///   - weight: How many texels there are, times the share that the frame has in them.
  mutating func add(_ width: Float, weight: Float) {
    guard width.isFinite, weight.isFinite else { return }
    all += weight
    let limits = SIMD3<Float>(2, 4, 8) * Self.leastPixels
    finer.replace(with: finer + weight, where: width .< limits)
  }

  /// 1, 2, 4 or 8.
  ///
  /// - Parameter size: That of the picture, of which no pixel may be left over: decoders don't agree on
  ///   where such a one goes.
  func factor(for size: SIMD2<Int>) -> Int {
    var factor = 1
    for (place, next) in [2, 4, 8].enumerated() {
      guard finer[place] <= Self.finestPart * all, size.x % next == 0, size.y % next == 0 else {
        break
      }
      factor = next
    }
    return factor
  }
}
