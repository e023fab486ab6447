import MeshpipeScene

/// The surroundings of a pixel, weighted by likeness, to be found in other images.
///
/// A pixel beside an edge is compared by its own side of it, as what has a similar brightness is likely to be on the same
/// surface (Yoon and Kweon 2006). 24 samples of 9 by 9 pixels are enough, denser near the centre.
struct PatchWindow {
  /// The weights of the samples.
  private let weights: Samples
  /// The weights times the codes less their mean.
  private let deviations: Samples
  private let inverseSum: Float
  /// The variance of the codes.
  let variance: Float

  /// The reach of the samples in pixels.
  static let reach: Float = 4
  // Computed, since the first use of a stored one is checked at each.
  private typealias Samples = (SIMD8<Float>, SIMD8<Float>, SIMD8<Float>)
  private static var x: Samples {
    @inline(__always) get {
      (
        SIMD8(-2, 0, 2, -4, -2, 0, 2, 4), SIMD8(-4, -2, 2, 4, -4, -2, 0, 2),
        SIMD8(4, -2, 0, 2, -1, 1, -1, 1)
      )
    }
  }
  private static var y: Samples {
    @inline(__always) get {
      (
        SIMD8(-4, -4, -4, -2, -2, -2, -2, -2), SIMD8(0, 0, 0, 0, 2, 2, 2, 2),
        SIMD8(2, 4, 4, 4, -1, -1, 1, 1)
      )
    }
  }
  /// The variance of codes that is noise: less texture than that correlates with nothing.
  private static let noise: Float = 2
  /// The cost of what is not seen.
  static let unseen: Float = 2

  @inline(__always)
  init(_ image: PatchImage, _ likeness: DisjointBuffer<Float>, x: Int, y: Int) {
    let center = image.code(x, y)
    let v0 = image.codes(x, y, Self.x.0, Self.y.0)
    let v1 = image.codes(x, y, Self.x.1, Self.y.1)
    let v2 = image.codes(x, y, Self.x.2, Self.y.2)
    @inline(__always) func weight(
      _ values: SIMD8<Float>, _ x: SIMD8<Float>, _ y: SIMD8<Float>
    ) -> SIMD8<Float> {
      var weights = SIMD8<Float>.zero
      for lane in 0..<8 {
        weights[lane] = likeness[Int(abs(values[lane] - center))]
      }
      // A Gaussian of 3 pixels, to second order in its argument.
      let spread = 1 - (x * x + y * y) * (1 / 40)
      return weights * spread
    }
    let w0 = weight(v0, Self.x.0, Self.y.0)
    let w1 = weight(v1, Self.x.1, Self.y.1)
    let w2 = weight(v2, Self.x.2, Self.y.2)
    inverseSum = 1 / (w0 + w1 + w2).sum()
    let mean = (w0 * v0 + w1 * v1 + w2 * v2).sum() * inverseSum
    let (r0, r1, r2) = (w0 * (v0 - mean), w1 * (v1 - mean), w2 * (v2 - mean))
    weights = (w0, w1, w2)
    deviations = (r0, r1, r2)
    variance = (r0 * (v0 - mean) + r1 * (v1 - mean) + r2 * (v2 - mean)).sum() * inverseSum
  }

  /// One less the weighted correlation with a place in another image, from 0 to 2.
  ///
  /// Patches that reach beyond the image are not seen.
  ///
  /// - Parameters:
  ///   - place: The centre in pixels of the other image.
  ///   - right: Where a step to the right leads there.
  ///   - down: Where a step down leads there.
  @inline(__always)
  func cost(
    _ image: PatchImage, at place: SIMD2<Float>, _ right: SIMD2<Float>, _ down: SIMD2<Float>
  ) -> Float {
    let reach =
      Self.reach * SIMD2(abs(right.x) + abs(down.x), abs(right.y) + abs(down.y))
    guard image.contains(place, reach: reach) else { return Self.unseen }
    @inline(__always) func codes(_ x: SIMD8<Float>, _ y: SIMD8<Float>) -> SIMD8<Float> {
      image.interpolated(
        x * right.x + y * down.x + place.x, x * right.y + y * down.y + place.y)
    }
    let v0 = codes(Self.x.0, Self.y.0)
    let v1 = codes(Self.x.1, Self.y.1)
    let v2 = codes(Self.x.2, Self.y.2)
    let (p0, p1, p2) = (weights.0 * v0, weights.1 * v1, weights.2 * v2)
    let mean = (p0 + p1 + p2).sum() * inverseSum
    let square = (p0 * v0 + p1 * v1 + p2 * v2).sum() * inverseSum
    let product = (deviations.0 * v0 + deviations.1 * v1 + deviations.2 * v2).sum() * inverseSum
    let other = max(0, square - mean * mean)
    let scale = ((variance + Self.noise) * (other + Self.noise)).squareRoot()
    return 1 - product / scale
  }

