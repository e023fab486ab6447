import MeshpipeScene
import POSIX
import SurfaceKernels

/// A small copy of a frame's image in logarithmic codes, at most as large as its depth bounds.
///
/// In logarithms a gain is a sum, and one byte per channel is enough: a step is two percent of the
/// light.
struct FrameThumbnail: Sendable {
  let width: Int
  let height: Int
  /// Red, green, blue; the fourth is 1 where the depth map shows something nearer than the mesh.
  private(set) var pixels: [SIMD4<UInt8>]
  /// The least and the greatest codes around blocks of 2 × 2 pixels, within two pixels of the block,
  /// row by row.
  private let ranges: [CodeRange]

  /// Codes for a change of the light by a factor of e.
  static let codesPerUnit: Float = 48
  /// Light added before the logarithm, one percent of white: the noise of dark areas.
  static let darkness: Float = 650

  /// The most pixels along the longer side: enough to distinguish a pole from the wall behind it, and
  /// little memory even for hundreds of frames.
  private static let greatestSide = 320

  /// - Parameter occlusion: The mesh as seen by the frame.
  init(
    _ pyramid: ImagePyramid, imageSize: SIMD2<Float>, _ depthBounds: DepthBounds, depth: DepthMap?
  ) {
    let side = max(depthBounds.width, depthBounds.height, Self.greatestSide)
    width = max(1, depthBounds.width * Self.greatestSide / side)
    height = max(1, depthBounds.height * Self.greatestSide / side)
    let scale = imageSize / SIMD2(Float(width), Float(height))
    var pixels: [SIMD4<UInt8>] = []
    pixels.reserveCapacity(width * height)
    for y in 0..<height {
      for x in 0..<width {
        let light = pyramid.sample((SIMD2(Float(x), Float(y)) + 0.5) * scale, width: scale.x)
        var codes = SIMD4<UInt8>.zero
        for channel in 0..<3 { codes[channel] = Self.codes[Int(light[channel]) >> 4] }
        pixels.append(codes)
      }
    }
    self.pixels = pixels
    ranges = CodeRange.around(pixels, width: width, height: height)
    if let depth { markNearer(depth, than: depthBounds) }
  }

  /// The code of every sixteenth light.
  private static let codes: [UInt8] = (0..<4096).map {
    UInt8((codesPerUnit * log((Float($0) * 16 + 8) / darkness + 1)).rounded())
  }

  /// The least gain whose logarithm is taken: a frame that is a thousand times too bright shows nothing.
  private static let leastGain: Float = 1e-3

  /// The offset of the codes of bright areas that corresponds to a gain.
  static func offset(_ gain: SIMD4<Float>) -> SIMD4<Float> {
    SIMD4(
      log(max(gain.x, leastGain)), log(max(gain.y, leastGain)), log(max(gain.z, leastGain)), 0)
      * codesPerUnit
  }

  /// Something nearer than the mesh by this many millimetres and this share of the depth is an
  /// object; around thin objects depths are unreliable, but colours decide in the end.
  ///
  /// Some times the error of phones' depths (5 to 9 ‰ in the median), so that the rest of a wall is not doubted.
  private static let nearer: Float = 60
  private static let relativelyNearer: Float = 0.03
  /// Depths beyond this many millimetres are not reliable: LiDAR of phones reaches 5 m.
  private static let farthest: Float = 4500

  private mutating func markNearer(_ depth: DepthMap, than depthBounds: DepthBounds) {
    func middle(_ index: Int, of count: Int, among places: Int) -> Int {
      (2 * index + 1) * places / (2 * count)
    }
    for y in 0..<height {
      let row = middle(y, of: height, among: depth.height)
      let mapRow = middle(y, of: height, among: depthBounds.height)
      for x in 0..<width {
        let column = middle(x, of: width, among: depth.width)
        let mapColumn = middle(x, of: width, among: depthBounds.width)
        let measured = depth.meters[row * depth.width + column] * 1000
        let expected = Float(depthBounds.depths[mapRow * depthBounds.width + mapColumn])
        guard measured > 0, expected < Self.farthest,
          measured < expected * (1 - Self.relativelyNearer) - Self.nearer
        else {
          continue
        }
        pixels[y * width + x].w = 1
      }
    }
  }

  /// The codes at a pixel, as numbers, clamped at the border.
  @inline(__always)
  func codes(_ x: Int, _ y: Int) -> SIMD4<Float> {
    let pixel = pixels[min(max(y, 0), height &- 1) &* width &+ min(max(x, 0), width &- 1)]
    return SIMD4<Float>(Float(pixel.x), Float(pixel.y), Float(pixel.z), 0)
  }

  /// The distance of codes from the range of those within two or three pixels; the fourth must be 0.
  ///
  /// - Parameter least: Results below this need not be exact: the pixel alone is compared.
  @inline(__always)
  func residual(_ codes: SIMD4<Float>, _ x: Int, _ y: Int, atLeast least: Float) -> Float {
    let own = self.codes(x, y)
    let residual = Self.beyond(codes, own, own)
    guard residual >= least else { return residual }
    let range = ranges[y / 2 &* ((width &+ 1) / 2) &+ x / 2]
    return Self.beyond(codes, SIMD4<Float>(range.low), SIMD4<Float>(range.high))
  }

  /// The largest distance of a channel from the range of codes.
  @inline(__always)
  private static func beyond(
    _ codes: SIMD4<Float>, _ low: SIMD4<Float>, _ high: SIMD4<Float>
  ) -> Float {
    let (below, above) = (low - codes, codes - high)
    let beyond = below.replacing(with: above, where: above .> below)
    return max(beyond.x, beyond.y, beyond.z, 0)
  }
}

/// The least and the greatest codes of some pixels.
private struct CodeRange: Sendable {
  var low: SIMD4<UInt8>
  var high: SIMD4<UInt8>

  @inline(__always)
  mutating func add(_ other: CodeRange) {
    low = pointwiseMin(low, other.low)
    high = pointwiseMax(high, other.high)
  }

  /// The range of each block of 2 × 2 pixels and the eight blocks around it.
  static func around(_ pixels: [SIMD4<UInt8>], width: Int, height: Int) -> [CodeRange] {
    let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
    var blocks: [CodeRange] = []
    blocks.reserveCapacity(columns * rows)
    for y in stride(from: 0, to: height, by: 2) {
      for x in stride(from: 0, to: width, by: 2) {
        let (right, below) = (min(x + 1, width - 1), min(y + 1, height - 1) * width)
        var range = CodeRange(low: pixels[y * width + x], high: pixels[y * width + x])
        for pixel in [y * width + right, below + x, below + right] {
          range.add(CodeRange(low: pixels[pixel], high: pixels[pixel]))
        }
        blocks.append(range)
      }
    }
    var wide = blocks
    for row in 0..<rows {
      for column in 0..<columns {
        let block = row * columns + column
        if column > 0 { wide[block].add(blocks[block - 1]) }
        if column < columns - 1 { wide[block].add(blocks[block + 1]) }
      }
    }
    var result = wide
    for block in result.indices {
      if block >= columns { result[block].add(wide[block - columns]) }
      if block + columns < wide.count { result[block].add(wide[block + columns]) }
    }
    return result
  }
}
