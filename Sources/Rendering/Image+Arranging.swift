package import MeshpipeScene

extension Image {
  /// The image at a smaller size; each pixel is the mean in linear light.
  package func shrunk(to size: SIMD2<Int>) -> Image {
    if size == self.size { return self }
    let table = SRGBTable.shared
    let scale = SIMD2<Float>(Float(width) / Float(size.x), Float(height) / Float(size.y))
    let rows = Parallel.map(count: size.y) { y in
      let rows = Self.shares(of: y, scale.y, height)
      var pixels: [UInt8] = []
      pixels.reserveCapacity(3 * size.x)
      for x in 0..<size.x {
        var (sum, weight) = (SIMD3<Float>.zero, Float(0))
        let columns = Self.shares(of: x, scale.x, width)
        for row in rows {
          for column in columns {
            let start = 3 * (row.index * width + column.index)
            let share = row.share * column.share
            sum +=
              table.linear(pixels: self.pixels, at: start) * share
            weight += share
          }
        }
        for channel in 0..<3 { pixels.append(table.code(sum[channel] / weight)) }
      }
      return pixels
    }
    var image = Image(width: size.x, height: size.y, pixels: Parallel.joined(rows))
    image.mask = mask
    return image
  }

  /// The old pixels along one axis that a new one covers, and their weights.
  private static func shares(
    of index: Int, _ scale: Float, _ count: Int
  ) -> [(index: Int, share: Float)] {
    let (start, end) = (Float(index) * scale, Float(index + 1) * scale)
    return (Int(start)..<max(Int(start) + 1, min(count, Int(end.rounded(.up))))).map { old in
      (min(old, count - 1), max(1e-6, min(end, Float(old + 1)) - max(start, Float(old))))
    }
  }
}

extension SRGBTable {
  func linear(pixels: [UInt8], at start: Int) -> SIMD3<Float> {
    linear(pixels[start], pixels[start + 1], pixels[start + 2])
  }
}

extension RenderedPicture {
  /// A seamless image.
  init(_ image: Image) {
    self.init(
      image: image, coverage: [UInt8](repeating: 255, count: image.width * image.height))
  }

  /// The image rotated counter-clockwise by quarter turns.
  func turned(byQuarters quarters: Int) -> RenderedPicture {
    guard quarters > 0 else { return self }
    let (width, height) = (image.width, image.height)
    var (pixels, coverage): ([UInt8], [UInt8]) = ([], [])
    pixels.reserveCapacity(image.pixels.count)
    coverage.reserveCapacity(self.coverage.count)
    // A quarter turn makes the last column the first row.
    for y in 0..<width {
      for x in 0..<height {
        let source = x * width + (width - 1 - y)
        for channel in 0..<3 { pixels.append(image.pixels[3 * source + channel]) }
        coverage.append(self.coverage[source])
      }
    }
    let turned = RenderedPicture(
      image: Image(width: height, height: width, pixels: pixels), coverage: coverage)
    return turned.turned(byQuarters: quarters - 1)
  }

  /// Images of equal height side by side, separated by white.
  static func row(_ pictures: [RenderedPicture], gap: Int) -> RenderedPicture {
    let height = pictures.map(\.image.height).min() ?? 0
    let width = pictures.reduce(-gap) { $0 + $1.image.width + gap }
    var (pixels, coverage): ([UInt8], [UInt8]) = ([], [])
    pixels.reserveCapacity(3 * width * height)
    coverage.reserveCapacity(width * height)
    for y in 0..<height {
      for (index, picture) in pictures.enumerated() {
        if index > 0 {
          pixels += [UInt8](repeating: 255, count: 3 * gap)
          coverage += [UInt8](repeating: 0, count: gap)
        }
        let row = y * picture.image.width..<(y + 1) * picture.image.width
        pixels += picture.image.pixels[3 * row.lowerBound..<3 * row.upperBound]
        coverage += picture.coverage[row]
      }
    }
    return RenderedPicture(
      image: Image(width: width, height: height, pixels: pixels), coverage: coverage)
  }
}