  /// The weights of brightnesses by their difference from the centre, 0 to 255.
  static let likeness = (0..<256).map { difference -> Float in
    // Few numbers, so that a table from the exponential series is as good as the library's.
    let ratio = Float(difference) / 30
    var (power, term) = (Float(1), Float(1))
    let half = ratio * ratio / 2 / 64
    for order in 1..<8 {
      term *= -half / Float(order)
      power += term
    }
    for _ in 0..<6 { power *= power }
    return max(power, 0.002)
  }
}

/// An image as patches are taken from it: plain values for inner loops, which do not own the image.
///
/// Places are checked once for a patch, and not for each sample of it.
@safe struct PatchImage: @unchecked Sendable {
  private let quads: UnsafePointer<UInt32>
  private let width: Int
  private let stride: Float
  /// The last pixel that has neighbours.
  let limit: SIMD2<Float>
  /// Adding it moves the digits of a number below a million to the end of its bits.
  private static let shift: Float = 0x1p23

  init(_ image: StereoImage) {
    unsafe quads = image.pixels
    width = image.size.x
    stride = Float(image.size.x)
    limit = SIMD2<Float>(image.size) - 1
  }

  @inline(__always)
  func code(_ x: Int, _ y: Int) -> Float {
    precondition(x >= 0 && y >= 0 && Float(x) <= limit.x && Float(y) <= limit.y)
    return unsafe Float(quads[y * width + x] & 0xFF)
  }

  /// Whether all samples around a place can be taken; also false for what is no number.
  @inline(__always)
  func contains(_ place: SIMD2<Float>, reach: SIMD2<Float>) -> Bool {
    // Sums of the same numbers in another order may differ by their last digits.
    let margin: Float = 0.01
    return place.x >= reach.x + margin && place.y >= reach.y + margin
      && place.x + reach.x + margin <= limit.x && place.y + reach.y + margin <= limit.y
  }

  /// The codes of pixels around one; beyond the border, those of the nearest one.
  @inline(__always)
  func codes(_ x: Int, _ y: Int, _ dx: SIMD8<Float>, _ dy: SIMD8<Float>) -> SIMD8<Float> {
    let reach = Int(PatchWindow.reach)
    var (column, row) = (Float(x) + dx, Float(y) + dy)
    if x < reach || y < reach || x + reach > Int(limit.x) || y + reach > Int(limit.y) {
      column = Self.clamped(column, limit.x)
      row = Self.clamped(row, limit.y)
    }
    return Self.number(loaded(row * stride + column) & 0xFF)
  }

  /// The codes at any places within the image, bilinearly.
  @inline(__always)
  func interpolated(_ x: SIMD8<Float>, _ y: SIMD8<Float>) -> SIMD8<Float> {
    // Half a pixel less, rounded: a whole number becomes itself or the one before, whose neighbour it is.
    let left = Self.whole(x - 0.4999)
    let top = Self.whole(y - 0.4999)
    let (dx, dy) = (x - left, y - top)
    let quad = loaded(top * stride + left)
    let a = Self.number(quad & 0xFF)
    let b = Self.number(quad &>> 8 & 0xFF)
    let c = Self.number(quad &>> 16 & 0xFF)
    let d = Self.number(quad &>> 24)
    let upper = a + dx * (b - a)
    let lower = c + dx * (d - c)
    return upper + dy * (lower - upper)
  }

  @inline(__always)
  private static func clamped(_ value: SIMD8<Float>, _ limit: Float) -> SIMD8<Float> {
    let positive = value.replacing(with: 0, where: value .< 0)
    return positive.replacing(with: limit, where: positive .> limit)
  }

  @inline(__always)
  private static func whole(_ value: SIMD8<Float>) -> SIMD8<Float> {
    // With half as much again, so that numbers a little below 0 become 0, too.
    (value + 1.5 * shift) - 1.5 * shift
  }

  /// Numbers of eight bits.
  @inline(__always)
  private static func number(_ byte: SIMD8<UInt32>) -> SIMD8<Float> {
    unsafe unsafeBitCast(byte | shift.bitPattern, to: SIMD8<Float>.self) - shift
  }

  /// The pixels at whole places, which are in the image.
  @inline(__always)
  private func loaded(_ place: SIMD8<Float>) -> SIMD8<UInt32> {
    let index =
      unsafe unsafeBitCast(place + Self.shift, to: SIMD8<UInt32>.self) & 0x7F_FFFF
    return unsafe SIMD8(
      quads[Int(index[0])], quads[Int(index[1])], quads[Int(index[2])], quads[Int(index[3])],
      quads[Int(index[4])], quads[Int(index[5])], quads[Int(index[6])], quads[Int(index[7])])
  }
}
