package import MeshpipeScene

/// A small image with a square for each of some colours.
package struct Palette {
  /// Pixels per side of a square: enough for its centre to keep its colour when the image is halved
  /// twice.
  private static let square = 8

  package let image: Image
  private let columns: Int
  private let rows: Int

  /// - Parameter colors: Linear red, green and blue, each 0 to 1.
  package init(_ colors: [SIMD4<Float>]) {
    let columns = max(1, Int(Double(colors.count).squareRoot().rounded(.up)))
    let rows = max(1, (colors.count + columns - 1) / columns)
    let (width, height) = (columns * Self.square, rows * Self.square)
    let table = SRGBTable.shared
    var pixels: [UInt8] = []
    pixels.reserveCapacity(3 * width * height)
    for y in 0..<height {
      for x in 0..<width {
        let color = colors[min(colors.count - 1, y / Self.square * columns + x / Self.square)]
        pixels += [table.code(color.x), table.code(color.y), table.code(color.z)]
      }
    }
    image = Image(width: width, height: height, pixels: pixels)
    self.columns = columns
    self.rows = rows
  }

  /// The texture coordinates of the centre of a colour's square.
  package func center(of color: Int) -> Vector2 {
    Vector2(
      (Float(color % columns) + 0.5) / Float(columns),
      1 - (Float(color / columns) + 0.5) / Float(rows))
  }
}
