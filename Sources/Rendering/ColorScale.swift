package import MeshpipeScene

/// The colours of a heat map with the numbers that they stand for, as an upright bar in a picture.
package struct ColorScale: Sendable {
  /// From the bottom to the top.
  package let colors: ColorRamp
  /// At equal steps from the bottom to the top.
  package let labels: [String]

  package init(_ colors: ColorRamp, labels: [String]) {
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
      let share = 1 - (Float(strip) + 0.5) / Float(strips)
      PictureInk(colors.color(at: share)).fill(
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
}

/// Colours that go over into each other at equal steps.
package struct ColorRamp: Sendable {
  /// At least two.
  package let stops: [Color]

  package init(_ stops: [Color]) { self.stops = stops }

  /// The colour at a share of the way, from 0 to 1.
  package func color(at share: Float) -> Color {
    let position = share * Float(stops.count - 1)
    let stop = min(Int(position), stops.count - 2)
    func channels(_ color: Color) -> SIMD3<Float> {
      SIMD3(Float(color.red), Float(color.green), Float(color.blue))
    }
    let (low, high) = (channels(stops[stop]), channels(stops[stop + 1]))
    let mixed = low + (high - low) * (position - Float(stop))
    return Color(
      red: UInt8(mixed.x.rounded()), green: UInt8(mixed.y.rounded()), blue: UInt8(mixed.z.rounded())
    )
  }
}
