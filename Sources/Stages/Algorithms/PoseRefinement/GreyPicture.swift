import MeshPipeline

/// A picture's brightness, one byte (sRGB code) for each pixel.
///
/// Small enough that those of hundreds of frames fit into memory.
struct GreyPicture: Sendable {
  let width: Int
  let height: Int
  let codes: [UInt8]

  init(width: Int, height: Int, codes: [UInt8]) {
    self.width = width
    self.height = height
    self.codes = codes
  }

  /// The brightness of a picture, by the weights of its channels in ITU-R BT.601.
  init(_ image: Image) {
    self.init(
      width: image.width, height: image.height,
      codes: (0..<image.width * image.height).map { pixel in
        let red = Int(image.pixels[3 * pixel])
        let green = Int(image.pixels[3 * pixel + 1])
        let blue = Int(image.pixels[3 * pixel + 2])
        return UInt8((77 * red + 150 * green + 29 * blue + 128) >> 8)
      })
  }

  /// The mean code of each square of `factor` pixels; what is left over at the right and the bottom
  /// is cut off.
  func means(of factor: Int) -> (width: Int, height: Int, values: [Float]) {
    let (newWidth, newHeight) = (width / factor, height / factor)
    var sums = [Int](repeating: 0, count: newWidth * newHeight)
    for y in 0..<newHeight * factor {
      let row = y / factor * newWidth
      for x in 0..<newWidth * factor { sums[row + x / factor] += Int(codes[y * width + x]) }
    }
    let scale = 1 / Float(factor * factor)
    return (newWidth, newHeight, sums.map { Float($0) * scale })
  }
}
