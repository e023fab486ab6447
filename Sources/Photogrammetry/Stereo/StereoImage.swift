import MeshpipeScene

/// Brightness of a photograph at one scale, laid out for bilinear sampling.
///
/// Each pixel holds the codes of a square of four, itself and its neighbours to the right and below, so that one load
/// gives all that an interpolation needs.
@safe final class StereoImage: Sendable {
  let size: SIMD2<Int>
  /// The codes of the pixel, its right, lower, and lower right neighbour, from the lowest byte on.
  private let quads: DisjointBuffer<UInt32>
  /// The same, for code that checks its places itself, and that does not outlive the image.
  @unsafe nonisolated(unsafe) let pixels: UnsafePointer<UInt32>
  /// The most pixels of an image: places are counted in single precision.
  static let mostPixels = 8_000_000

  /// - Parameter codes: Row by row from the top left, one for each pixel.
  /// - Precondition: There is a pixel, and at most ``mostPixels``.
  init(_ codes: [UInt8], size: SIMD2<Int>) {
    precondition(size.x > 0 && size.y > 0 && size.x * size.y <= Self.mostPixels)
    self.size = size
    let buffer = UnsafeMutableBufferPointer<UInt32>.allocate(capacity: size.x * size.y)
    quads = unsafe DisjointBuffer(buffer)
    unsafe pixels = UnsafePointer(buffer.baseAddress.unsafelyUnwrapped)
    Parallel.forEachChunk(of: size.y, chunkSize: 64) { [quads] _, rows in
      for y in rows {
        let (row, below) = (y * size.x, min(y + 1, size.y - 1) * size.x)
        for x in 0..<size.x {
          let right = min(x + 1, size.x - 1)
          let upper = UInt32(codes[row + x]) | UInt32(codes[row + right]) << 8
          let lower = UInt32(codes[below + x]) | UInt32(codes[below + right]) << 8
          quads[row + x] = upper | lower << 16
        }
      }
    }
  }

  deinit { unsafe quads.deallocate() }
}

/// Brightness of a photograph at several scales, each half as wide as the one before.
struct StereoPyramid: Sendable {
  /// From the finest to the coarsest.
  private(set) var levels: [(size: SIMD2<Int>, codes: [UInt8])]

  /// - Parameter count: The number of scales.
  init(_ codes: [UInt8], size: SIMD2<Int>, count: Int) {
    levels = [(size, codes)]
    for _ in 1..<max(1, count) {
      let (fineSize, fine) = levels[levels.count - 1]
      let size = fineSize / 2
      guard size.x > 0, size.y > 0 else { return }
      var coarse = [UInt8](repeating: 0, count: size.x * size.y)
      for y in 0..<size.y {
        for x in 0..<size.x {
          let index = 2 * y * fineSize.x + 2 * x
          let sum =
            UInt32(fine[index]) + UInt32(fine[index + 1]) + UInt32(fine[index + fineSize.x])
            + UInt32(fine[index + fineSize.x + 1])
          coarse[y * size.x + x] = UInt8((sum + 2) / 4)
        }
      }
      levels.append((size, coarse))
    }
  }

  func image(_ level: Int) -> StereoImage {
    StereoImage(levels[level].codes, size: levels[level].size)
  }
}
