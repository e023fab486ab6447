package import MeshpipeScene

extension Atlas {
  /// A picture of a page with a checkerboard on each chart in a colour of its own, which shows density, stretch and
  /// seams.
  ///
  /// - Parameter square: The side of a square in texels.
  package func checkerboard(page: Int, square: Int) -> Image {
    let size = pages[page]
    var pixels = [UInt8](repeating: 0, count: 3 * size.x * size.y)
    for face in 0..<faceCount where Int(facePages[face]) == page {
      let hue = NumberedHue.rgb(Float(faceCharts[face]))
      let (light, dark) = (SIMD3<UInt8>(170 + 80 * hue), SIMD3<UInt8>(70 + 100 * hue))
      forEachSpan(ofFace: face) { span in
        for column in span.columns {
          let color = (column / square + span.row / square) % 2 == 0 ? light : dark
          let start = 3 * (span.row * size.x + column)
          for part in 0..<3 { pixels[start + part] = color[part] }
        }
      }
    }
    PagePadding.fill(&pixels, covered: coverage(ofPage: page), rings: paddingRings)
    return Image(width: size.x, height: size.y, pixels: pixels)
  }
}
