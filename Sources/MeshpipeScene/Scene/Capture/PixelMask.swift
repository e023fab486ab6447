extension Capture {
  /// The file of a mask, and which of its pixels hide what the frame shows there.
  public struct MaskSource: Sendable, Hashable, Codable {
    /// An image with the field of view of the frame's own, of any size.
    public var path: String
    /// Which pixels hide.
    public var hidden: Hidden

    /// Describes a mask in a file.
    public init(path: String, hidden: Hidden = .black) {
      self.path = path
      self.hidden = hidden
    }

    /// Which pixels of a mask hide what the frame shows.
    public enum Hidden: String, Sendable, Hashable, Codable {
      /// Black ones, as in COLMAP and nerfstudio.
      case black
      /// All but black ones, as in instant-ngp's dynamic masks.
      case white
      /// Transparent ones: those of the frame's own image.
      case transparent
    }
  }
}

/// Which pixels of an image are not to be used.
package struct PixelMask: Sendable, Equatable {
  /// In pixels.
  package let width: Int
  package let height: Int
  /// Row by row from the top left.
  package private(set) var hidden: [Bool]

  /// - Precondition: There is one value for each pixel.
  package init(width: Int, height: Int, hidden: [Bool]) {
    precondition(hidden.count == width * height, "a value for each pixel")
    self.width = width
    self.height = height
    self.hidden = hidden
  }

  /// Width and height in pixels.
  package var size: SIMD2<Int> { SIMD2(width, height) }

  /// Whether nothing is hidden.
  package var isEmpty: Bool { !hidden.contains(true) }

  /// Whether a pixel is hidden; coordinates are clamped to the mask.
  @inline(__always)
  package func hides(_ x: Int, _ y: Int) -> Bool {
    hidden[min(max(y, 0), height - 1) * width + min(max(x, 0), width - 1)]
  }

  /// Whether what is at a place is hidden; 0 to 1 across the image.
  @inline(__always)
  package func hides(at position: SIMD2<Float>) -> Bool {
    let pixel = position * SIMD2(Float(width), Float(height))
    // Also for places that are not numbers.
    guard abs(pixel.x) < 0x1p24, abs(pixel.y) < 0x1p24 else { return false }
    return hides(Int(pixel.x.rounded(.down)), Int(pixel.y.rounded(.down)))
  }

  /// The mask of an image of another size with the same field of view: a pixel is hidden if any that it
  /// covers is.
  package func resized(to size: SIMD2<Int>) -> PixelMask {
    guard size != self.size, width > 0, height > 0 else { return self }
    func ranges(_ count: Int, of length: Int) -> [ClosedRange<Int>] {
      (0..<count).map { index in
        let first = index * length / count
        return first...max(first, ((index + 1) * length + count - 1) / count - 1)
      }
    }
    let columns = ranges(size.x, of: width)
    var result: [Bool] = []
    result.reserveCapacity(size.x * size.y)
    for rows in ranges(size.y, of: height) {
      for columns in columns {
        result.append(
          rows.contains { row in columns.contains { hidden[row * width + $0] } })
      }
    }
    return PixelMask(width: size.x, height: size.y, hidden: result)
  }

  /// The mask with the pixels around hidden ones, which mix their colours in when an image is compressed or
  /// interpolated.
  package func grown() -> PixelMask {
    var result = self
    for y in 0..<height {
      for x in 0..<width where hidden[y * width + x] {
        for row in max(0, y - 1)...min(height - 1, y + 1) {
          for column in max(0, x - 1)...min(width - 1, x + 1) {
            result.hidden[row * width + column] = true
          }
        }
      }
    }
    return result
  }

  /// What either of two masks hides, in the size of this one.
  package func union(_ other: PixelMask) -> PixelMask {
    let other = other.resized(to: size)
    var result = self
    for index in hidden.indices where other.hidden[index] { result.hidden[index] = true }
    return result
  }
}

extension Image {
  /// The image with a mask of its size, in which hidden pixels have colours from around the mask, so that what is blurred
  /// or interpolated near them does not show what they hid.
  package func masked(_ mask: PixelMask) -> Image {
    precondition(mask.size == size, "a mask of the image's size")
    guard !mask.isEmpty else { return self }
    var result = self
    result.mask = mask
    result.fillHidden(mask)
    return result
  }

  /// The side of the smallest blocks that give hidden pixels their colour.
  private static let block = 4

  /// Gives each hidden pixel the mean colour of the smallest block around it that has visible ones.
  ///
  /// The *pull-push* of Gortler et al., "The Lumigraph" (1996), without its interpolation.
  private mutating func fillHidden(_ mask: PixelMask) {
    var levels = [MeanColors(of: self, mask, block: Self.block)]
    while let last = levels.last, last.width > 1 || last.height > 1 { levels.append(last.halved()) }
    for y in 0..<height {
      for x in 0..<width where mask.hidden[y * width + x] {
        var (column, row) = (x / Self.block, y / Self.block)
        for level in levels {
          let sum = level.sums[row * level.width + column]
          if sum.w > 0 {
            for channel in 0..<3 {
              pixels[3 * (y * width + x) + channel] = UInt8(
                clamping: (sum[channel] + sum.w / 2) / sum.w)
            }
            break
          }
          (column, row) = (column / 2, row / 2)
        }
      }
    }
  }

  /// The sums of visible colours in blocks, and their number as the fourth.
  private struct MeanColors {
    var width: Int
    var height: Int
    var sums: [SIMD4<Int>]

    init(of image: Image, _ mask: PixelMask, block: Int) {
      width = (image.width + block - 1) / block
      height = (image.height + block - 1) / block
      sums = Array(repeating: .zero, count: width * height)
      for y in 0..<image.height {
        for x in 0..<image.width where !mask.hidden[y * image.width + x] {
          let start = 3 * (y * image.width + x)
          sums[y / block * width + x / block] &+= SIMD4(
            Int(image.pixels[start]), Int(image.pixels[start + 1]), Int(image.pixels[start + 2]), 1)
        }
      }
    }

    private init(width: Int, height: Int) {
      (self.width, self.height) = (width, height)
      sums = Array(repeating: .zero, count: width * height)
    }

    func halved() -> MeanColors {
      var half = MeanColors(width: (width + 1) / 2, height: (height + 1) / 2)
      for y in 0..<height {
        for x in 0..<width { half.sums[y / 2 * half.width + x / 2] &+= sums[y * width + x] }
      }
      return half
    }
  }
}
