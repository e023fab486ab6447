import MeshPipeline
import POSIX

extension USDStage {
  /// The transform of a prim, and whether it begins a new coordinate system.
  func transform(of prim: USDObject) throws -> (local: Transform, resets: Bool) {
    guard case .texts(let order) = try value("xformOpOrder", of: prim) else {
      return (.identity, false)
    }
    guard order.count <= 1000 else {
      throw fault(prim, "xformOpOrder has \(order.count) operations")
    }
    var result = Transform.identity
    var resets = false
    for name in order {
      if name == "!resetXformStack!" {
        // What comes before it does not count.
        (result, resets) = (.identity, true)
        continue
      }
      let isInverse = name.hasPrefix("!invert!")
      let attribute = isInverse ? String(name.dropFirst("!invert!".count)) : name
      guard let numbers = try numbers(attribute, of: prim) else { continue }
      guard var operation = Self.operation(attribute, numbers) else {
        throw fault(prim, "\(attribute.prefix(60)) is not a transform that USD defines")
      }
      if isInverse {
        guard let inverse = operation.inverse else {
          throw fault(prim, "\(attribute.prefix(60)) has no inverse")
        }
        operation = inverse
      }
      result = result * operation
    }
    return (result, resets)
  }

  /// A token or a string, from an attribute.
  func text(_ name: String, value prim: USDObject) throws -> String? {
    if case .text(let text) = try value(name, of: prim) { return text }
    return nil
  }

  /// A number or several, from an attribute.
  func numbers(_ name: String, of prim: USDObject) throws -> [Double]? {
    if case .numbers(let numbers) = try value(name, of: prim) { return numbers }
    return nil
  }

  private static func operation(_ name: String, _ numbers: [Double]) -> Transform? {
    let parts = name.split(separator: ":")
    guard parts.count >= 2, parts[0] == "xformOp", numbers.allSatisfy(\.isFinite) else {
      return nil
    }
    let kind = parts[1]
    switch (kind, numbers.count) {
    case ("transform", 16): return Transform(rows: numbers)
    case ("translate", 3): return Transform(translation: SIMD3(numbers[0], numbers[1], numbers[2]))
    case ("scale", 3): return Transform(scale: SIMD3(numbers[0], numbers[1], numbers[2]))
    case ("orient", 4):
      return Transform(quaternion: SIMD4(numbers[0], numbers[1], numbers[2], numbers[3]))
    case ("translateX", 1): return Transform(translation: SIMD3(numbers[0], 0, 0))
    case ("translateY", 1): return Transform(translation: SIMD3(0, numbers[0], 0))
    case ("translateZ", 1): return Transform(translation: SIMD3(0, 0, numbers[0]))
    case ("scaleX", 1): return Transform(scale: SIMD3(numbers[0], 1, 1))
    case ("scaleY", 1): return Transform(scale: SIMD3(1, numbers[0], 1))
    case ("scaleZ", 1): return Transform(scale: SIMD3(1, 1, numbers[0]))
    default:
      guard kind.hasPrefix("rotate") else { return nil }
      return rotation(kind.dropFirst("rotate".count), numbers)
    }
  }

  /// Rotations about axes in the order of their letters, the first one first, in degrees.
  private static func rotation(_ axes: Substring, _ degrees: [Double]) -> Transform? {
    let isOne = axes.count == 1 && degrees.count == 1
    guard isOne || axes.count == 3 && degrees.count == 3 else { return nil }
    var result = Transform.identity
    for axis in axes {
      guard let index = ["X", "Y", "Z"].firstIndex(of: axis) else { return nil }
      let angle = degrees[isOne ? 0 : index] * .pi / 180
      let (s, c) = (sin(angle), cos(angle))
      let turn =
        [
          Transform(x: SIMD3(1, 0, 0), y: SIMD3(0, c, s), z: SIMD3(0, -s, c)),
          Transform(x: SIMD3(c, 0, -s), y: SIMD3(0, 1, 0), z: SIMD3(s, 0, c)),
          Transform(x: SIMD3(c, s, 0), y: SIMD3(-s, c, 0), z: SIMD3(0, 0, 1)),
        ][index]
      result = turn * result
    }
    return result
  }
}

extension Transform {
  /// From the rows of a matrix in USD, which multiplies row vectors.
  init(rows m: [Double]) {
    self.init(
      x: SIMD3(m[0], m[1], m[2]), y: SIMD3(m[4], m[5], m[6]), z: SIMD3(m[8], m[9], m[10]),
      translation: SIMD3(m[12], m[13], m[14]))
  }
}
