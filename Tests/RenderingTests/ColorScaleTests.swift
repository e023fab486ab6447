import MeshPipeline
import Testing

@testable import Rendering

struct ColorScaleTests {
  private static let blue = Color(red: 0, green: 0, blue: 200)
  private static let pale = Color(red: 240, green: 240, blue: 200)
  private static let red = Color(red: 200, green: 0, blue: 0)

  private static func drawn(_ labels: [String]) -> RenderedPicture {
    var picture = RenderedPicture(
      image: Image(width: 400, height: 300, filledWith: (255, 255, 255)),
      coverage: [UInt8](repeating: 0, count: 400 * 300))
    ColorScale(ColorRamp([blue, pale, red]), labels: labels).draw(on: &picture)
    return picture
  }

  private static func color(_ picture: RenderedPicture, _ x: Int, _ y: Int) -> Color {
    let start = 3 * (y * 400 + x)
    let pixels = picture.image.pixels
    return Color(red: pixels[start], green: pixels[start + 1], blue: pixels[start + 2])
  }

  @Test func `the colours go from the bottom to the top`() throws {
    let picture = Self.drawn(["-1 mm", "0", "+1 mm"])
    // Somewhere at the right border; it ends at a fifth of the height from below and from above.
    let column = try #require(
      (200..<400).first { x in
        let color = Self.color(picture, x, 238)
        return color.blue > 180 && color.red < 20
      })
    let levels = (61..<239).map { Self.color(picture, column + 3, $0) }
    #expect(zip(levels, levels.dropFirst()).allSatisfy { $0.red >= $1.red || $1.red > 190 })
    #expect(levels[0].red > 190 && levels[0].blue < 10)
    #expect(abs(Int(levels[89].green) - 240) < 6)
    #expect(levels[177].blue > 190 && levels[177].red < 10)
    #expect(Self.color(picture, column + 3, 50) == Color(red: 255, green: 255, blue: 255))
  }

  @Test func `every letter of the labels is drawn, beside the bar`() {
    func dark(_ labels: [String]) -> Int {
      let picture = Self.drawn(labels)
      return (0..<300).reduce(0) { sum, y in
        sum + (0..<365).count { Self.color(picture, $0, y).green < 128 }
      }
    }
    let bare = dark(["", ""])
    for letter in "0123456789.+-mµ" {
      #expect(dark([String(letter), ""]) > bare, "\(letter)")
    }
  }
}
