import MeshpipeBase
import MeshpipeScene

/// The differences between the corrections of frames that follow each other in time: a phone's errors change slowly.
///
/// Each pair of neighbours is a landmark without unknowns of its own. Where tracking jumps, a pair loses its weight. Each
/// session is a chain by itself.
struct DriftTerms: LandmarkTerms {
  private let pairs: [Pair]
  let unknownCount: Int

  var landmarkCount: Int { pairs.count }

  /// Two frames, one after the other.
  private struct Pair: Sendable {
    var first: Int
    var second: Int
    /// The first's correction minus the second's: rotation and translation.
    var residual: [Double]
    /// One over the variance of each.
    var precision: [Double]
  }

  /// The share of the expected error by which two frames differ at once, and that by which they come to differ in a
  /// second.
  private static let jitter = 0.15
  private static let rate = 0.3

  /// - Parameters:
  ///   - times: Nil for frames that are tied to none.
  ///   - corrections: The motions of all cameras from their recorded poses, six numbers each.
  ///   - expected: The expected errors of recorded poses: radians and units of the scene.
  init(
    _ times: [SessionTime?], _ corrections: [Double], expected: (turn: Double, shift: Double)
  ) {
    let order = times.indices.compactMap { index in
      times[index].map { (time: $0, frame: index) }
    }.sorted { ($0.time, $0.frame) < ($1.time, $1.frame) }
    unknownCount = corrections.count
    let neighbors = zip(order, order.dropFirst()).filter { $0.time.session == $1.time.session }
    pairs = neighbors.map { before, after in
      let drift = Self.rate * (after.time.seconds - before.time.seconds)
      let share = 1 / (Self.jitter * Self.jitter + drift * drift)
      let turn = share / (expected.turn * expected.turn)
      let shift = share / (expected.shift * expected.shift)
      let precision = [turn, turn, turn, shift, shift, shift]
      let residual = (0..<6).map {
        corrections[6 * before.frame + $0] - corrections[6 * after.frame + $0]
      }
      let weight = PosePrior.weight(of: residual[...], precision)
      return Pair(
        first: before.frame, second: after.frame, residual: residual,
        precision: precision.map { $0 * weight })
    }
  }

  func addProduct(of landmark: Int, with vector: [Double], to sums: inout [Double]) {
    let pair = pairs[landmark]
    add(pair, to: &sums) { vector[6 * pair.first + $0] - vector[6 * pair.second + $0] }
  }

  func addRightHandSide(of landmark: Int, to sums: inout [Double]) {
    let pair = pairs[landmark]
    add(pair, to: &sums) { -pair.residual[$0] }
  }

  private func add(_ pair: Pair, to sums: inout [Double], _ value: (Int) -> Double) {
    for axis in 0..<6 {
      let slope = pair.precision[axis] * value(axis)
      sums[6 * pair.first + axis] += slope
      sums[6 * pair.second + axis] -= slope
    }
  }

  /// Adds to the matrix's blocks of single cameras.
  func add(to blocks: inout [SymmetricBlock]) {
    for pair in pairs {
      blocks[pair.first].addDiagonal(pair.precision[...])
      blocks[pair.second].addDiagonal(pair.precision[...])
    }
  }
}
