import MeshpipeBase
package import MeshpipeScene

/// The motion that brings a scan to where some of its points are on a map, by weighted least squares.
///
/// A level fit has a closed form: the best turn about the vertical. A free one is found by Gauss–Newton steps from 24 turns, all
/// of which the axes can have. Robust fits lessen the weight of what is far off (Cauchy), as positions of satellites need it.
package struct PlacementFit: Sendable {
  /// A point that is known in the scan and on the map; both have z up and the same unit.
  package struct Pair: Sendable {
    package var scan: SIMD3<Double>
    package var map: SIMD3<Double>
    /// The standard deviation of the map's position, along and across.
    package var deviation: (horizontal: Double, vertical: Double)

    package init(
      scan: SIMD3<Double>, map: SIMD3<Double>, deviation: (horizontal: Double, vertical: Double)
    ) {
      (self.scan, self.map, self.deviation) = (scan, map, deviation)
    }
  }

  /// What the motion may do.
  package struct Freedom: Sendable, Equatable {
    /// Up stays up.
    package var isLevel = true
    package var hasScale = false
    package var isRobust = false
    /// The turn about the vertical that is known, counterclockwise in radians; nil if it is looked for.
    package var turn: Double?

    package init() {}

    /// The number of unknowns.
    package var unknownCount: Int {
      3 + (isLevel ? (turn == nil ? 1 : 0) : 3) + (hasScale ? 1 : 0)
    }
  }

  /// From the scan to the map.
  package private(set) var transform = Transform.identity
  package private(set) var scale = 1.0
  /// From where the points are brought to where they are on the map.
  package private(set) var residuals: [SIMD3<Double>] = []
  /// The standard deviation of the turn about the vertical, in radians, if the deviations of the pairs are right.
  package private(set) var turnDeviation = Double.infinity

  private var weights: [SIMD3<Double>]

  /// Rounds of a robust fit, and steps of a free one.
  private static let rounds = 30
  /// A turn is not determined by points that are less than this share of their deviation apart, and a free turn not by points
  /// nearly on a line.
  private static let least = (spread: 1e-3, width: 0.02)

  /// - Parameter pairs: One at least.
  /// - Returns: Nil if the points do not determine the motion.
  package init?(_ pairs: [Pair], _ freedom: Freedom) {
    guard !pairs.isEmpty else { return nil }
    weights = pairs.map {
      let (across, up) = (max($0.deviation.horizontal, 1e-6), max($0.deviation.vertical, 1e-6))
      return 1 / SIMD3(across * across, across * across, up * up)
    }
    let given = weights
    if !freedom.isLevel, !Self.isWide(pairs.map(\.scan)) { return nil }
    for _ in 0..<(freedom.isRobust ? Self.rounds : 1) {
      guard freedom.isLevel ? fitLevel(pairs, freedom) : fitFree(pairs, freedom) else { return nil }
      residuals = pairs.map { $0.map - transform.apply(toPoint: $0.scan) }
      guard freedom.isRobust else { break }
      weights = pairs.indices.map { index in
        let r = residuals[index]
        let distance = (r * r * given[index]).sum()
        // 2.4 deviations keep 95 % of the efficiency for Gaussian errors.
        return given[index] / (1 + distance / (2.4 * 2.4))
      }
    }
  }

  /// The root of the mean square of the residuals' lengths.
  package var rootMeanSquare: Double {
    let sum = residuals.reduce(0) { $0 + $1.dot($1) }
    return (sum / Double(max(1, residuals.count))).squareRoot()
  }

  // MARK: Level

  private mutating func fitLevel(_ pairs: [Pair], _ freedom: Freedom) -> Bool {
    let (from, to) = (center(of: pairs.map(\.scan)), center(of: pairs.map(\.map)))
    var (sine, cosine, spread) = (0.0, 0.0, 0.0)
    for (pair, weight) in zip(pairs, weights) {
      let (p, q) = (pair.scan - from, pair.map - to)
      sine += weight.x * (p.x * q.y - p.y * q.x)
      cosine += weight.x * (p.x * q.x + p.y * q.y)
      spread += weight.x * (p.x * p.x + p.y * p.y)
    }
    turnDeviation = freedom.turn != nil ? 0 : spread > 0 ? 1 / spread.squareRoot() : .infinity
    guard freedom.turn != nil || spread.squareRoot() > Self.least.spread else { return false }
    let angle = freedom.turn ?? SIMD2(cosine, sine).angle
    let turn = Transform(rotationAbout: SIMD3(0, 0, 1), by: angle)
    scale = 1
    if freedom.hasScale {
      var (product, square) = (0.0, 0.0)
      for (pair, weight) in zip(pairs, weights) {
        let p = turn.apply(toVector: pair.scan - from)
        product += (weight * p * (pair.map - to)).sum()
        square += (weight * p * p).sum()
      }
      guard square > 0, product > 0 else { return false }
      scale = product / square
    }
    place(Transform(scale: SIMD3(repeating: scale)) * turn, from, to)
    return true
  }

  /// The weighted middle, axis by axis.
  private func center(of points: [SIMD3<Double>]) -> SIMD3<Double> {
    var (sum, weight) = (SIMD3<Double>.zero, SIMD3<Double>.zero)
    for (point, own) in zip(points, weights) {
      sum += own * point
      weight += own
    }
    return sum / weight
  }

  private mutating func place(
    _ linear: Transform, _ from: SIMD3<Double>, _ to: SIMD3<Double>
  ) {
    transform = linear
    transform.translation = to - linear.apply(toVector: from)
  }

  // MARK: Free

  /// Whether points span more than a line.
  private static func isWide(_ points: [SIMD3<Double>]) -> Bool {
    guard points.count > 2, let first = points.first,
      let far = points.max(by: { ($0 - first).length < ($1 - first).length })
    else { return false }
    let axis = far - first
    let length = axis.length
    guard length > 0 else { return false }
    let widest = points.reduce(0) { max($0, axis.cross($1 - first).length / length) }
    return widest > least.width * length
  }

  private mutating func fitFree(_ pairs: [Pair], _ freedom: Freedom) -> Bool {
    let (from, to) = (center(of: pairs.map(\.scan)), center(of: pairs.map(\.map)))
    var best: (cost: Double, fit: PlacementFit)?
    for start in Self.turns {
      var trial = self
      trial.scale = 1
      trial.place(start, from, to)
      guard let cost = trial.descend(pairs, freedom, about: to) else { continue }
      if cost < best?.cost ?? .infinity { best = (cost, trial) }
    }
    guard let fit = best?.fit else { return false }
    self = fit
    return true
  }

  /// The 24 turns that map axes to axes.
  private static let turns: [Transform] = {
    let ups: [(axis: SIMD3<Double>, angle: Double)] = [
      (SIMD3(1, 0, 0), 0), (SIMD3(1, 0, 0), .pi / 2), (SIMD3(1, 0, 0), .pi),
      (SIMD3(1, 0, 0), -.pi / 2), (SIMD3(0, 1, 0), .pi / 2), (SIMD3(0, 1, 0), -.pi / 2),
    ]
    return ups.flatMap { up in
      (0..<4).map { quarter in
        Transform(rotationAbout: SIMD3(0, 0, 1), by: Double(quarter) * .pi / 2)
          * Transform(rotationAbout: up.axis, by: up.angle)
      }
    }
  }()

  /// Goes to the nearest minimum; its cost, or nil if the points do not determine it.
  private mutating func descend(
    _ pairs: [Pair], _ freedom: Freedom, about center: SIMD3<Double>
  ) -> Double? {
    let count = freedom.hasScale ? 7 : 6
    for _ in 0..<Self.rounds {
      var equations = DenseNormalEquations(unknownCount: count)
      for (pair, weight) in zip(pairs, weights) {
        let arm = transform.apply(toPoint: pair.scan) - center
        let residual = pair.map - center - arm
        let rows = [
          [0, arm.z, -arm.y, 1, 0, 0, arm.x], [-arm.z, 0, arm.x, 0, 1, 0, arm.y],
          [arm.y, -arm.x, 0, 0, 0, 1, arm.z],
        ]
        for axis in 0..<3 {
          equations.add(
            Array(rows[axis].prefix(count)), equals: residual[axis], weight: weight[axis])
        }
      }
      guard let step = equations.solution(pivotsAbove: 0) else { return nil }
      let turn = SIMD3(step[0], step[1], step[2])
      let angle = min(turn.length, 0.5)
      let factor = freedom.hasScale ? max(0.5, min(2, 1 + step[6])) : 1
      var motion = Transform(scale: SIMD3(repeating: factor))
      if angle > 0 { motion = motion * Transform(rotationAbout: turn.normalized, by: angle) }
      scale *= factor
      transform =
        Transform(translation: center + SIMD3(step[3], step[4], step[5]))
        * motion * Transform(translation: -center) * transform
      if angle < 1e-12, abs(factor - 1) < 1e-12 { break }
    }
    guard scale.isFinite, transform.translation.x.isFinite else { return nil }
    let spread = zip(pairs, weights).reduce(0) { sum, entry in
      let arm = transform.apply(toPoint: entry.0.scan) - center
      return sum + entry.1.x * (arm.x * arm.x + arm.y * arm.y)
    }
    turnDeviation = spread > 0 ? 1 / spread.squareRoot() : .infinity
    return zip(pairs, weights).reduce(0) { sum, entry in
      let residual = entry.0.map - transform.apply(toPoint: entry.0.scan)
      return sum + (entry.1 * residual * residual).sum()
    }
  }
}
