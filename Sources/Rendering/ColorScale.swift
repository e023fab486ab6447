package import MeshpipeScene

/// The colours of a heat map with the numbers that they stand for, as an upright bar in a picture.
package struct ColorScale: Sendable {
  /// At equal steps from the bottom to the top, at least two.
  package let colors: [Color]
  /// Likewise, from the bottom to the top.
  package let labels: [String]

  package init(colors: [Color], labels: [String]) {
    (self.colors, self.labels) = (colors, labels)
  }

  /// Draws the bar at the right border of a picture, with the labels to its left.
  ///
  /// - Parameter ink: Of the labels, a grey that is seen on the background.
  package func draw(on picture: inout RenderedPicture, ink: UInt8 = 40) {
    let size = SIMD2(Double(picture.image.width), Double(picture.image.height))
    let letters = max(9, size.min() / 50)
    let bar = (left: size.x - 3.5 * letters, right: size.x - 2 * letters)
    let (top, height) = (0.2 * size.y, 0.6 * size.y)
    let strips = max(2, Int(height))
    for strip in 0..<strips {
      let share = 1 - (Double(strip) + 0.5) / Double(strips)
      PictureInk(color(at: share)).fill(
        SIMD2(bar.left, top + Double(strip) / Double(strips) * height),
        SIMD2(bar.right, top + Double(strip + 1) / Double(strips) * height), on: &picture)
    }
    let pen = PictureInk(gray: ink)
    for (index, label) in labels.enumerated() {
      let y = top + height * (1 - Double(index) / Double(max(labels.count - 1, 1)))
      pen.fill(
        SIMD2(bar.left - letters / 2, y - 0.5), SIMD2(bar.left, y + 0.5), on: &picture)
      let width = PictureInk.width(of: label, height: letters)
      pen.write(
        label, at: SIMD2(bar.left - letters - width, y + letters / 2), height: letters,
        on: &picture)
    }
  }

  /// The colour at a share of the height, 0 at the bottom.
  private func color(at share: Double) -> Color {
    let position = min(max(share, 0), 1) * Double(colors.count - 1)
    let index = min(Int(position), colors.count - 2)
    let part = position - Double(index)
    func mixed(_ channel: KeyPath<Color, UInt8>) -> UInt8 {
      let (low, high) = (
        Double(colors[index][keyPath: channel]), Double(colors[index + 1][keyPath: channel])
      )
      return UInt8((low + (high - low) * part).rounded())
    }
    return Color(red: mixed(\.red), green: mixed(\.green), blue: mixed(\.blue))
  }
}
