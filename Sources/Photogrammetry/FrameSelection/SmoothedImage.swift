import MeshpipeScene
import POSIX

/// A slightly smoothed grayscale image, for measuring edge widths.
struct SmoothedImage: Sendable {
  /// Detail is measured over squares with this radius in pixels: large enough to hold an edge of most subjects, and
  /// small enough to be of one surface, whose slant is the same.
  static let reach = 8
  /// The codes below and above which a pixel is black or blown out: compression moves codes by some
  /// levels.
  private static let clipped: (dark: UInt8, bright: UInt8) = (7, 250)

  let width: Int
  let height: Int
  /// Brightness, 0 to 255, smoothed by 1 2 1 in both directions to remove noise and pixel aliasing.
  let codes: [Float]
  /// The mask of the frame's hidden pixels; nil without one.
  let mask: PixelMask?
  /// The share of pixels that are blown out or black.
  let clippedShare: Double
  /// The mean code, from 0 to 1.
  let brightness: Double

  init(_ image: Image) {
    let grayscale = GrayscaleImage(image)
    (width, height) = (grayscale.width, grayscale.height)
    mask = image.mask
    let visible =
      image.mask.map { mask in
        zip(grayscale.codes, mask.hidden).filter { !$0.1 }.map(\.0)
      } ?? grayscale.codes
    let clipped = visible.count { $0 > Self.clipped.bright || $0 < Self.clipped.dark }
    let count = Double(max(visible.count, 1))
    clippedShare = Double(clipped) / count
    brightness = Double(visible.reduce(0) { $0 + Int($1) }) / (255 * count)
    codes = ImageFilter.smoothed(grayscale.codes.map { Float($0) }, width, height)
  }

  /// The detail around a position, given from 0 to 1 across the image.
  func detail(at position: SIMD2<Float>) -> DirectionalDetail? {
    detail(atColumn: Int(position.x * Float(width)), row: Int(position.y * Float(height)))
  }

  /// The edge widths over the whole image, dominated by strong edges; nil if nothing can be measured, as in an
  /// image smaller than the squares for it.
  func edgeWidths() -> EdgeWidths? {
    let step = 2 * Self.reach
    var details: [DirectionalDetail] = []
    for row in stride(from: step / 2 + 1, to: height, by: step) {
      for column in stride(from: step / 2 + 1, to: width, by: step) {
        if let detail = detail(atColumn: column, row: row) { details.append(detail) }
      }
    }
    guard let all = DirectionalDetail(meanOf: details) else { return nil }
    return EdgeWidths { direction in
      all.squaredWidth(along: direction, leastSlope: DirectionalDetail.leastMeanSlope)
        .map { log2f($0) / 2 }
    }
  }
}
