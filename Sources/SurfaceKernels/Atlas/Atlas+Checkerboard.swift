package import MeshpipeScene

extension Atlas {
  /// Pictures of the pages with a checkerboard on each chart in a colour of its own, which show density, stretch and
  /// seams.
  ///
  /// - Parameter square: The side of a square in texels.
  package func checkerboards(square: Int) -> [Image] {
    Parallel.map(count: pages.count) { page in
      let size = pages[page]
      var pixels = [UInt8](repeating: 0, count: 3 * size.x * size.y)
      for face in 0..<faceCount where Int(facePages[face]) == page {
        let colors = Self.checkerColors(ofChart: faceCharts[face])
        forEachSpan(ofFace: face) { span in
          for column in span.columns {
            let isLight = (column / square + span.row / square) % 2 == 0
            let color = isLight ? colors.light : colors.dark
            let start = 3 * (span.row * size.x + column)
            for part in 0..<3 { pixels[start + part] = color[part] }
          }
        }
      }
      PagePadding.fill(
        &pixels, covered: coverage(ofPage: page), rings: max(1, (padding + 1) / 2))
      return Image(width: size.x, height: size.y, pixels: pixels)
    }
  }

  private static func checkerColors(
    ofChart chart: UInt32
  ) -> (light: SIMD3<UInt8>, dark: SIMD3<UInt8>) {
    // The golden ratio, of which no multiples are close.
    let hue = (Float(chart) * 0.618).truncatingRemainder(dividingBy: 1)
    func color(_ low: Float, _ high: Float) -> SIMD3<UInt8> {
      var color = SIMD3<UInt8>()
      for part in 0..<3 {
        let phase = (hue + Float(part) / 3).truncatingRemainder(dividingBy: 1)
        color[part] = UInt8((low + (high - low) * abs(2 * phase - 1)).rounded())
      }
      return color
    }
    return (color(170, 250), color(70, 170))
  }
}
