import MeshpipeScene

/// The expected errors of recorded poses: a Gaussian of the corrections, six numbers for each frame.
///
/// Each frame is off by the expected errors, and frames that follow each other by nearly the same (``DriftTerms``); both
/// count less where corrections are far greater, since tracking jumps. How large errors are in this capture is
/// estimated from corrections: those that measurements determine well tell how far the others may be expected to go
/// (MacKay, "Bayesian interpolation", 1992). Without this, exact poses would be moved by the errors of depths.
struct PosePrior {
  let recorded: [Transform]
  /// Nil for frames that are tied to none.
  let times: [SessionTime?]
  let isFixed: [Bool]
  let settings: PoseRefiner.Settings
  /// The errors' size in this capture over the expected one: of rotations and of positions.
  ///
  /// Starts wide, since a correction that starts at nothing would stay there.
  private(set) var share = (turn: initialShare, shift: initialShare)

  /// The precision of a fixed pose over that of a recorded one.
  private static let fixed = 1e8
  /// Corrections of this many expected errors count a quarter (Geman–McClure).
  private static let quarter = 3.0
  /// The least size of errors: half a millimetre of a centimetre, since no sensor shows less.
  private static let leastShare = 0.05
  private static let greatestShare = 1.0
  private static let initialShare = 3.0
  /// Vectors that the number of well-determined unknowns is estimated with: two are exact to a tenth for 30 frames, and
  /// each step estimates again.
  private static let probes: UInt64 = 2

  init(
    recorded: [Transform], times: [SessionTime?], isFixed: [Bool], settings: PoseRefiner.Settings
  ) {
    (self.recorded, self.times, self.isFixed) = (recorded, times, isFixed)
    self.settings = settings
  }

  /// The part of its weight that a correction of six numbers keeps.
  static func weight(of correction: ArraySlice<Double>, _ precision: [Double]) -> Double {
    let square = zip(correction, precision).reduce(0) { $0 + $1.0 * $1.0 * $1.1 } / 6
    let ratio = 1 + square / (quarter * quarter)
    return 1 / (ratio * ratio)
  }

  /// The prior at present corrections.
  func terms(_ corrections: [Double]) -> Terms {
    let (turn, shift) = (settings.expectedTurn * share.turn, settings.expectedShift * share.shift)
    let (forTurn, forShift) = (1 / (turn * turn), 1 / (shift * shift))
    let precision = [forTurn, forTurn, forTurn, forShift, forShift, forShift]
    return Terms(
      frames: isFixed.indices.flatMap { frame in
        let weight = Self.weight(of: corrections[6 * frame..<6 * frame + 6], precision)
        return precision.map { $0 * weight }
      },
      drift: DriftTerms(times, corrections, expected: (turn, shift)))
  }

  /// The prior, linearised.
  struct Terms {
    /// The precision of each frame's correction, six numbers each.
    let frames: [Double]
    let drift: DriftTerms

    /// The precision of each frame's correction, with fixed frames held.
    func held(_ isFixed: [Bool]) -> [Double] {
      frames.indices.map { isFixed[$0 / 6] ? frames[$0] * PosePrior.fixed : frames[$0] }
    }

    /// The precision times a vector.
    fileprivate func product(with vector: [Double]) -> [Double] {
      var result = zip(frames, vector).map { $0 * $1 }
      for pair in 0..<drift.landmarkCount { drift.addProduct(of: pair, with: vector, to: &result) }
      return result
    }
  }

  /// Estimates the size of errors from the present corrections.
  ///
  /// - Parameter solve: The inverse of the matrix of all equations, with this prior, times a vector.
  mutating func estimateShare(_ corrections: [Double], solve: ([Double]) -> [Double]) {
    let terms = terms(corrections)
    let energy = Self.sums(corrections, terms.product(with: corrections))
    var trace = (turn: 0.0, shift: 0.0)
    for probe in 0..<Self.probes {
      let signs = corrections.indices.map { Self.sign($0, probe) }
      let part = Self.sums(solve(signs), terms.product(with: signs))
      trace.turn += part.turn / Double(Self.probes)
      trace.shift += part.shift / Double(Self.probes)
    }
    let count = Double(corrections.count / 2)
    func estimate(_ share: Double, _ energy: Double, _ trace: Double) -> Double {
      let determined = count - trace
      guard determined > 1, energy.isFinite else { return share }
      return min(
        max(share * (energy / determined).squareRoot(), Self.leastShare),
        Self.greatestShare)
    }
    share = (
      estimate(share.turn, energy.turn, trace.turn),
      estimate(share.shift, energy.shift, trace.shift)
    )
  }

  /// The inner products of two vectors' rotations and of their positions.
  private static func sums(_ a: [Double], _ b: [Double]) -> (turn: Double, shift: Double) {
    var sums = (turn: 0.0, shift: 0.0)
    for index in a.indices {
      let product = a[index] * b[index]
      if index % 6 < 3 { sums.turn += product } else { sums.shift += product }
    }
    return sums
  }

  /// 1 or −1 without pattern, the same in every run.
  private static func sign(_ index: Int, _ probe: UInt64) -> Double {
    var bits = (UInt64(index) + 1) &* 0x9E37_79B9_7F4A_7C15 &+ probe &* 0xD1B5_4A32_D192_ED03
    bits = (bits ^ bits >> 31) &* 0xBF58_476D_1CE4_E5B9
    return (bits ^ bits >> 29) & 1 == 0 ? 1 : -1
  }
}
