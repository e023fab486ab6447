extension MipTexture {
  /// A mean of light, weighted by opacity.
  struct Weighed {
    /// Weighted light, and the sum of the weights.
    private var light = SIMD4<Float>.zero
    /// The mean opacity.
    var opacity: Float = 0

    /// The weight of fully transparent texels, whose colour counts only among themselves.
    private static let transparentWeight: Float = 1e-4

    init() {}

    init(_ texel: UInt32, _ values: [Float]) {
      opacity = Float(texel >> 24) / 255
      let weight = max(opacity, Self.transparentWeight)
      light = SIMD4(MipTexture.value(texel, values) * weight, weight)
    }

    var color: SIMD3<Float> {
      SIMD3(light.x, light.y, light.z) / max(light.w, .leastNormalMagnitude)
    }

    static func + (first: Weighed, second: Weighed) -> Weighed {
      var sum = first
      sum.light += second.light
      sum.opacity += second.opacity
      return sum
    }

    static func * (mean: Weighed, share: Float) -> Weighed {
      var part = mean
      part.light *= share
      part.opacity *= share
      return part
    }
  }

  /// The opacity at a point, from 0 to 1; 1 for a texture without.
  ///
  /// The parameters are those of ``sample(_:texelsPerSample:)``.
  package func opacity(_ coordinates: SIMD2<Float>, texelsPerSample: Float) -> Float {
    guard kind == .colorWithOpacity else { return 1 }
    return weighed(coordinates, texelsPerSample: texelsPerSample).opacity
  }

  func weighed(_ coordinates: SIMD2<Float>, texelsPerSample: Float) -> Weighed {
    let position = SIMD2(Self.wrapped(coordinates.x), 1 - Self.wrapped(coordinates.y))
    guard texelsPerSample > 1, levels.count > 1 else { return weighed(position, level: 0) }
    let exponent = Int(texelsPerSample.exponent)
    guard exponent < levels.count - 1 else { return weighed(position, level: levels.count - 1) }
    let fraction = texelsPerSample.significand - 1
    return weighed(position, level: exponent) * (1 - fraction)
      + weighed(position, level: exponent + 1) * fraction
  }

  private func weighed(_ position: SIMD2<Float>, level: Int) -> Weighed {
    let square = square(around: position, level: level)
    let (right, below) = (square.share.x, square.share.y)
    let upper =
      Weighed(square.upperLeft, values) * (1 - right) + Weighed(square.upperRight, values) * right
    let lower =
      Weighed(square.lowerLeft, values) * (1 - right) + Weighed(square.lowerRight, values) * right
    return upper * (1 - below) + lower * below
  }
}
