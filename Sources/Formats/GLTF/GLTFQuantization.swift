import MeshPipeline

/// The grid to which all positions of a file are rounded.
///
/// It is one for the whole file, so that surfaces that meet still do. Its step is a power of two and its origin a
/// multiple of the step: positions read from the file are exactly on the grid, and are not moved again when written again.
struct GLTFPositionGrid: Sendable {
  let origin: SIMD3<Double>
  let step: Double
  /// The fewest that can count the steps.
  let bits: Int

  /// Why there is no grid.
  enum Fault: Error {
    /// The box has no extent.
    case flat
    case tooFewBits
    /// Floats can't hold whole steps where the box is.
    case tooFar
  }

  /// A grid around a box.
  ///
  /// - Parameters:
  ///   - largestStep: In the units of the box.
  ///   - isCoarse: Whether to take as few bits as that allows, though 14 for the largest extent; otherwise all.
  ///   - mostBits: Up to 24. With more than 16, the origin and all points are exact in floats.
  init(
    around box: Box, largestStep: Double, isCoarse: Bool, mostBits: Int
  ) throws(Fault) {
    let extent = Double(box.size.max())
    guard extent > 0 else { throw .flat }
    guard extent.isFinite else { throw .tooFewBits }
    // The origin may be a step below the box.
    var step = Self.powerOfTwo(atLeast: extent / Double(1 << mostBits - 2))
    guard step <= largestStep else { throw .tooFewBits }
    if isCoarse {
      step = max(step, Self.powerOfTwo(atMost: min(largestStep, extent / 8192)))
    }
    origin = (SIMD3<Double>(box.minimum) / step).rounded(.down) * step
    self.step = step
    bits = Self.bits(counting: extent / step + 1)
    // Whole numbers up to 24 bits, all of which floats hold.
    let farthest = max(-origin.min(), origin.max() + step * Double(1 << bits))
    guard mostBits <= 16 || farthest <= step * 0x1p24 else { throw .tooFar }
  }

  /// The fewest bits of a number that is not less.
  static func bits(counting steps: Double) -> Int {
    var bits = 1
    while Double(1 << bits - 1) < steps, bits < 62 { bits += 1 }
    return bits
  }

  private static func powerOfTwo(atMost value: Double) -> Double {
    Double(sign: .plus, exponent: value.exponent, significand: 1)
  }

  private static func powerOfTwo(atLeast value: Double) -> Double {
    let below = powerOfTwo(atMost: value)
    return below < value ? 2 * below : below
  }

  /// The nearest point of the grid, as steps from the origin.
  @inline(__always)
  func element(at position: SIMD3<Float>) -> SIMD3<UInt16> {
    let steps = ((SIMD3<Double>(position) - origin) / step).rounded(.toNearestOrEven)
    return SIMD3(Self.clamped(steps.x), Self.clamped(steps.y), Self.clamped(steps.z))
  }

  @inline(__always)
  private static func clamped(_ steps: Double) -> UInt16 { UInt16(min(max(steps, 0), 65_535)) }
}

/// The grid to which the texture coordinates of a file are rounded; `KHR_texture_transform` undoes it.
struct GLTFTextureGrid: Sendable {
  let origin: SIMD2<Double>
  /// A power of two.
  let step: Double
  /// The fewest that can count the steps.
  let bits: Int

  /// A grid with two steps per texel, though at least 4096 for an image.
  ///
  /// - Parameters:
  ///   - range: The texture coordinates, from the upper left corner.
  ///   - texels: The pixels of the largest image along its longer side.
  /// - Returns: Nil if the bits are too few.
  init?(_ range: Range, texels: Int, mostBits: Int = 16) {
    var bitsOfImage = 12
    while bitsOfImage < 16, 1 << bitsOfImage < 2 * texels { bitsOfImage += 1 }
    let count = Double(1 << bitsOfImage)
    // Images repeat, so that whole numbers of them change nothing.
    origin = SIMD2<Double>(range.low).rounded(.down)
    step = 1 / count
    bits = GLTFPositionGrid.bits(counting: ((SIMD2<Double>(range.high) - origin) * count).max())
    let farthest = max(-origin.min(), origin.max() + step * Double(1 << bits))
    guard bits <= mostBits, mostBits <= 16 || farthest <= step * 0x1p24 else { return nil }
  }

  /// The least and greatest coordinates.
  struct Range: Sendable {
    var low = SIMD2<Float>(repeating: .infinity)
    var high = SIMD2<Float>(repeating: -.infinity)

    mutating func add(_ position: SIMD2<Float>) {
      low = pointwiseMin(low, position)
      high = pointwiseMax(high, position)
    }

    /// Whether they are all from 0 to 1.
    var isUnit: Bool { low.min() >= 0 && high.max() <= 1 }
  }

  @inline(__always)
  func element(at position: Vector2) -> SIMD2<UInt16> {
    let steps = ((SIMD2(Double(position.x), Double(position.y)) - origin) / step)
      .rounded(.toNearestOrEven)
    return SIMD2(UInt16(min(max(steps.x, 0), 65_535)), UInt16(min(max(steps.y, 0), 65_535)))
  }
}

/// How the attributes of a mesh are stored as integers.
struct GLTFQuantization: Sendable {
  enum Coordinates: Sendable {
    case floats
    /// Sixteen bits from 0 to 1.
    case fractions
    case grid(GLTFTextureGrid)
  }

  /// Nil if positions stay floats.
  var positions: GLTFPositionGrid?
  var textureCoordinates = Coordinates.floats
  var secondTextureCoordinates = Coordinates.floats
  /// Whether normals and tangents have bytes for their components.
  var hasByteDirections = true

  /// The form of an attribute; nil for one that is stored as it is.
  func form(of attribute: GLTFAttribute) -> GLTFAttributeForm? {
    switch attribute {
    case .position:
      positions.map { _ in
        GLTFAttributeForm(name: "POSITION", componentType: .unsignedShort, width: 3)
      }
    case .normal where !hasByteDirections, .tangent where !hasByteDirections: nil
    case .normal:
      GLTFAttributeForm(name: "NORMAL", componentType: .byte, width: 3, isNormalized: true)
    case .tangent:
      GLTFAttributeForm(name: "TANGENT", componentType: .byte, width: 4, isNormalized: true)
    case .textureCoordinates: Self.form(of: textureCoordinates, "TEXCOORD_0")
    case .secondTextureCoordinates: Self.form(of: secondTextureCoordinates, "TEXCOORD_1")
    case .color:
      GLTFAttributeForm(name: "COLOR_0", componentType: .unsignedByte, width: 4, isNormalized: true)
    case .confidence, .label, .custom: nil
    }
  }

  private static func form(of coordinates: Coordinates, _ name: String) -> GLTFAttributeForm? {
    switch coordinates {
    case .floats: nil
    case .fractions:
      GLTFAttributeForm(name: name, componentType: .unsignedShort, width: 2, isNormalized: true)
    case .grid: GLTFAttributeForm(name: name, componentType: .unsignedShort, width: 2)
    }
  }
}
