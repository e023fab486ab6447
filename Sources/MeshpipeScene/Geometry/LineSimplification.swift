extension SIMD where Scalar: BinaryFloatingPoint {
  /// The distance from the segment that goes from a point along a vector to its end.
  @inlinable
  package func distance(fromSegmentAt start: Self, along: Self) -> Scalar {
    let offset = self - start
    let square = (along * along).sum()
    let share = square > 0 ? Swift.min(Swift.max((offset * along).sum() / square, 0), 1) : 0
    let rest: Self = offset - along * share
    return (rest * rest).sum().squareRoot()
  }
}

/// The points between the first and the last of a line that a simpler one needs, in any order: repeatedly the one that is
/// farthest from the segment between two others (Douglas and Peucker 1973).
///
/// - Parameters:
///   - line: The numbers of its points, the first and the last of which stay.
///   - tolerance: The greatest distance of a point that is left out from the segment that replaces it.
///   - point: The point of a number.
/// - Complexity: O(points × log points) usually, and O(points²) at worst.
@inlinable
package func bends<Point: SIMD>(
  of line: ClosedRange<Int>, tolerance: Point.Scalar, point: (Int) -> Point
) -> [Int] where Point.Scalar: BinaryFloatingPoint {
  var found: [Int] = []
  var spans = [line]
  while let span = spans.popLast() {
    guard span.count > 2 else { continue }
    let start = point(span.lowerBound)
    let along = point(span.upperBound) - start
    var (farthest, most) = (-1, tolerance)
    for number in span.dropFirst().dropLast() {
      let distance = point(number).distance(fromSegmentAt: start, along: along)
      if distance > most { (farthest, most) = (number, distance) }
    }
    guard farthest >= 0 else { continue }
    found.append(farthest)
    spans += [span.lowerBound...farthest, farthest...span.upperBound]
  }
  return found
}
