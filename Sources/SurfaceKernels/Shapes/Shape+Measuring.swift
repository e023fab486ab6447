import MeshpipeScene
import POSIX

extension ShapeModel {
  /// The shape in the units of a scene.
  func shape(in frame: WorkingFrame) -> Shape {
    var shape = Shape(
      kind, center: center * frame.scale + frame.middle, axis: axis,
      radius: radius * frame.scale, tubeRadius: tube * frame.scale)
    if kind == .cone { shape.halfAngle = atan2(slope.x, slope.y) }
    if kind != .sphere { shape.reference = sides.0 }
    return shape
  }
}

extension Shape {
  /// Sets what depends on the samples: counts, residuals and the extent.
  ///
  /// - Parameters:
  ///   - isArea: Whether weights are areas.
  ///   - forEachPoint: Calls a closure for all points that the extent includes.
  mutating func measure(
    _ find: ShapeSearch.Found, samples: ShapeSamples, frame: WorkingFrame, isArea: Bool,
    _ forEachPoint: ((SIMD3<Double>) -> Void) -> Void
  ) {
    count = find.numbers.count
    if isArea { area = find.weight * frame.scale * frame.scale }
    var (squares, largest, outward) = (0.0, 0.0, 0.0)
    for number in find.numbers {
      let (position, normal) = samples.sample(number)
      let (distance, direction) = find.model.nearest(to: position)
      let weight = Double(samples.weights[Int(number)])
      squares += distance * distance * weight
      largest = max(largest, distance.magnitude)
      outward += direction.dot(normal) * weight
    }
    // A plane looks where its faces or points look.
    if kind == .plane, outward < 0 { axis = -axis }
    isInward = isArea && kind != .plane && outward < 0
    rootMeanSquare = (squares / max(find.weight, .leastNormalMagnitude)).squareRoot() * frame.scale
    largestResidual = largest * frame.scale
    switch kind {
    case .plane: measureRectangle(frame.scale, forEachPoint)
    case .sphere: break
    case .cylinder, .cone, .torus: measureAround(forEachPoint)
    }
  }

  /// The smallest rectangle; the center becomes its middle.
  private mutating func measureRectangle(
    _ scale: Double, _ forEachPoint: ((SIMD3<Double>) -> Void) -> Void
  ) {
    let across = axis.cross(reference)
    var flat: [SIMD2<Float>] = []
    forEachPoint { point in
      let offset = (point - center) / scale
      flat.append(SIMD2(Float(offset.dot(reference)), Float(offset.dot(across))))
    }
    let hull = ConvexHull(of: flat)
    let direction = hull.smallestBoxDirection
    let (first, second) = (
      SIMD2<Double>(direction), SIMD2(-Double(direction.y), Double(direction.x))
    )
    var (low, high) = (
      SIMD2<Double>(repeating: .infinity), SIMD2<Double>(repeating: -.infinity)
    )
    for corner in hull.corners {
      let position = SIMD2<Double>(corner)
      let turned = SIMD2((position * first).sum(), (position * second).sum())
      low = pointwiseMin(low, turned)
      high = pointwiseMax(high, turned)
    }
    guard low.x <= high.x else { return }
    let middle = (low + high) / 2 * scale
    size = (high - low) * scale
    let turned = reference * first.x + across * first.y
    center += turned * middle.x + axis.cross(turned) * middle.y
    reference = turned.normalized
  }

  /// Heights along the axis and the part around it; the center of a cylinder or cone goes to the middle.
  private mutating func measureAround(_ forEachPoint: ((SIMD3<Double>) -> Void) -> Void) {
    let across = axis.cross(reference)
    var (low, high) = (Double.infinity, -Double.infinity)
    var turn = TurnCoverage()
    forEachPoint { point in
      let offset = point - center
      let height = offset.dot(axis)
      (low, high) = (min(low, height), max(high, height))
      turn.add(atan2(offset.dot(across), offset.dot(reference)))
    }
    angles = turn.range
    guard kind != .torus, low <= high else { return }
    let middle = (low + high) / 2
    center += axis * middle
    if kind == .cone { radius += middle * tan(halfAngle) }
    heights = (low - high) / 2...(high - low) / 2
  }
}

/// The part of a turn about an axis at which something is.
struct TurnCoverage {
  private var isThere = [Bool](repeating: false, count: TurnCoverage.steps)

  /// The steps of a turn, and the longest gap, in steps, that still is part of it.
  private static let (steps, closedGap) = (180, 15)

  mutating func add(_ angle: Double) {
    let turn = angle / (2 * .pi)
    let step = (turn - turn.rounded(.down)) * Double(Self.steps)
    if step.isFinite { isThere[min(Int(step), Self.steps - 1)] = true }
  }

  /// All around but the largest gap.
  var range: ClosedRange<Double> {
    let count = Self.steps
    var (gap, end, length) = (0, 0, 0)
    for step in 0..<2 * count {
      length = isThere[step % count] ? 0 : length + 1
      if length > gap, length <= count { (gap, end) = (length, (step + 1) % count) }
    }
    guard gap > Self.closedGap, gap < count else { return 0...2 * .pi }
    let unit = 2 * .pi / Double(count)
    return Double(end) * unit...Double(end + count - gap) * unit
  }

  var angle: Double { range.upperBound - range.lowerBound }
}
