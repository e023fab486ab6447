import MeshpipeScene
import NativeLibraries
import SurfaceKernels

/// The fine detail of a photograph at low resolution: its brightness minus the local mean (a high-pass filter), which
/// removes exposure and shading.
struct HighPassImage: Sendable {
  let width: Int
  let height: Int
  /// In sixteenths of an 8-bit level, row by row; ``invalid`` where the photograph is clipped or
  /// masked.
  private let values: [Int16]

  private static let invalid = Int16.min
  private static let unit: Float = 1 / 16
  /// The radius in pixels of the local mean: half again that of a patch (``MeshPatch``), so that the mean is not that
  /// of the patch itself.
  private static let surroundings = 6
  /// Brightness above which a sensor is saturated; and that of a mask, or of no light at all.
  private static let clipped: (dark: UInt8, bright: UInt8) = (3, 251)

  private init(width: Int, height: Int, values: [Int16]) {
    (self.width, self.height, self.values) = (width, height, values)
  }

  /// - Parameter side: The approximate length of the longer side in pixels.
  /// - Throws: If the image can't be read.
  init(of frame: Capture.Frame, side: Int) throws {
    let longest = max(frame.imageSize.x, frame.imageSize.y)
    let reduction = Capture.Frame.strongestReduction { longest >= $0 * side }
    let image = try frame.loadImage(reducedBy: reduction)
    self.init(image.reduced(by: max(1, max(image.width, image.height) / side)))
  }

  init(_ image: Image) {
    let codes = GrayscaleImage(image).codes
    let means = ImageFilter.boxMean(
      codes.map { Float($0) }, image.width, image.height, radius: Self.surroundings)
    let values = codes.indices.map { pixel in
      codes[pixel] <= Self.clipped.dark || codes[pixel] >= Self.clipped.bright
        || image.mask?.hidden[pixel] == true
        ? Self.invalid : Int16(((Float(codes[pixel]) - means[pixel]) / Self.unit).rounded())
    }
    self.init(width: image.width, height: image.height, values: values)
  }

  var size: SIMD2<Int> { SIMD2(width, height) }

  /// The image rotated by 180 degrees.
  var rotated: HighPassImage {
    HighPassImage(width: width, height: height, values: values.reversed())
  }

  /// The image with left and right exchanged.
  var mirrored: HighPassImage {
    var mirrored = values
    for row in 0..<height {
      for column in 0..<width {
        mirrored[row * width + column] = values[row * width + width - 1 - column]
      }
    }
    return HighPassImage(width: width, height: height, values: mirrored)
  }

  /// Values on a lattice around a pixel, row by row, in 8-bit levels.
  ///
  /// - Parameters:
  ///   - across: The step between neighbours in a row.
  ///   - down: The step between rows.
  ///   - radius: The lattice has 2 · `radius` + 1 rows and columns.
  /// - Returns: Nil if a point is invalid or outside the image.
  func patch(
    around center: SIMD2<Float>, _ across: SIMD2<Float>, _ down: SIMD2<Float>, radius: Int
  ) -> [Float]? {
    let reach = Float(radius)
    let half = SIMD2(
      (abs(across.x) + abs(down.x)) * reach, (abs(across.y) + abs(down.y)) * reach)
    let middle = center - 0.5
    guard middle.x - half.x >= 0, middle.y - half.y >= 0,
      middle.x + half.x < Float(width - 1), middle.y + half.y < Float(height - 1)
    else { return nil }
    var patch: [Float] = []
    patch.reserveCapacity((2 * radius + 1) * (2 * radius + 1))
    for row in -radius...radius {
      var index = middle + down * Float(row) - across * reach
      for _ in -radius...radius {
        guard let value = value(at: index) else { return nil }
        patch.append(value)
        index += across
      }
    }
    return patch
  }

  /// Interpolated between four pixels, of which the first has its centre at (0, 0).
  @inline(__always)
  private func value(at position: SIMD2<Float>) -> Float? {
    // Accumulated steps may exceed the border by a rounding error.
    let (x, y) = (min(max(Int(position.x), 0), width - 2), min(max(Int(position.y), 0), height - 2))
    let (u, v) = (position.x - Float(x), position.y - Float(y))
    let index = y * width + x
    let top = (values[index], values[index + 1])
    let bottom = (values[index + width], values[index + width + 1])
    guard top.0 != Self.invalid, top.1 != Self.invalid, bottom.0 != Self.invalid,
      bottom.1 != Self.invalid
    else { return nil }
    let upper = Float(top.0) + (Float(top.1) - Float(top.0)) * u
    let lower = Float(bottom.0) + (Float(bottom.1) - Float(bottom.0)) * u
    return (upper + (lower - upper) * v) * Self.unit
  }
}
