package import MeshpipeScene
import POSIX

/// How alike two coloured models look when both are rendered with the same cameras around the first one.
///
/// Pixels are compared where both models are, by structural similarity (Wang, Bovik, Sheikh and Simoncelli 2004) and by
/// their signal-to-noise ratio.
package struct RenderedDifference: Sendable {
  /// The mean structural similarity of the views: 1 if they are equal.
  package let similarity: Double
  /// The peak signal-to-noise ratio of all views in decibels, at most ``equal``.
  package let peakSignalToNoise: Double

  /// The ratio of views that are equal.
  package static let equal = 100.0

  private static let views = 4
  private static let size = SIMD2(480, 360)
  /// A texture is decoded at about the resolution that such images show.
  private static let largestTexture = 2048

  /// Renders both; nil if no view shows both.
  ///
  /// - Parameter second: In the coordinates of the first.
  /// - Throws: ``EmptyScene``, or what `checkCancellation` throws.
  package init?(
    _ first: Scene, _ second: Scene, checkCancellation: () throws -> Void = {}
  ) throws {
    var style = RenderStyle.photographic
    style.largestTexture = Self.largestTexture
    let one = try SceneRenderer(first, style: style)
    let other = try SceneRenderer(second, style: style)
    var (similarities, squares, compared) = ([Double](), 0.0, 0)
    for camera in one.turntable(from: one.defaultView, count: Self.views, size: Self.size) {
      let pictures = try [one, other].map {
        try $0.picture(from: camera, samples: 1, background: .transparent)
      }
      try checkCancellation()
      let isCompared = zip(pictures[0].coverage, pictures[1].coverage).map { $0 > 0 && $1 > 0 }
      let (own, others) = (pictures[0].image.pixels, pictures[1].image.pixels)
      for (pixel, counts) in isCompared.enumerated() where counts {
        compared += 3
        for channel in 3 * pixel..<3 * pixel + 3 {
          let difference = Double(own[channel]) - Double(others[channel])
          squares += difference * difference
        }
      }
      let similarity = StructuralSimilarity(
        Self.codes(own), Self.codes(others), isCompared, width: Self.size.x)
      if let mean = similarity.mean { similarities.append(mean) }
    }
    guard !similarities.isEmpty, compared > 0 else { return nil }
    similarity = similarities.reduce(0, +) / Double(similarities.count)
    let error = squares / Double(compared)
    peakSignalToNoise =
      error > 0 ? min(10 * log10(255 * 255 / error), Self.equal) : Self.equal
  }

  /// The brightness of pixels, by the weights of ITU-R BT.601.
  private static func codes(_ pixels: [UInt8]) -> [Float] {
    stride(from: 0, to: pixels.count, by: 3).map { start in
      0.299 * Float(pixels[start]) + 0.587 * Float(pixels[start + 1])
        + 0.114 * Float(pixels[start + 2])
    }
  }
}
