import MeshPipeline

/// A picture in linear light, ready to be sampled between its pixels.
///
/// Samples are 0…65535 for 0…1; the fourth is free.
struct LinearImage: Sendable {
  let width: Int
  let height: Int
  var pixels: [SIMD4<UInt16>]

  static let one: Float = 65_535

  /// Linear light for each sRGB code.
  static let linear: [UInt16] = SRGBTable.shared.linear.map { UInt16(($0 * one).rounded()) }

  init(width: Int, height: Int, pixels: [SIMD4<UInt16>]) {
    self.width = width
    self.height = height
    self.pixels = pixels
  }

  init(_ image: Image) {
    width = image.width
    height = image.height
    let codes = image.pixels
    let table = Self.linear
    pixels = Parallel.array(count: width * height) { range, span in
      for pixel in range {
        span.append(
          SIMD4(
            table[Int(codes[3 * pixel])], table[Int(codes[3 * pixel + 1])],
            table[Int(codes[3 * pixel + 2])], 0))
      }
    }
  }

  /// Half the size, each pixel the mean of four.
  func halved() -> LinearImage {
    let (newWidth, newHeight) = (max(1, width / 2), max(1, height / 2))
    var result: [SIMD4<UInt16>] = []
    result.reserveCapacity(newWidth * newHeight)
    for y in 0..<newHeight {
      let (top, bottom) = (2 * y * width, min(2 * y + 1, height - 1) * width)
      for x in 0..<newWidth {
        let (left, right) = (2 * x, min(2 * x + 1, width - 1))
        let sum =
          Self.wide(pixels[top + left]) &+ Self.wide(pixels[top + right])
          &+ Self.wide(pixels[bottom + left]) &+ Self.wide(pixels[bottom + right])
        result.append(SIMD4<UInt16>(truncatingIfNeeded: (sum &+ 2) &>> 2))
      }
    }
    return LinearImage(width: newWidth, height: newHeight, pixels: result)
  }

  @inline(__always)
  private static func wide(_ pixel: SIMD4<UInt16>) -> SIMD4<UInt32> {
    SIMD4<UInt32>(truncatingIfNeeded: pixel)
  }

  @inline(__always)
  private static func float(_ pixel: SIMD4<UInt16>) -> SIMD4<Float> {
    SIMD4<Float>(SIMD4<Int32>(truncatingIfNeeded: pixel))
  }

  @inline(__always)
  private func float(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let pixel = pixels[
      min(max(y, 0), height &- 1) &* width &+ min(max(x, 0), width &- 1)]
    return Self.float(pixel)
  }

  /// Bilinear; the first pixel's centre is (0.5, 0.5), and the border's pixels go on for ever.
  @inline(__always)
  func bilinear(_ place: SIMD2<Float>) -> SIMD4<Float> {
    let moved = place - 0.5
    let floor = moved.rounded(.down)
    let part = moved - floor
    let (x, y) = (Int(floor.x), Int(floor.y))
    let top = float(x, y) * (1 - part.x) + float(x + 1, y) * part.x
    let bottom = float(x, y + 1) * (1 - part.x) + float(x + 1, y + 1) * part.x
    return top * (1 - part.y) + bottom * part.y
  }

  /// Bicubic after Catmull and Rom: sharper than bilinear where a picture is magnified.
  @inline(__always)
  func bicubic(_ place: SIMD2<Float>) -> SIMD4<Float> {
    let moved = place - 0.5
    let floor = moved.rounded(.down)
    let part = moved - floor
    let (x, y) = (Int(floor.x), Int(floor.y))
    let across = Self.weights(part.x)
    let down = Self.weights(part.y)
    var sum = SIMD4<Float>.zero
    if x >= 1, y >= 1, x < width &- 2, y < height &- 2 {
      // Nothing to hold at a border: half the time.
      var first = (y &- 1) &* width &+ x &- 1
      return unsafe pixels.withUnsafeBufferPointer { pixels in
        for row in 0..<4 {
          var line = unsafe Self.float(pixels[first]) * across.x
          unsafe line += Self.float(pixels[first &+ 1]) * across.y
          unsafe line += Self.float(pixels[first &+ 2]) * across.z
          unsafe line += Self.float(pixels[first &+ 3]) * across.w
          sum += line * down[row]
          first &+= width
        }
        return sum
      }
    }
    for row in 0..<4 {
      let line =
        float(x &- 1, y &+ row &- 1) * across.x + float(x, y &+ row &- 1) * across.y
        + float(x &+ 1, y &+ row &- 1) * across.z + float(x &+ 2, y &+ row &- 1) * across.w
      sum += line * down[row]
    }
    return sum
  }

  @inline(__always)
  private static func weights(_ t: Float) -> SIMD4<Float> {
    let (t2, t3) = (t * t, t * t * t)
    return SIMD4(
      0.5 * (2 * t2 - t - t3), 0.5 * (2 - 5 * t2 + 3 * t3), 0.5 * (t + 4 * t2 - 3 * t3),
      0.5 * (t3 - t2))
  }
}
