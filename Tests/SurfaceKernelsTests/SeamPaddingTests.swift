import MeshPipeline
import Testing

@testable import SurfaceKernels

/// Texels outside charts show what lies there on the surface, by ``SeamPadding``.
struct SeamPaddingTests {
  /// A rectangle of 20 × 10 texels in two halves, which lie apart on the page, the right one turned by a
  /// quarter and neither on whole texels.
  private static let indices: [UInt32] = [0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4]
  private static let atlas: Atlas = {
    func left(_ x: Double, _ y: Double) -> SIMD2<Double> { SIMD2(5.3 + x, 8.6 + y) }
    func right(_ x: Double, _ y: Double) -> SIMD2<Double> { SIMD2(31.8 - y, 6.2 + x - 10) }
    let corners = [
      left(0, 0), left(10, 0), left(10, 10), left(0, 0), left(10, 10), left(0, 10),
      right(10, 0), right(20, 0), right(20, 10), right(10, 0), right(20, 10), right(10, 10),
    ]
    return Atlas(
      pages: [SIMD2(40, 24)],
      cornerTexels: corners.map { SIMD2<Int32>(($0 * 256).rounded(.toNearestOrEven)) },
      facePages: [0, 0, 0, 0], faceCharts: [0, 0, 1, 1], chartCount: 2, texelsPerUnit: 1,
      usedShare: 0.2)
  }()

  /// The colour of a place of the rectangle: a ramp in each direction, of several codes a texel.
  private static func color(_ place: SIMD2<Float>) -> SIMD3<Float> {
    SIMD3(20 + 9 * place.x, 220 - 6 * place.x - 5 * place.y, 30 + 12 * place.y)
  }

  private static let places: [SIMD2<Float>] = [
    SIMD2(0, 0), SIMD2(10, 0), SIMD2(20, 0), SIMD2(0, 10), SIMD2(10, 10), SIMD2(20, 10),
  ]

  /// The page with each texel of a face as the rectangle has it, and rings around the charts.
  private static func page() -> Image {
    var page = Image(width: 40, height: 24, pixels: [UInt8](repeating: 0, count: 3 * 40 * 24))
    for face in 0..<4 {
      atlas.forEachSpan(ofFace: face) { span in
        for column in span.columns {
          let weights = span.weights(atColumn: column)
          var place = SIMD2<Float>.zero
          for corner in 0..<3 { place += places[Int(indices[3 * face + corner])] * weights[corner] }
          for channel in 0..<3 {
            page.pixels[3 * (span.row * 40 + column) + channel] =
              UInt8(color(place)[channel].rounded())
          }
        }
      }
    }
    PagePadding.fill(&page.pixels, covered: atlas.coverage(ofPage: 0), rings: 2)
    return page
  }

  /// The largest difference to the ramp along the edge between the charts, as either chart shows it.
  private func error(_ page: Image) -> Float {
    var largest: Float = 0
    // At its ends lies nothing of the rectangle on the other side.
    for step in 10...90 {
      let y = Float(step) / 10
      let expected = Self.color(SIMD2(10, y))
      for place in [SIMD2<Float>(15.3, 8.6 + y), SIMD2<Float>(31.8 - y, 6.2)] {
        let corner = place - 0.5
        let (column, row) = (Int(corner.x), Int(corner.y))
        let (u, v) = (corner.x - Float(column), corner.y - Float(row))
        for channel in 0..<3 {
          func code(_ x: Int, _ y: Int) -> Float {
            Float(page.pixels[3 * ((row + y) * 40 + column + x) + channel])
          }
          let top = code(0, 0) * (1 - u) + code(1, 0) * u
          let bottom = code(0, 1) * (1 - u) + code(1, 1) * u
          largest = max(largest, abs(top * (1 - v) + bottom * v - expected[channel]))
        }
      }
    }
    return largest
  }

  @Test("Both charts at a border show what is there, as if there were none")
  func border() {
    var pages = [Self.page()]
    // Half a texel of the ramp is missing on either side.
    #expect(error(pages[0]) > 3)
    SeamPadding(Self.atlas, [Self.atlas.coverage(ofPage: 0)], indices: Self.indices, vertexCount: 6)
      .fill(&pages)
    // Rounding of codes, also of those that padding is made of.
    #expect(error(pages[0]) < 1.3)
  }

  @Test("Texels of charts stay as they are, and without seams all do")
  func charts() {
    let before = Self.page()
    var pages = [before]
    SeamPadding(Self.atlas, [Self.atlas.coverage(ofPage: 0)], indices: Self.indices, vertexCount: 6)
      .fill(&pages)
    let covered = Self.atlas.coverage(ofPage: 0)
    var changed = 0
    for y in 0..<24 {
      for x in 0..<40 {
        let pixel = 3 * (y * 40 + x)
        let isSame = before.pixels[pixel..<pixel + 3] == pages[0].pixels[pixel..<pixel + 3]
        if covered[x, y] { #expect(isSame) }
        if !isSame { changed += 1 }
      }
    }
    #expect(changed >= 20)
    // The right half's faces no longer share vertices with the left one's.
    let apart: [UInt32] = [0, 1, 4, 0, 4, 3, 6, 2, 5, 6, 5, 7]
    var others = [before]
    SeamPadding(Self.atlas, [Self.atlas.coverage(ofPage: 0)], indices: apart, vertexCount: 8).fill(
      &others)
    #expect(others[0].pixels == before.pixels)
  }
}
