package import MeshpipeScene

/// An image's brightness, one byte (sRGB code) per pixel.
///
/// Small enough that those of hundreds of frames fit into memory.
package struct GrayscaleImage: Sendable {
  let width: Int
  let height: Int
  let codes: [UInt8]

  init(width: Int, height: Int, codes: [UInt8]) {
    self.width = width
    self.height = height
    self.codes = codes
  }

  /// The brightness of an image, by the channel weights of ITU-R BT.601.
  package init(_ image: Image) {
    self.init(
      width: image.width, height: image.height,
      codes: (0..<image.width * image.height).map { pixel in
        let red = Int(image.pixels[3 * pixel])
        let green = Int(image.pixels[3 * pixel + 1])
        let blue = Int(image.pixels[3 * pixel + 2])
        return UInt8((77 * red + 150 * green + 29 * blue + 128) >> 8)
      })
  }

  /// The sum of the codes of each square of `factor` pixels; the remainder at the right and the
  /// bottom is dropped.
  func sums(of factor: Int) -> (width: Int, height: Int, values: [UInt32]) {
    let (newWidth, newHeight) = (width / factor, height / factor)
    if factor == 1 { return (width, height, codes.map { UInt32($0) }) }
    var sums = [UInt32](repeating: 0, count: newWidth * newHeight)
    for y in 0..<newHeight * factor {
      var pixel = y * width
      let row = y / factor * newWidth
      for x in row..<row + newWidth {
        for _ in 0..<factor {
          sums[x] += UInt32(codes[pixel])
          pixel += 1
        }
      }
    }
    return (newWidth, newHeight, sums)
  }
}
