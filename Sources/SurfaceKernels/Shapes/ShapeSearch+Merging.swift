import MeshpipeScene

extension ShapeSearch {
  /// The samples of a shape that are tried on another one, and the share that must fit.
  private static let (mergeTrial, mergeShare) = (500, 0.8)
  /// The tolerance of a try over that of samples: each of the two shapes is off by some.
  private static let mergeTolerance = 1.5

  /// Parts of a plane are not farther from each other than this share of the larger one's longest side: a wall goes on
  /// beside a door, but tables of a height are two.
  private static let greatestGap = 0.5

  /// The heaviest shapes, of which each is compared with the others, and how often.
  private static let (mostMerged, mergeRounds) = (1000, 4)

  /// Joins shapes of a kind whose samples are on one shape and near each other, which is fitted to all of them; the heaviest first.
  ///
  /// - Parameter facing: Whether normals have a side, which must be the same.
  static func merged(
    _ found: [Found], _ samples: ShapeSamples, _ tolerance: ShapeTolerance, facing: Bool
  ) -> [Found] {
    let order = found.indices.sorted { (found[$1].weight, $0) < (found[$0].weight, $1) }
    var large = order.prefix(mostMerged).map { found[$0] }
    // A part may be near a shape only after others joined it.
    for _ in 0..<mergeRounds {
      let count = large.count
      large = mergedOnce(large, samples, tolerance, facing: facing)
      if large.count == count { break }
    }
    return large + order.dropFirst(mostMerged).map { found[$0] }
  }

  /// - Parameter found: The heaviest first.
  private static func mergedOnce(
    _ found: [Found], _ samples: ShapeSamples, _ tolerance: ShapeTolerance, facing: Bool
  ) -> [Found] {
    var wide = tolerance
    wide.distance *= mergeTolerance
    var groups: [(find: Found, box: Box, isMerged: Bool)] = []
    for find in found {
      let box = samples.box(of: find.numbers)
      let index = groups.firstIndex { group in
        isNear(box, group.box) && fits(find, on: group.find, samples, wide, facing: facing)
      }
      if let index {
        groups[index].box.add(box)
        groups[index].find.numbers += find.numbers
        groups[index].find.weight += find.weight
        groups[index].isMerged = true
      } else {
        groups.append((find, box, false))
      }
    }
    let joined = groups.map { group in
      guard group.isMerged else { return group.find }
      var find = group.find
      find.numbers.sort()
      find.model =
        find.model.fitted(to: samples, find.numbers, tolerance: wide.distance) ?? find.model
      return find
    }
    return joined.sorted { $0.weight > $1.weight }
  }

  /// Whether a part is near a larger one.
  static func isNear(_ part: Box, _ larger: Box) -> Bool {
    let gap = pointwiseMax(part.minimum - larger.maximum, larger.minimum - part.maximum)
    return pointwiseMax(gap, .zero).length <= Float(greatestGap) * larger.extent
  }

  private static func fits(
    _ find: Found, on other: Found, _ samples: ShapeSamples, _ tolerance: ShapeTolerance,
    facing: Bool
  ) -> Bool {
    let (model, kind) = (other.model, find.model.kind)
    guard kind == model.kind else { return false }
    if kind == .plane, facing, model.axis.dot(find.model.axis) <= 0 { return false }
    let step = max(1, find.numbers.count / mergeTrial)
    let trial = stride(from: 0, to: find.numbers.count, by: step).map { find.numbers[$0] }
    let fitting = trial.count { tolerance.accepts(model, samples.sample($0)) }
    return Double(fitting) >= mergeShare * Double(trial.count)
  }
}
