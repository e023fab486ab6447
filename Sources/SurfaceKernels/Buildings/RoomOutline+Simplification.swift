import MeshpipeScene
import POSIX

extension RoomOutline {
  /// Sides of at most these lengths, in metres: those nearly in line with the next, and steps between sides in parallel.
  private static let (shortest, lowestStep) = (0.25, 0.13)
  /// The greatest sine between sides that are nearly in line.
  private static let inLine = 0.17

  /// Takes out what noise makes of one side: short sides nearly in line with the next, and small steps.
  mutating func simplify() {
    for loop in loops.indices {
      while let sides = Self.simplified(loops[loop]), sides.count > 2 { loops[loop] = sides }
    }
  }

  /// The sides without one or two of them; nil if all are to stay.
  private static func simplified(_ sides: [Side]) -> [Side]? {
    guard sides.count > 4 else { return nil }
    for index in sides.indices where sides[index].length < shortest {
      let before = (index + sides.count - 1) % sides.count
      let after = (index + 1) % sides.count
      let direction = sides[index].line.direction
      let isInLine = [before, after].contains {
        abs(direction.cross(sides[$0].line.direction)) < inLine
          && direction.dot(sides[$0].line.direction) > 0
      }
      if isInLine {
        if let result = without([index], sides) { return result }
        continue
      }
      guard sides[index].length < lowestStep,
        sides[before].line.direction.dot(sides[after].line.direction) > 0.98
      else { continue }
      let shorter = sides[before].length < sides[after].length ? before : after
      if let result = without([index, shorter], sides) { return result }
    }
    return nil
  }

  /// The other sides, with new corners where those were.
  private static func without(_ gone: Set<Int>, _ sides: [Side]) -> [Side]? {
    var result = sides.indices.filter { !gone.contains($0) }.map { sides[$0] }
    for index in result.indices {
      let before = (index + result.count - 1) % result.count
      guard result[before].to != result[index].from else { continue }
      let (one, other) = (result[before].line, result[index].line)
      let corner = one.crossing(other, leastSine: 0.2)
      guard let corner,
        min((corner - result[index].from).length, (corner - result[before].to).length) < 0.5
      else { return nil }
      result[before].to = corner
      result[index].from = corner
    }
    return result
  }
}
