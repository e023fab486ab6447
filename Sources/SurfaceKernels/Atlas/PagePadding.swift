import MeshpipeScene

/// Fills unused texels of a page, so that filtering and mip levels show no seams.
package enum PagePadding {
  private typealias Channel = FixedWidthInteger & UnsignedInteger & Sendable

  /// Width and height of the blocks filled with one colour beyond the rings, in texels.
  private static let blockSize = 8

  /// Fills all texels around covered ones.
  ///
  /// The first rings around each chart are averages of their neighbours (so that bilinear filtering
  /// is correct up to a chart's border); other texels get the mean colour of the smallest
  /// surrounding block of 8, 16, 32… texels with covered ones, from which mip levels are made.
  ///
  /// - Parameters:
  ///   - pixels: Three bytes per texel, row by row from the top left.
  ///   - covered: The texels that already have a colour; if there are none, nothing happens.
  ///   - rings: The number of rings around charts before the blocks; at least half of the padding.
  package static func fill(_ pixels: inout [UInt8], covered: TexelMap, rings: Int = 4) {
    fillAll(&pixels, covered, rings)
  }

  /// Fills all texels around covered ones, with 16 bits per channel.
  package static func fill(_ pixels: inout [UInt16], covered: TexelMap, rings: Int = 4) {
    fillAll(&pixels, covered, rings)
  }

  private static func fillAll<Code: Channel>(
    _ pixels: inout [Code], _ covered: TexelMap, _ rings: Int
  ) {
    precondition(pixels.count == 3 * covered.width * covered.height, "three channels a texel")
    var covered = covered
    for _ in 0..<rings { addRing(&pixels, &covered) }
    fillBlocks(&pixels, covered)
  }

  /// Gives each free texel next to covered ones their mean.
  private static func addRing<Code: Channel>(_ pixels: inout [Code], _ covered: inout TexelMap) {
    let old = covered
    for row in 0..<old.height {
      for word in 0..<old.wordsPerRow {
        var bits = border(old, row: row, word: word)
        guard bits != 0 else { continue }
        covered.take(row: row, word: word, bits: bits)
        while bits != 0 {
          paint(&pixels, old, x: word * 64 + bits.trailingZeroBitCount, y: row)
          bits &= bits - 1
        }
      }
    }
  }

  /// The free texels of a word that have a covered neighbour.
  private static func border(_ map: TexelMap, row: Int, word: Int) -> UInt64 {
    func column(_ word: Int) -> UInt64 {
      map.word(word, row: row - 1) | map.word(word, row: row) | map.word(word, row: row + 1)
    }
    let own = map.word(word, row: row)
    guard own != .max else { return 0 }
    let middle = column(word)
    var near = middle | middle << 1 | middle >> 1
    near |= column(word - 1) >> 63 | column(word + 1) << 63
    let columns = map.width - word * 64
    let inside = columns >= 64 ? UInt64.max : (1 << UInt64(columns)) - 1
    return near & ~own & inside
  }

  private static func paint<Code: Channel>(_ pixels: inout [Code], _ map: TexelMap, x: Int, y: Int)
  {
    var sum = SIMD4<Int32>.zero
    for row in max(0, y - 1)...min(map.height - 1, y + 1) {
      for column in max(0, x - 1)...min(map.width - 1, x + 1) where map[column, row] {
        let pixel = 3 * (row * map.width + column)
        sum &+= SIMD4(
          Int32(pixels[pixel]), Int32(pixels[pixel + 1]), Int32(pixels[pixel + 2]), 1)
      }
    }
    guard sum.w > 0 else { return }
    let pixel = 3 * (y * map.width + x)
    for channel in 0..<3 {
      pixels[pixel + channel] = Code(truncatingIfNeeded: (sum[channel] + sum.w / 2) / sum.w)
    }
  }

  // MARK: - Blocks

  /// Mean colours of blocks; the weight is 0 for an empty block.
  private struct Level {
    var width: Int
    var height: Int
    var means: [SIMD4<Float>]
  }

  private static func fillBlocks<Code: Channel>(_ pixels: inout [Code], _ covered: TexelMap) {
    var levels = [firstLevel(pixels, covered)]
    while let last = levels.last, last.width > 1 || last.height > 1 {
      levels.append(coarser(last))
    }
    for index in levels.indices.dropLast().reversed() {
      let parent = levels[index + 1]
      for block in levels[index].means.indices where levels[index].means[block].w == 0 {
        let (x, y) = (block % levels[index].width / 2, block / levels[index].width / 2)
        levels[index].means[block] = parent.means[y * parent.width + x]
      }
    }
    let colors = levels[0]
    guard colors.means.first?.w ?? 0 > 0 else { return }
    for row in 0..<covered.height {
      for word in 0..<covered.wordsPerRow {
        let columns = min(64, covered.width - word * 64)
        let inside = columns == 64 ? UInt64.max : (1 << UInt64(columns)) - 1
        var bits = ~covered.word(word, row: row) & inside
        while bits != 0 {
          let column = word * 64 + bits.trailingZeroBitCount
          let mean = colors.means[row / blockSize * colors.width + column / blockSize]
          let pixel = 3 * (row * covered.width + column)
          for channel in 0..<3 { pixels[pixel + channel] = Code(mean[channel] + 0.5) }
          bits &= bits - 1
        }
      }
    }
  }

  private static func firstLevel<Code: Channel>(_ pixels: [Code], _ covered: TexelMap) -> Level {
    let width = (covered.width + blockSize - 1) / blockSize
    let height = (covered.height + blockSize - 1) / blockSize
    let means: [SIMD4<Float>] = Parallel.array(count: width * height) { block in
      let (left, top) = (block % width * blockSize, block / width * blockSize)
      var sum = SIMD4<Int32>.zero
      for row in top..<min(top + blockSize, covered.height) {
        var bits = covered.word(left / 64, row: row) >> UInt64(left % 64) & 0xFF
        while bits != 0 {
          let pixel = 3 * (row * covered.width + left + bits.trailingZeroBitCount)
          sum &+= SIMD4(
            Int32(pixels[pixel]), Int32(pixels[pixel + 1]), Int32(pixels[pixel + 2]), 1)
          bits &= bits - 1
        }
      }
      return mean(SIMD4<Float>(sum))
    }
    return Level(width: width, height: height, means: means)
  }

  private static func coarser(_ level: Level) -> Level {
    let (width, height) = ((level.width + 1) / 2, (level.height + 1) / 2)
    let means: [SIMD4<Float>] = Parallel.array(count: width * height) { block in
      var sum = SIMD4<Float>.zero
      for y in 2 * (block / width)..<min(2 * (block / width) + 2, level.height) {
        for x in 2 * (block % width)..<min(2 * (block % width) + 2, level.width) {
          sum += level.means[y * level.width + x]
        }
      }
      return mean(sum)
    }
    return Level(width: width, height: height, means: means)
  }

  /// A sum of colours, with their number in the last component.
  private static func mean(_ sum: SIMD4<Float>) -> SIMD4<Float> {
    sum.w > 0 ? SIMD4(sum.x / sum.w, sum.y / sum.w, sum.z / sum.w, 1) : .zero
  }
}
