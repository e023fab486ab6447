import MeshpipeBase
import MeshpipeScene
import POSIX

/// Size and scale of a picture along parallel lines, with a strip below the scene for a bar that shows the scale.
package struct OrthographicLayout: Sendable {
  /// Width and height of the picture in pixels.
  package let size: SIMD2<Int>
  /// The units of the scene in a pixel.
  package let unitsPerPixel: Double
  private let metersPerUnit: Double
  /// `1:50`; empty where the size on paper is open.
  private let scale: String
  /// Of capital letters and digits, in pixels.
  private let textHeight: Double

  /// The least size of a picture in which the bar and its length can be read, in pixels.
  package static let leastSize = SIMD2(160, 120)
  /// Letters and the margin around the scene on paper, and the least width of a picture, in millimetres.
  private static let printedText = 2.5
  private static let printedMargin = 5.0
  private static let leastPrint = 50.0

  /// As large as fits into a picture.
  ///
  /// - Parameters:
  ///   - extents: Width and height of all that is seen with this layout, in units of the scene.
  ///   - size: At least ``leastSize``.
  package init(of extents: [SIMD2<Double>], size: SIMD2<Int>, metersPerUnit: Double) {
    (self.size, self.metersPerUnit, scale) = (size, metersPerUnit, "")
    textHeight = max(9, Double(min(size.x, size.y)) / 50)
    let margin = 1.5 * textHeight
    let room = SIMD2<Double>(size) - SIMD2(2 * margin, 2 * margin + Self.strip * textHeight)
    let units = (extents.reduce(.zero, pointwiseMax) / room).max()
    unitsPerPixel = units > 0 ? units : 1
  }

  /// As large as a scale asks for.
  ///
  /// - Parameters:
  ///   - extents: Width and height of all that is seen with this layout, in units of the scene.
  ///   - denominator: The metres that a metre of paper stands for.
  package init(
    of extents: [SIMD2<Double>], denominator: Double, scale: String, dotsPerInch: Int,
    metersPerUnit: Double
  ) {
    let pixelsPerMillimeter = Double(dotsPerInch) / 25.4
    (self.scale, self.metersPerUnit) = (scale, metersPerUnit)
    textHeight = max(7, Self.printedText * pixelsPerMillimeter)
    unitsPerPixel = denominator / (1000 * pixelsPerMillimeter * metersPerUnit)
    let margin = 2 * Self.printedMargin * pixelsPerMillimeter
    let extent = extents.reduce(.zero, pointwiseMax) / unitsPerPixel
    let wanted = SIMD2(
      max(extent.x + margin, Self.leastPrint * pixelsPerMillimeter),
      extent.y + margin + Self.strip * textHeight
    ).rounded(.up)
    // More than anyone can ask for, and still an integer.
    let most = SIMD2<Double>(repeating: 1e9)
    size = SIMD2<Int>(wanted.clamped(lowerBound: .one, upperBound: most))
  }

  /// The height of the strip below the scene, in heights of letters.
  private static let strip = 3.5

  /// By how much the middle of the scene is above that of the picture, in units of the scene.
  var shiftOfCenter: Double { Self.strip * textHeight / 2 * unitsPerPixel }

  /// A round length, and the pixels that it takes.
  package var bar: (meters: Double, pixels: Double) {
    let metersPerPixel = unitsPerPixel * metersPerUnit
    let meters = RoundNumber(atMost: Double(size.x) / 4 * metersPerPixel).value
    return (meters, meters / metersPerPixel)
  }

  /// Draws the bar of alternate parts with its length, and the scale beside it, at the lower left.
  func drawBar(on picture: inout RenderedPicture, background: Background) {
    let (meters, pixels) = bar
    let unit = textHeight
    let left = 1.5 * unit
    let top = Double(size.y) - 1.75 * unit
    let ink = PictureInk(gray: background.isDark ? 235 : 40)
    let parts = 4
    let part = pixels / Double(parts)
    let line = max(1, unit / 12)
    for index in 0..<parts {
      let start = left + Double(index) * part
      if index.isMultiple(of: 2) {
        ink.fill(SIMD2(start, top), SIMD2(start + part, top + unit / 2), on: &picture)
      } else {
        ink.fill(SIMD2(start, top), SIMD2(start + part, top + line), on: &picture)
        ink.fill(
          SIMD2(start, top + unit / 2 - line), SIMD2(start + part, top + unit / 2), on: &picture)
      }
    }
    // The last part is open: its end is a line within the length.
    ink.fill(
      SIMD2(left + pixels - line, top), SIMD2(left + pixels, top + unit / 2), on: &picture)
    let base = top - unit / 2
    ink.write("0", at: SIMD2(left, base), height: unit, on: &picture)
    let label = Self.text(ofMeters: meters)
    let width = PictureInk.width(of: label, height: unit)
    let start = left + pixels - min(width / 2, pixels / 2)
    ink.write(label, at: SIMD2(start, base), height: unit, on: &picture)
    ink.write(scale, at: SIMD2(start + width + 1.5 * unit, base), height: unit, on: &picture)
  }

  private static func text(ofMeters meters: Double) -> String {
    if meters >= 1000 { return NumberText.trimmed(meters / 1000, digits: 3) + " km" }
    if meters >= 1 { return NumberText.trimmed(meters, digits: 3) + " m" }
    return NumberText.trimmed(meters * 1000, digits: 6) + " mm"
  }
}

extension Background {
  fileprivate var isDark: Bool {
    guard case .color(let color) = self else { return false }
    return Int(color.red) + 2 * Int(color.green) + Int(color.blue) < 4 * 110
  }
}
