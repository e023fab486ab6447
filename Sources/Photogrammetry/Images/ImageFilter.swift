/// Filters of images with one value for each pixel, row by row.
enum ImageFilter {
  /// Convolution with (1 2 1) / 4 in both directions, which does not change the border.
  static func smoothed(_ values: [Float], _ width: Int, _ height: Int) -> [Float] {
    guard width > 2, height > 2 else { return values }
    var rows = values
    for y in 0..<height {
      for x in 1..<width - 1 {
        let index = y * width + x
        rows[index] = (values[index - 1] + 2 * values[index] + values[index + 1]) / 4
      }
    }
    var result = rows
    for index in width..<(height - 1) * width {
      result[index] = (rows[index - width] + 2 * rows[index] + rows[index + width]) / 4
    }
    return result
  }

  /// The mean over the part of a square of 2 · `radius` + 1 pixels that is inside the image.
  static func boxMean(
    _ values: [Float], _ width: Int, _ height: Int, radius: Int
  ) -> [Float] {
    /// The inverse of the number of pixels around each one that are inside the image, along one
    /// axis.
    func shares(_ count: Int) -> [Float] {
      (0..<count).map { 1 / Float(min($0 + radius, count - 1) - max($0 - radius, 0) + 1) }
    }
    let (across, down) = (shares(width), shares(height))
    var rows = values
    for start in stride(from: 0, to: values.count, by: width) {
      var sum: Float = 0
      for x in 0..<min(radius, width) { sum += values[start + x] }
      for x in 0..<width {
        if x + radius < width { sum += values[start + x + radius] }
        if x > radius { sum -= values[start + x - radius - 1] }
        rows[start + x] = sum * across[x]
      }
    }
    var result = rows
    var sums = [Float](repeating: 0, count: width)
    for y in 0..<min(radius, height) { for x in 0..<width { sums[x] += rows[y * width + x] } }
    for y in 0..<height {
      if y + radius < height {
        let entering = (y + radius) * width
        for x in 0..<width { sums[x] += rows[entering + x] }
      }
      if y > radius {
        let leaving = (y - radius - 1) * width
        for x in 0..<width { sums[x] -= rows[leaving + x] }
      }
      for x in 0..<width { result[y * width + x] = sums[x] * down[y] }
    }
    return result
  }
}
