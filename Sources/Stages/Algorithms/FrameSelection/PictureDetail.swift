import MeshPipeline

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

/// How much fine and how much coarse detail each block of a picture shows, and how it is exposed.
///
/// A blur takes away fine detail and leaves the coarse, so their ratio tells of the blur whatever
/// the contrast of the subject and the exposure.
struct PictureDetail: Sendable {
  /// Width and height of a block in pixels.
  static let block = 8

  /// Blocks in a row, and rows.
  let columns: Int
  let rows: Int
  /// The logarithm to base 2 of fine over coarse detail; NaN where the subject is plain.
  let sharpness: [Float]
  /// The share of pixels that are blown out or black.
  let clippedShare: Double
  /// The mean luma, 0 to 1.
  let brightness: Double

  init(_ image: Image) {
    let luma = Luma(image)
    var clipped = 0
    var sum: Float = 0
    for value in luma.values {
      if value > 250 || value < 7 { clipped += 1 }
      sum += value
    }
    let count = max(luma.values.count, 1)
    clippedShare = Double(clipped) / Double(count)
    brightness = Double(sum) / Double(count) / 255
    columns = max(image.width / Self.block, 1)
    rows = max(image.height / Self.block, 1)
    let fine = luma.fineEnergy(columns: columns, rows: rows)
    let coarse = luma.coarseEnergy(columns: columns, rows: rows)
    // In squares of 8-bit codes: the noise of a sensor lies below a quarter of a code at this scale.
    sharpness = zip(fine, coarse).map { fine, coarse in
      coarse > 4 ? log2f((fine + 0.25) / (coarse + 0.25)) : .nan
    }
  }

  /// The sharpness at a place, given from 0 to 1 across the picture.
  func sharpness(at place: SIMD2<Float>) -> Float {
    let column = min(max(Int(place.x * Float(columns)), 0), columns - 1)
    let row = min(max(Int(place.y * Float(rows)), 0), rows - 1)
    return sharpness[row * columns + column]
  }

  /// The sharpness of the whole picture: the median of its blocks; nil when all are plain.
  var median: Float? {
    let known = sharpness.filter { !$0.isNaN }.sorted()
    return known.isEmpty ? nil : known[known.count / 2]
  }
}

/// A picture in shades of grey, 0 to 255.
private struct Luma {
  let width: Int
  let height: Int
  let values: [Float]

  init(_ image: Image) {
    (width, height) = (image.width, image.height)
    var values: [Float] = []
    values.reserveCapacity(width * height)
    for pixel in 0..<width * height {
      // Rec. 601 times 256, in whole numbers, because this runs over each pixel.
      let sum =
        77 * Int(image.pixels[3 * pixel]) + 150 * Int(image.pixels[3 * pixel + 1])
        + 29 * Int(image.pixels[3 * pixel + 2])
      values.append(Float(sum) / 256)
    }
    self.values = values
  }

  /// The mean square of differences between neighbours, block by block (Roberts' operator).
  func fineEnergy(columns: Int, rows: Int) -> [Float] {
    meanOfBlocks(columns, rows, reach: 1, shift: 0) { place in
      let (a, b) = (values[place], values[place + 1])
      let (c, d) = (values[place + width], values[place + width + 1])
      let (across, down) = (b - a + d - c, c - a + d - b)
      return (across * across + down * down) / 8
    }
  }

  /// The mean square of differences between squares of 4 by 4 pixels that touch, block by block.
  func coarseEnergy(columns: Int, rows: Int) -> [Float] {
    let means = squareMeans()
    return meanOfBlocks(columns, rows, reach: 7, shift: 3) { place in
      let across = means[place + 4] - means[place]
      let down = means[place + 4 * width] - means[place]
      return (across * across + down * down) / 8
    }
  }

  /// The mean of the 4 by 4 pixels to the right of and below each pixel, as far as there are as many.
  private func squareMeans() -> [Float] {
    var sums = values
    for y in 0..<height {
      let start = y * width
      for x in 0..<max(width - 3, 0) {
        let place = start + x
        sums[place] = values[place] + values[place + 1] + values[place + 2] + values[place + 3]
      }
    }
    for place in 0..<max(height - 3, 0) * width {
      // Rows below are not overwritten yet.
      let sum = sums[place] + sums[place + width]
      sums[place] = (sum + sums[place + 2 * width] + sums[place + 3 * width]) / 16
    }
    return sums
  }

  /// - Parameters:
  ///   - reach: How many pixels to the right and below an energy takes in.
  ///   - shift: Where in that square the energy belongs to.
  private func meanOfBlocks(
    _ columns: Int, _ rows: Int, reach: Int, shift: Int, energy: (_ place: Int) -> Float
  ) -> [Float] {
    var sums = [Float](repeating: 0, count: columns * rows)
    var counts = [Float](repeating: 0, count: columns * rows)
    let block = PictureDetail.block
    for y in 0..<max(height - reach, 0) {
      let row = min((y + shift) / block, rows - 1) * columns
      for x in 0..<max(width - reach, 0) {
        let index = row + min((x + shift) / block, columns - 1)
        sums[index] += energy(y * width + x)
        counts[index] += 1
      }
    }
    return zip(sums, counts).map { $1 > 0 ? $0 / $1 : 0 }
  }
}
