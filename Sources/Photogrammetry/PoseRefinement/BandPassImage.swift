import POSIX
import SurfaceKernels

/// The details of an image at one scale: the logarithm of its brightness, smoothed by 1 2 1 and without its local mean
/// (a band-pass filter, much like a level of a Laplacian pyramid).
///
/// Exposure, white balance and vignetting multiply brightness by a smooth factor: a smooth term of
/// the logarithm, which is removed with the slow variations. So the same spot has the same value in
/// all frames.
struct BandPassImage: Sendable {
  let width: Int
  let height: Int
  /// The length of one pixel in pixels of the frame's image.
  let scale: SIMD2<Float>
  /// The values in units of ``unit``, row by row.
  private let values: [Int16]
  /// The last pixel with neighbours below and to its right.
  private var last: Int { values.count - width - 2 }

  private static let unit: Float = 1 / 4096
  /// Added to codes of 8 bits before the logarithm: sensor noise and quantisation dominate dark codes, where a plain
  /// logarithm would amplify them.
  private static let darkness: Float = 12
  /// The radius in pixels of each of two box means whose result is taken from the image: together about a triangle of
  /// 17 pixels, the width of a patch (``PatchMatcher``).
  private static let meanRadius = 4
  /// Pixels at the border that have no sample.
  static let border: Float = 3

  /// - Parameters:
  ///   - factor: The number of pixels of `grayscale`, in each direction, that become one.
  ///   - imageSize: The size of the frame's image.
  init(_ grayscale: GrayscaleImage, reducedBy factor: Int, imageSize: SIMD2<Int>) {
    let sums: [UInt32]
    (width, height, sums) = grayscale.sums(of: factor)
    // Grayscale images are rounded up from the image and truncated here, so the ratio is that of pixels.
    scale =
      SIMD2<Float>(imageSize) * Float(factor)
      / SIMD2(Float(grayscale.width), Float(grayscale.height))
    let pixels = Float(factor * factor)
    let logarithms = (0...255 * factor * factor).map { log(Float($0) / pixels + Self.darkness) }
    let smooth = ImageFilter.smoothed(sums.map { logarithms[Int($0)] }, width, height)
    let mean = ImageFilter.boxMean(smooth, width, height, radius: Self.meanRadius)
    let slow = ImageFilter.boxMean(mean, width, height, radius: Self.meanRadius)
    self.values = smooth.indices.map { index in
      Int16(min(max((smooth[index] - slow[index]) / Self.unit, -32_000), 32_000))
    }
  }

  /// Value and derivatives by column and row at a pixel of this image; nil near its border.
  @inline(__always)
  func sample(at pixel: SIMD2<Float>) -> SIMD3<Float>? {
    let place = pixel - 0.5
    guard place.x >= Self.border, place.y >= Self.border,
      place.x < Float(width) - 1 - Self.border, place.y < Float(height) - 1 - Self.border
    else { return nil }
    let (x, y) = (Int(place.x), Int(place.y))
    let (u, v) = (place.x - Float(x), place.y - Float(y))
    let top = y * width + x
    let above = row(top - width)
    let first = row(top)
    let second = row(top + width)
    let below = row(top + 2 * width)
    func along(_ row: SIMD4<Float>) -> Float { row.y + (row.z - row.y) * u }
    func slope(_ row: SIMD4<Float>) -> Float {
      ((row.z - row.x) * (1 - u) + (row.w - row.y) * u) / 2
    }
    let value = along(first) + (along(second) - along(first)) * v
    let byColumn = slope(first) + (slope(second) - slope(first)) * v
    let byRow = ((along(second) - along(above)) * (1 - v) + (along(below) - along(first)) * v) / 2
    return SIMD3(value, byColumn, byRow) * Self.unit
  }

  /// Four values in a row, from the one before `index`.
  @inline(__always)
  private func row(_ index: Int) -> SIMD4<Float> {
    SIMD4<Float>(
      SIMD4<Int16>(values[index - 1], values[index], values[index + 1], values[index + 2]))
  }

  /// Interpolated values at the points of a lattice, row by row; nil if one is near the border.
  ///
  /// - Parameters:
  ///   - across: The step from one point to the next of a row.
  ///   - down: The step from one row to the next.
  ///   - radius: The lattice has 2 · `radius` + 1 rows of as many points.
  func patch(
    around center: SIMD2<Float>, _ across: SIMD2<Float>, _ down: SIMD2<Float>, radius: Int
  ) -> [Float]? {
    var result: [Float] = []
    let isInside = appendPatch(around: center, across, down, radius: radius, to: &result)
    return isInside ? result : nil
  }

