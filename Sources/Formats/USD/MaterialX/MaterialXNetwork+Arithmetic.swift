import MeshPipeline
import POSIX

/// Nodes that calculate: with numbers alone as they do, with pictures as far as a factor is enough.
extension MaterialXNetwork {
  mutating func mixed(_ node: USDObject, depth: Int) throws -> MaterialXValue? {
    let fore = try value("fg", of: node, depth: depth)
    let back = try value("bg", of: node, depth: depth)
    // What was left out changes nothing.
    if fore == nil, try isConnected("fg", of: node) { return back }
    if back == nil, try isConnected("bg", of: node) { return fore }
    let weight = try value("mix", of: node, depth: depth)
    let isUnknown = try weight == nil && isConnected("mix", of: node)
    guard !isUnknown, case .numbers(let amounts) = weight ?? .numbers([0]) else {
      leaveOut("mix")
      return back ?? fore
    }
    if amounts.allSatisfy({ $0 == 0 }) { return back ?? .numbers([0, 0, 0]) }
    if amounts.allSatisfy({ $0 == 1 }) { return fore ?? .numbers([0, 0, 0]) }
    if case .numbers(let fore) = fore ?? .numbers([0]),
      case .numbers(let back) = back ?? .numbers([0]),
      let most = MaterialXValue.combined(fore, amounts, *),
      let rest = MaterialXValue.combined(back, amounts.map { 1 - $0 }, *),
      let sum = MaterialXValue.combined(most, rest, +)
    {
      return .numbers(sum)
    }
    leaveOut("mix")
    return (amounts.first ?? 0) < 0.5 ? back ?? fore : fore ?? back
  }

  private func isConnected(_ name: String, of node: USDObject) throws -> Bool {
    if case .shader = try shading.input("inputs:" + name, of: node) { return true }
    return false
  }

  mutating func calculated(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> MaterialXValue? {
    // What an input is if nothing says it.
    let neutral: Double = ["multiply", "divide", "power"].contains(category) ? 1 : 0
    let (first, second) = (
      try value("in1", of: node, depth: depth), try value("in2", of: node, depth: depth)
    )
    // What was left out changes nothing.
    if first == nil, try isConnected("in1", of: node) { return second }
    if second == nil, try isConnected("in2", of: node) { return first }
    switch (first ?? .numbers([0]), second ?? .numbers([neutral])) {
    case (.numbers(let left), .numbers(let right)):
      return MaterialXValue.combined(left, right) { Self.result(category, $0, $1) }
        .map { .numbers($0) }
    case (.picture(var picture), .numbers(let numbers)):
      let isProduct = category == "multiply" || category == "divide"
      let factor = category == "divide" ? numbers.map { 1 / $0 } : numbers
      if isProduct, factor.allSatisfy(\.isFinite), picture.multiply(by: factor) {
        return .picture(picture)
      }
      return shifted(picture, category, numbers)
    case (.numbers(let numbers), .picture(var picture)):
      if category == "multiply", picture.multiply(by: numbers) { return .picture(picture) }
      return category == "add"
        ? shifted(picture, category, numbers) : shifted(picture, category, [.nan])
    case (.picture(let picture), .picture):
      leaveOut(category)
      return .picture(picture)
    }
  }

  /// A picture to which numbers are added, which only matters for what is not a direction.
  private mutating func shifted(
    _ picture: MaterialXPicture, _ category: String, _ numbers: [Double]
  ) -> MaterialXValue {
    var picture = picture
    if (category == "add" || category == "subtract") && numbers.allSatisfy(\.isFinite) {
      picture.isShifted = picture.isShifted || numbers.contains { $0 != 0 }
    } else if numbers.contains(where: { $0 != 1 }) || category != "power" {
      leaveOut(category)
    }
    return .picture(picture)
  }

  private static func result(_ category: String, _ left: Double, _ right: Double) -> Double {
    let result: Double =
      switch category {
      case "multiply": left * right
      case "divide": left / right
      case "add": left + right
      case "subtract": left - right
      case "power": pow(left, right)
      case "min": min(left, right)
      default: max(left, right)
      }
    return result.isFinite ? result : 0
  }

  mutating func changed(
    _ category: String, _ node: USDObject, depth: Int
  ) throws -> MaterialXValue? {
    let value = try value("in", of: node, depth: depth)
    guard case .numbers(let numbers) = value else {
      // Pictures are between 0 and 1 anyway.
      if category == "invert" { leaveOut(category) }
      return value
    }
    func parameter(_ name: String, _ standard: Double) throws -> [Double] {
      try self.numbers(name, of: node, depth: depth) ?? [standard]
    }
    let result: [Double]?
    switch category {
    case "invert": result = MaterialXValue.combined(try parameter("amount", 1), numbers, -)
    case "absval": result = numbers.map(abs)
    default:
      let low = MaterialXValue.combined(numbers, try parameter("low", 0)) { max($0, $1) }
      result = try low.flatMap {
        MaterialXValue.combined($0, try parameter("high", 1)) { min($0, $1) }
      }
    }
    return result.map { .numbers($0) }
  }
}
