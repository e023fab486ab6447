import MeshPipeline

/// What a node of a MaterialX network gives, as far as materials can hold it.
enum MaterialXValue {
  case numbers([Double])
  case picture(MaterialXPicture)

  /// With as many numbers as those of another one, where there is one alone.
  private static func matched(_ numbers: [Double], to count: Int) -> [Double] {
    numbers.count == 1 ? [Double](repeating: numbers[0], count: count) : numbers
  }

  /// The result of an operation for each of two lists of numbers; nil if they do not fit together.
  static func combined(
    _ left: [Double], _ right: [Double], _ operation: (Double, Double) -> Double
  ) -> [Double]? {
    let count = max(left.count, right.count)
    let (left, right) = (matched(left, to: count), matched(right, to: count))
    return left.count == right.count ? zip(left, right).map(operation) : nil
  }

  /// Some of its numbers; nil if there are fewer.
  func selecting(_ places: [Int]) -> MaterialXValue? {
    switch self {
    case .numbers(let numbers):
      guard places.allSatisfy(numbers.indices.contains) else { return nil }
      return .numbers(places.map { numbers[$0] })
    case .picture(var picture):
      guard places.allSatisfy(picture.channels.indices.contains) else { return nil }
      picture.factor = places.map { picture.factor[$0] }
      picture.channels = places.map { picture.channels[$0] }
      return .picture(picture)
    }
  }

  /// As a value of some numbers: one alone is repeated, and opacity is added or left out.
  func resized(to count: Int) -> MaterialXValue {
    switch self {
    case .numbers(let numbers):
      let missing = [Double](repeating: 1, count: max(0, count - numbers.count))
      return .numbers(
        numbers.count == 1
          ? Self.matched(numbers, to: count) : Array((numbers + missing).prefix(count)))
    case .picture(let picture):
      let places =
        picture.channels.count == 1
        ? [Int](repeating: 0, count: count) : Array(picture.channels.indices.prefix(count))
      return selecting(places) ?? self
    }
  }
}

/// Channels of a picture and what they are multiplied by.
struct MaterialXPicture {
  /// The names of its file, the first of which exists, and the layer that they are relative to.
  var files: [String]
  var layer: Int
  /// 0 is red, 1 green, 2 blue and 3 opacity.
  var channels: [Int]
  /// One for each channel.
  var factor: [Double]
  /// What is declared, such as `srgb_texture`.
  var colorSpace: String?
  /// The primvar that it is looked up by, and what happens to it before.
  var coordinates = "st"
  var transform = USDTextureTransform()
  var hasBorders = false
  /// Of a normal map.
  var strength = 1.0
  /// Whether something is added that is left out, unless it is a direction.
  var isShifted = false

  func isSameFile(as other: MaterialXPicture) -> Bool {
    files == other.files && layer == other.layer
  }

  mutating func multiply(by numbers: [Double]) -> Bool {
    guard let factor = MaterialXValue.combined(factor, numbers, *) else { return false }
    if factor.count > channels.count {
      channels = [Int](repeating: channels.first ?? 0, count: factor.count)
    }
    self.factor = factor
    return true
  }
}
