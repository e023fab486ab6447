import MeshpipeScene
import POSIX

/// Draws areas and a few letters of lines into a picture, with smooth edges.
struct PictureInk {
  let color: Color

  init(_ color: Color) { self.color = color }

  /// - Parameter gray: From 0 to 255.
  init(gray: UInt8) { color = Color(red: gray, green: gray, blue: gray) }

  /// Fills a rectangle between two places in pixels from the upper left corner; pixels at its border are covered in part.
  func fill(
    _ low: SIMD2<Double>, _ high: SIMD2<Double>, on picture: inout RenderedPicture
  ) {
    func share(_ pixel: Int, _ from: Double, _ to: Double) -> Double {
      max(0, min(Double(pixel + 1), to) - max(Double(pixel), from))
    }
    draw(low, high, on: &picture) { x, y in
      share(x, low.x, high.x) * share(y, low.y, high.y)
    }
  }

  /// Writes a text whose baseline begins at a place; letters without a shape are left out.
  func write(
    _ text: String, at position: SIMD2<Double>, height: Double, on picture: inout RenderedPicture
  ) {
    let unit = height / Self.gridHeight
    let half = max(0.6, 0.42 * unit)
    var start = position.x
    for letter in text {
      let glyph = Self.glyph(of: letter)
      for line in glyph.lines {
        let points = line.map { SIMD2(start + $0.x * unit, position.y - $0.y * unit) }
        for (from, to) in zip(points, points.dropFirst()) {
          stroke(from, to, half, on: &picture)
        }
      }
      start += (glyph.width + Self.letterGap) * unit
    }
  }

  /// The width of a text in pixels.
  static func width(of text: String, height: Double) -> Double {
    let units = text.reduce(-letterGap) { $0 + glyph(of: $1).width + letterGap }
    return max(0, units) * height / gridHeight
  }

  /// Draws a line with round ends.
  private func stroke(
    _ from: SIMD2<Double>, _ to: SIMD2<Double>, _ half: Double,
    on picture: inout RenderedPicture
  ) {
    let along = to - from
    let margin = SIMD2(repeating: half + 1)
    draw(
      pointwiseMin(from, to) - margin, pointwiseMax(from, to) + margin, on: &picture
    ) { x, y in
      let center = SIMD2(Double(x) + 0.5, Double(y) + 0.5)
      return min(max(half + 0.5 - center.distance(fromSegmentAt: from, along: along), 0), 1)
    }
  }

  /// Mixes the colour into the pixels of a rectangle by how much of each is covered.
  private func draw(
    _ low: SIMD2<Double>, _ high: SIMD2<Double>, on picture: inout RenderedPicture,
    covered: (Int, Int) -> Double
  ) {
    let (width, height) = (picture.image.width, picture.image.height)
    func pixels(_ from: Double, _ to: Double, _ count: Int) -> Range<Int> {
      let first = Int(max(0, min(from, Double(count))))
      return first..<max(first, Int(max(0, min(to.rounded(.up), Double(count)))))
    }
    for y in pixels(low.y, high.y, height) {
      for x in pixels(low.x, high.x, width) {
        let share = covered(x, y)
        guard share > 0 else { continue }
        let pixel = y * width + x
        let behind = Double(picture.coverage[pixel]) / 255
        let opacity = behind + share * (1 - behind)
        for (channel, level) in [color.red, color.green, color.blue].enumerated() {
          let old = Double(picture.image.pixels[3 * pixel + channel])
          picture.image.pixels[3 * pixel + channel] = UInt8(
            (old + (Double(level) - old) * share).rounded())
        }
        picture.coverage[pixel] = UInt8((255 * opacity).rounded())
      }
    }
  }

  // MARK: Letters

  private static let gridHeight = 6.0
  private static let letterGap = 1.9

  private struct Glyph {
    var width: Double
    /// In the grid, from the beginning of the baseline upward.
    var lines: [[SIMD2<Double>]]
  }

  private static func glyph(of letter: Character) -> Glyph {
    guard let shape = shapes[letter] else { return Glyph(width: 2, lines: []) }
    let lines = shape.split(separator: ",").map { line in
      line.split(separator: " ").map { point in
        let digits = point.compactMap(\.wholeNumberValue)
        return SIMD2(Double(digits[0]), Double(digits[1]))
      }
    }
    return Glyph(width: lines.joined().map(\.x).max() ?? 0, lines: lines)
  }

  /// Lines of points, each a column and a row of the grid.
  private static let shapes: [Character: String] = [
    "0": "10 30 41 45 36 16 05 01 10", "1": "05 26 20", "2": "05 16 36 45 44 00 40",
    "3": "05 16 36 45 44 33 23,33 42 41 30 10 01", "4": "30 36 02 42",
    "5": "46 06 03 33 42 41 30 10 01", "6": "45 36 16 05 01 10 30 41 42 33 03", "7": "06 46 10",
    "8": "13 04 05 16 36 45 44 33 13 02 01 10 30 41 42 33", "9": "01 10 30 41 45 36 16 05 04 13 43",
    ":": "01 01,04 04", ".": "00 00", "m": "00 04,03 14 24 33 30,33 44 54 63 60",
    "k": "00 06,34 01,12 30", "-": "03 33", "+": "03 33,15 11",
    "µ": "04 00,01 10 20 31,34 30",
  ]
}
