/// A mipmapped image, for sampling without aliasing.
///
/// Levels are means in linear light.
package struct MipTexture: Sendable {
  private struct Level {
    var width: Int
    var height: Int
    /// The index of its first texel.
    var start: Int
  }

  private let levels: [Level]
  /// Red in the lowest byte, then green and blue; sRGB codes.
  private let texels: [UInt32]
  private let table = SRGBTable.shared

  /// Width and height of the full image, as factors of texture coordinates.
  package let size: SIMD2<Float>

  /// Builds the levels; about 0.2 s for 4096² texels.
  package init(_ image: Image) {
    size = SIMD2(Float(image.width), Float(image.height))
    let table = SRGBTable.shared
    var levels = [Level(width: image.width, height: image.height, start: 0)]
    var parts = [
      Parallel.array(count: image.width * image.height) { index in
        UInt32(image.pixels[3 * index]) | UInt32(image.pixels[3 * index + 1]) << 8
          | UInt32(image.pixels[3 * index + 2]) << 16
      }
    ]
    while let last = levels.last, let texels = parts.last, last.width > 1 || last.height > 1 {
      let half = Level(
        width: max(1, last.width / 2), height: max(1, last.height / 2),
        start: last.start + texels.count)
      parts.append(Self.halved(texels, last, to: half, table))
      levels.append(half)
    }
    self.levels = levels
    texels = Parallel.joined(parts)
  }

  private static func halved(
    _ texels: [UInt32], _ from: Level, to half: Level, _ table: SRGBTable
  ) -> [UInt32] {
    Parallel.array(count: half.width * half.height, chunkSize: 1 << 12) { index in
      let (x, y) = (2 * (index % half.width), 2 * (index / half.width))
      let (right, below) = (min(x + 1, from.width - 1), min(y + 1, from.height - 1))
      var sum = SIMD3<Float>.zero
      for (column, row) in [(x, y), (right, y), (x, below), (right, below)] {
        sum += Self.light(texels[row * from.width + column], table)
      }
      sum *= 0.25
      return UInt32(table.code(sum.x)) | UInt32(table.code(sum.y)) << 8
        | UInt32(table.code(sum.z)) << 16
    }
  }

  private static func light(_ texel: UInt32, _ table: SRGBTable) -> SIMD3<Float> {
    SIMD3(
      table.linear[Int(texel & 255)], table.linear[Int(texel >> 8 & 255)],
      table.linear[Int(texel >> 16 & 255)])
  }

  /// The linear light at a point, interpolated between texels and between levels.
  ///
  /// - Parameters:
  ///   - coordinates: With the origin at the lower left corner; the image repeats outside 0 to 1.
  ///   - texelsPerSample: The number of texels of the full image, along an edge, that the sample
  ///     covers.
  package func sample(_ coordinates: SIMD2<Float>, texelsPerSample: Float) -> SIMD3<Float> {
    let place = SIMD2(Self.wrapped(coordinates.x), 1 - Self.wrapped(coordinates.y))
    guard texelsPerSample > 1, levels.count > 1 else { return sample(place, level: 0) }
    // The logarithm from the number's representation: its exponent, and its fraction taken as
    // linear.
    let exponent = Int(texelsPerSample.exponent)
    guard exponent < levels.count - 1 else { return sample(place, level: levels.count - 1) }
    let fraction = texelsPerSample.significand - 1
    let fine = sample(place, level: exponent)
    return fine + (sample(place, level: exponent + 1) - fine) * fraction
  }

  /// The fractional part of a coordinate; both borders of the image are preserved.
  private static func wrapped(_ value: Float) -> Float {
    if value >= 0, value <= 1 { return value }
    let part = value - value.rounded(.down)
    return part >= 0 ? part : 0
  }

  private func sample(_ place: SIMD2<Float>, level index: Int) -> SIMD3<Float> {
    let level = levels[index]
    let x = place.x * Float(level.width) - 0.5
    let y = place.y * Float(level.height) - 0.5
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let columns = (max(Int(left), 0), min(Int(left) + 1, level.width - 1))
    let rows = (
      level.start + max(Int(top), 0) * level.width,
      level.start + min(Int(top) + 1, level.height - 1) * level.width
    )
    let (across, down) = (x - left, y - top)
    let upper = mix(texels[rows.0 + columns.0], texels[rows.0 + columns.1], across)
    let lower = mix(texels[rows.1 + columns.0], texels[rows.1 + columns.1], across)
    return upper + (lower - upper) * down
  }

  private func mix(_ first: UInt32, _ second: UInt32, _ weight: Float) -> SIMD3<Float> {
    let start = Self.light(first, table)
    return start + (Self.light(second, table) - start) * weight
  }
}
