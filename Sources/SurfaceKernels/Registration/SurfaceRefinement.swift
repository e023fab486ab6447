import MeshpipeBase
import MeshpipeScene

/// Brings two surfaces that nearly lie on each other together: iterative closest points by the distance from planes, of
/// samples of both, with robust weights whose scale falls (graduated non-convexity, Zhou, Park and Koltun 2016).
///
/// What has no counterpart has no weight, so that the overlap need not be known.
struct SurfaceRefinement {
  private(set) var transform: Transform

  private static let narrowing = 0.7
  /// The scale at the end: this multiple of the median distance, but not less than a share of a cell.
  private static let (lastWidth, leastWidth) = (2.5, 0.02)
  /// The movement at which it ends, in cells.
  private static let still = 1e-4

  init(
    _ first: SurfaceCells, _ second: SurfaceCells, from start: Transform, rounds: Int,
    limit: Int = .max
  ) {
    transform = start
    let size = Double(first.size)
    var width = size
    for _ in 0..<rounds {
      let matches = SurfaceMatches(
        first, second, transform, within: Float(max(1.5 * width, 0.1 * size)), limit: limit)
      let residuals = matches.residuals(transform)
      guard let median = residuals.median() else { return }
      let least = max(Self.lastWidth * median, Self.leastWidth * size)
      width = max(min(width, Self.narrowing * width), least)
      guard let step = equations(of: matches, scale: width).movement else { return }
      transform = step.transform * transform
      if width == least, step.length < Self.still * size { return }
    }
  }

  /// The equations of the movement of the second surface, in the coordinates of the first.
  func equations(of matches: SurfaceMatches, scale: Double) -> MatchEquations {
    var (sum, box) = (SIMD3<Double>.zero, Box())
    for match in matches.matches {
      let place = match.isOfFirst ? match.point : transform.apply(toPoint: match.point)
      sum += place
      box.add(SIMD3<Float>(place))
    }
    var equations = MatchEquations(
      about: sum / Double(max(matches.matches.count, 1)), reach: Double(box.extent) / 2)
    for match in matches.matches {
      var (fixed, moving, normal) = (
        match.point, transform.apply(toPoint: match.other), match.normal
      )
      if !match.isOfFirst {
        (fixed, moving) = (match.other, transform.apply(toPoint: match.point))
        normal = transform.apply(toVector: match.normal)
      }
      let gap = (fixed - moving).dot(normal)
      equations.add(moving, along: normal, by: gap, weight: robustWeight(gap, scale: scale))
    }
    return equations
  }
}