  /// Appends interpolated values at the points of a lattice, row by row.
  ///
  /// - Returns: False, and nothing is appended, if one is near the border.
  func appendPatch(
    around center: SIMD2<Float>, _ across: SIMD2<Float>, _ down: SIMD2<Float>, radius: Int,
    to result: inout [Float]
  ) -> Bool {
    let reach = Float(radius)
    let half = SIMD2(
      (abs(across.x) + abs(down.x)) * reach, (abs(across.y) + abs(down.y)) * reach)
    let (low, high) = (center - half - 0.5, center + half - 0.5)
    guard low.x >= 0, low.y >= 0, high.x < Float(width - 1), high.y < Float(height - 1) else {
      return false
    }
    let (side, start) = (2 * radius + 1, result.count)
    // Four values are written at a time: what is too much for a row is overwritten by the next one.
    result.append(contentsOf: repeatElement(0, count: side * side + 3))
    let lanes = SIMD4<Float>(0, 1, 2, 3)
    let (acrossX, acrossY) = (lanes * across.x, lanes * across.y)
    unsafe result.withUnsafeMutableBytes { result in
      for row in 0..<side {
        var place = center - 0.5 + down * Float(row - radius) - across * reach
        for column in stride(from: 0, to: side, by: 4) {
          let values = interpolated(acrossX + place.x, acrossY + place.y)
          let offset = (start + row * side + column) * MemoryLayout<Float>.stride
          unsafe result.storeBytes(of: values, toByteOffset: offset, as: SIMD4<Float>.self)
          place += 4 * across
        }
      }
    }
    result.removeLast(3)
    return true
  }

  /// Interpolates values at four positions; those outside the image get arbitrary ones.
  @inline(__always)
  private func interpolated(_ x: SIMD4<Float>, _ y: SIMD4<Float>) -> SIMD4<Float> {
    // From 2²³ on the last bit of a float is 1: rounds without the checks of a conversion. A position exactly on
    // a pixel may be taken for the end of the interval before it, which is the same value.
    let (right, bottom) = (x + 0.5 + 0x1p23, y + 0.5 + 0x1p23)
    let (u, v) = (x - (right - (0x1p23 + 1)), y - (bottom - (0x1p23 + 1)))
    var (above, below) = (SIMD4<Int32>.zero, SIMD4<Int32>.zero)
    unsafe values.withUnsafeBytes { values in
      for lane in 0..<4 {
        let column = Int(right[lane].bitPattern & 0x7f_ffff) &- 1
        let row = Int(bottom[lane].bitPattern & 0x7f_ffff) &- 1
        // All indices up to the last have neighbours; four checks of bounds take as long as the rest.
        let index = max(0, min(row &* width &+ column, last))
        unsafe above[lane] = Self.pair(values, index)
        unsafe below[lane] = Self.pair(values, index &+ width)
      }
    }
    let (a, b) = Self.separated(above)
    let (c, d) = Self.separated(below)
    let upper = a + (b - a) * u
    let lower = c + (d - c) * u
    return (upper + (lower - upper) * v) * Self.unit
  }

  /// Two values side by side, which take no longer to load than one.
  @inline(__always)
  private static func pair(_ values: UnsafeRawBufferPointer, _ index: Int) -> Int32 {
    let pair = unsafe values.loadUnaligned(fromByteOffset: 2 &* index, as: Int32.self)
    return Int32(littleEndian: pair)
  }

  /// The first and the second values of pairs.
  @inline(__always)
  private static func separated(_ pairs: SIMD4<Int32>) -> (SIMD4<Float>, SIMD4<Float>) {
    (SIMD4<Float>((pairs &<< 16) &>> 16), SIMD4<Float>(pairs &>> 16))
  }

  /// The squared length of the gradient at the centre of a pixel, which is not at the border.
  @inline(__always)
  func steepness(_ x: Int, _ y: Int) -> Float {
    let index = y * width + x
    let across = Float(values[index + 1]) - Float(values[index - 1])
    let down = Float(values[index + width]) - Float(values[index - width])
    return (across * across + down * down) * (Self.unit * Self.unit / 4)
  }
}
