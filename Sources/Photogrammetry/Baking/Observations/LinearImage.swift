package import MeshpipeScene

/// An image in linear light, to be sampled between its pixels.
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

  /// The luminance of a pixel, by round weights near those of ITU-R BT.601 (0.299, 0.587, 0.114): only differences within
  /// an image are compared.
  @inline(__always)
  static func luminance(of pixel: SIMD4<UInt16>) -> Float {
    0.25 * Float(pixel.x) + 0.6 * Float(pixel.y) + 0.15 * Float(pixel.z)
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

  /// The integer parts of coordinates of less than four million, and their fractions: 0…1, both
  /// included.
  ///
  /// At 1.5 · 2²³ the last bit of a float is 1: rounds without calls and without the checks of a
  /// conversion. Other coordinates give an arbitrary number.
  @inline(__always)
  static func split(_ position: SIMD2<Float>) -> (x: Int, y: Int, part: SIMD2<Float>) {
    let one: Float = 12_582_912
    let rounded = position - 0.5 + one
    func whole(_ value: Float) -> Int {
      Int(Int32(bitPattern: value.bitPattern) &- Int32(bitPattern: one.bitPattern))
    }
    return (whole(rounded.x), whole(rounded.y), position - (rounded - one))
  }

  /// Bilinear; the first pixel's centre is (0.5, 0.5), and the border's pixels are repeated.
  @inline(__always)
  func bilinear(_ position: SIMD2<Float>) -> SIMD4<Float> {
    let (x, y, part) = Self.split(position - 0.5)
    let top = float(x, y) * (1 - part.x) + float(x + 1, y) * part.x
    let bottom = float(x, y + 1) * (1 - part.x) + float(x + 1, y + 1) * part.x
    return top * (1 - part.y) + bottom * part.y
  }

  /// Bicubic after Catmull and Rom: sharper than bilinear where an image is magnified.
  ///
  /// Not inlined: callers that separate the channels would have it compiled channel by channel.
  @inline(never)
  func bicubic(_ position: SIMD2<Float>) -> SIMD4<Float> {
    let (x, y, part) = Self.split(position - 0.5)
    let across = Self.weights(part.x)
    let down = Self.weights(part.y)
    guard x >= 1, y >= 1, x < width &- 2, y < height &- 2 else {
      var sum = SIMD4<Float>.zero
      for row in 0..<4 {
        let line =
          float(x &- 1, y &+ row &- 1) * across.x + float(x, y &+ row &- 1) * across.y
          + float(x &+ 1, y &+ row &- 1) * across.z + float(x &+ 2, y &+ row &- 1) * across.w
        sum += line * down[row]
      }
      return sum
    }
    // No clamping at a border: half the time.
    let first = (y &- 1) &* width &+ x &- 1
    return unsafe pixels.withUnsafeBufferPointer { pixels in
      @inline(__always) func line(_ row: Int) -> SIMD4<Float> {
        let first = first &+ row &* width
        var sum = unsafe Self.float(pixels[first]) * across.x
        unsafe sum += Self.float(pixels[first &+ 1]) * across.y
        unsafe sum += Self.float(pixels[first &+ 2]) * across.z
        unsafe sum += Self.float(pixels[first &+ 3]) * across.w
        return sum
      }
      return line(0) * down.x + line(1) * down.y + line(2) * down.z + line(3) * down.w
    }
  }

  /// The weights of four neighbours; `t` is the position between the second and the third.
  @inline(__always)
  private static func weights(_ t: Float) -> SIMD4<Float> {
    let cubic = SIMD4<Float>(-0.5, 1.5, -1.5, 0.5) * t + SIMD4(1, -2.5, 2, -0.5)
    return (cubic * t + SIMD4(-0.5, 0, 0.5, 0)) * t + SIMD4(0, 1, 0, 0)
  }
}

extension Color {
  /// The opaque colour of linear light, each channel from 0 to 65535.
  package init(light: SIMD4<Float>) {
    let code = clampedToCode(light)
    let codes = SRGBTable.shared.codes
    self.init(red: codes[Int(code.x)], green: codes[Int(code.y)], blue: codes[Int(code.z)])
  }
}
