/// A mipmapped image, for sampling without aliasing.
///
/// Levels are means in linear light, of data those of the values.
package struct MipTexture: Sendable {
  /// What the codes of an image are.
  package enum Kind: Sendable {
    /// Light in sRGB.
    case color
    /// The same with opacity, which weighs colours: what can't be seen gives none to what can.
    case colorWithOpacity
    /// Numbers from 0 to 1. Both codes next to the middle are the middle, as 0 in a map of directions has no code of its
    /// own.
    case data
  }

  struct Level {
    var width: Int
    var height: Int
    /// The index of its first texel.
    var start: Int
  }

  let kind: Kind
  let levels: [Level]
  /// Red in the lowest byte, then green, blue and opacity.
  let texels: [UInt32]
  /// The values of codes.
  let values: [Float]

  /// Width and height of the full image, as factors of texture coordinates.
  package let size: SIMD2<Float>

  /// Builds the levels; about 0.2 s for 4096² texels.
  ///
  /// - Parameter kind: Without opacity, of which an image has none.
  package init(_ image: Image, as kind: Kind = .color) {
    let texels = Parallel.array(count: image.width * image.height) { index in
      UInt32(image.pixels[3 * index]) | UInt32(image.pixels[3 * index + 1]) << 8
        | UInt32(image.pixels[3 * index + 2]) << 16 | 255 << 24
    }
    self.init(texels, width: image.width, height: image.height, kind)
  }

  /// Builds the levels of an image with opacity.
  ///
  /// - Parameter pixels: Red, green, blue in sRGB, and opacity, row by row from the top left.
  package init(pixels: [SIMD4<UInt8>], size: SIMD2<Int>) {
    let texels = Parallel.array(count: pixels.count) { index in
      let pixel = pixels[index]
      return UInt32(pixel.x) | UInt32(pixel.y) << 8 | UInt32(pixel.z) << 16 | UInt32(pixel.w) << 24
    }
    self.init(texels, width: size.x, height: size.y, .colorWithOpacity)
  }

  private init(_ texels: [UInt32], width: Int, height: Int, _ kind: Kind) {
    self.kind = kind
    size = SIMD2(Float(width), Float(height))
    values = kind == .data ? Self.numbers : SRGBTable.shared.linear
    var levels = [Level(width: width, height: height, start: 0)]
    var parts = [texels]
    while let last = levels.last, let texels = parts.last, last.width > 1 || last.height > 1 {
      let half = Level(
        width: max(1, last.width / 2), height: max(1, last.height / 2),
        start: last.start + texels.count)
      parts.append(Self.halved(texels, from: last, to: half, kind: kind, values: values))
      levels.append(half)
    }
    self.levels = levels
    self.texels = Parallel.joined(parts)
  }

  /// The numbers of codes of data.
  private static let numbers = (0..<256).map { $0 == 127 || $0 == 128 ? 0.5 : Float($0) / 255 }

  /// The numbers of the first three codes of a pixel, as in textures of the kind ``Kind/data``.
  package static func numbers(of pixel: SIMD4<UInt8>) -> SIMD3<Float> {
    SIMD3(numbers[Int(pixel.x)], numbers[Int(pixel.y)], numbers[Int(pixel.z)])
  }

  private static func halved(
    _ texels: [UInt32], from: Level, to half: Level, kind: Kind, values: [Float]
  ) -> [UInt32] {
    let table = SRGBTable.shared
    return Parallel.array(count: half.width * half.height, chunkSize: 1 << 12) { index in
      let (x, y) = (2 * (index % half.width), 2 * (index / half.width))
      let (right, below) = (min(x + 1, from.width - 1), min(y + 1, from.height - 1))
      if kind == .colorWithOpacity {
        var mean = Weighed()
        for (column, row) in [(x, y), (right, y), (x, below), (right, below)] {
          mean = mean + Weighed(texels[row * from.width + column], values) * 0.25
        }
        return code(mean.color, table) | UInt32((mean.opacity * 255).rounded()) << 24
      }
      var mean = SIMD3<Float>.zero
      for (column, row) in [(x, y), (right, y), (x, below), (right, below)] {
        mean += value(texels[row * from.width + column], values)
      }
      mean *= 0.25
      guard kind == .data else { return code(mean, table) | 255 << 24 }
      let codes = SIMD3<UInt32>((mean * 255).rounded(.toNearestOrAwayFromZero))
      return codes.x | codes.y << 8 | codes.z << 16 | 255 << 24
    }
  }

  private static func code(_ light: SIMD3<Float>, _ table: SRGBTable) -> UInt32 {
    UInt32(table.code(light.x)) | UInt32(table.code(light.y)) << 8
      | UInt32(table.code(light.z)) << 16
  }

  static func value(_ texel: UInt32, _ values: [Float]) -> SIMD3<Float> {
    SIMD3(
      values[Int(texel & 255)], values[Int(texel >> 8 & 255)], values[Int(texel >> 16 & 255)])
  }

  /// The linear light or the data at a point, interpolated between texels and between levels.
  ///
  /// - Parameters:
  ///   - coordinates: With the origin at the lower left corner; the image repeats outside 0 to 1.
  ///   - texelsPerSample: The number of texels of the full image, along an edge, that the sample
  ///     covers.
  package func sample(_ coordinates: SIMD2<Float>, texelsPerSample: Float) -> SIMD3<Float> {
    if kind == .colorWithOpacity {
      return weighed(coordinates, texelsPerSample: texelsPerSample).color
    }
    let position = SIMD2(Self.wrapped(coordinates.x), 1 - Self.wrapped(coordinates.y))
    guard texelsPerSample > 1, levels.count > 1 else { return sample(position, level: 0) }
    // The logarithm from the number's representation: its exponent, and its fraction taken as
    // linear.
    let exponent = Int(texelsPerSample.exponent)
    guard exponent < levels.count - 1 else { return sample(position, level: levels.count - 1) }
    let fraction = texelsPerSample.significand - 1
    let fine = sample(position, level: exponent)
    return fine + (sample(position, level: exponent + 1) - fine) * fraction
  }

  /// The fractional part of a coordinate; both borders of the image are preserved.
  static func wrapped(_ value: Float) -> Float {
    if value >= 0, value <= 1 { return value }
    let part = value - value.rounded(.down)
    return part >= 0 ? part : 0
  }

  private func sample(_ position: SIMD2<Float>, level index: Int) -> SIMD3<Float> {
    let square = square(around: position, level: index)
    let upper = mix(square.upperLeft, square.upperRight, square.share.x)
    let lower = mix(square.lowerLeft, square.lowerRight, square.share.x)
    return upper + (lower - upper) * square.share.y
  }

  private func mix(_ first: UInt32, _ second: UInt32, _ weight: Float) -> SIMD3<Float> {
    let start = Self.value(first, values)
    return start + (Self.value(second, values) - start) * weight
  }

  /// The four texels around a point, and where it is between them.
  struct Square {
    var upperLeft: UInt32
    var upperRight: UInt32
    var lowerLeft: UInt32
    var lowerRight: UInt32
    /// Of the right and of the lower ones.
    var share: SIMD2<Float>
  }

  @inline(__always)
  func square(around position: SIMD2<Float>, level index: Int) -> Square {
    let level = levels[index]
    let x = position.x * Float(level.width) - 0.5
    let y = position.y * Float(level.height) - 0.5
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let columns = (max(Int(left), 0), min(Int(left) + 1, level.width - 1))
    let rows = (
      level.start + max(Int(top), 0) * level.width,
      level.start + min(Int(top) + 1, level.height - 1) * level.width
    )
    return Square(
      upperLeft: texels[rows.0 + columns.0], upperRight: texels[rows.0 + columns.1],
      lowerLeft: texels[rows.1 + columns.0], lowerRight: texels[rows.1 + columns.1],
      share: SIMD2(x - left, y - top))
  }
}
