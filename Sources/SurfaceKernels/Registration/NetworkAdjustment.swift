import MeshpipeBase
import MeshpipeScene

/// Moves scans together until the matches of all pairs fit best, in least squares with robust weights.
///
/// The first scan stays. Its frame is the one in which all are moved.
struct NetworkAdjustment {
  private let surfaces: [RegisteredSurface]
  private let pairs: [SurfaceNetwork.Pair]
  /// From the frame of each scan to that of the first; nil for a scan that is left out.
  private var poses: [Transform?]
  /// The place of the unknowns of a scan; nil for the first and those left out.
  private let places: [Int?]
  private let unknownCount: Int
  /// The Cholesky factor of the last equations, and the variance of a match.
  private var factor: [Double] = []
  private var variance = 0.0

  private static let rounds = 6
  private static let scale = 2.5
  private static let leastPivot = 1e-10
  /// The number of matches that share a sample, about, and by which what they tell is less.
  private static let sharing = 9.0

  init(
    _ surfaces: [RegisteredSurface], _ pairs: [SurfaceNetwork.Pair], _ transforms: [Transform?]
  ) {
    (self.surfaces, self.pairs) = (surfaces, pairs)
    poses = transforms.enumerated().map { index, transform in
      transform.map { surfaces[0].frame * $0 * (surfaces[index].frame.inverse ?? .identity) }
    }
    var (places, count): ([Int?], Int) = ([], 0)
    for (index, pose) in poses.enumerated() {
      let isFree = index > 0 && pose != nil
      places.append(isFree ? count : nil)
      if isFree { count += 6 }
    }
    (self.places, unknownCount) = (places, count)
  }

  /// From the coordinates of a scan to those of the first.
  func transform(of scan: Int) -> Transform {
    guard scan > 0, let pose = poses[scan] else { return .identity }
    return (surfaces[0].frame.inverse ?? .identity) * pose * surfaces[scan].frame
  }

  mutating func perform() {
    guard unknownCount > 0 else { return }
    for _ in 0..<Self.rounds {
      let equations = equations()
      guard let solution = solve(equations) else { return }
      for (index, place) in places.enumerated() {
        guard let place, let pose = poses[index] else { continue }
        let turn = SIMD3(solution[place], solution[place + 1], solution[place + 2])
        let shift = SIMD3(solution[place + 3], solution[place + 4], solution[place + 5])
        let rotation =
          turn.length > 0
          ? Transform(rotationAbout: turn.normalized, by: turn.length) : .identity
        poses[index] = Transform(translation: shift) * rotation * pose
      }
    }
  }

  private struct Equations {
    /// The lower half, row by row.
    var matrix: [Double]
    var right: [Double]
    var squares = 0.0
    var weight = 0.0
  }

  private func equations() -> Equations {
    var all = Equations(
      matrix: [Double](repeating: 0, count: unknownCount * (unknownCount + 1) / 2),
      right: [Double](repeating: 0, count: unknownCount))
    for pair in pairs {
      guard let first = poses[pair.first], let second = poses[pair.second] else { continue }
      let scale = max(Self.scale * pair.registration.residual, .leastNormalMagnitude)
      for match in pair.registration.matches {
        let (own, other) =
          match.isOfFirst ? (match.point, match.other) : (match.other, match.point)
        let (one, two) = (first.apply(toPoint: own), second.apply(toPoint: other))
        let normal = (match.isOfFirst ? first : second).apply(toVector: match.normal)
        let gap = (two - one).dot(normal)
        let weight = robustWeight(gap, scale: scale)
        all.squares += weight * gap * gap
        all.weight += weight
        add(
          (one.cross(normal), normal, places[pair.first]),
          (-two.cross(normal), -normal, places[pair.second]), gap, weight, to: &all)
      }
    }
    return all
  }

  private typealias Side = (turn: SIMD3<Double>, shift: SIMD3<Double>, place: Int?)

  private func add(
    _ first: Side, _ second: Side, _ value: Double, _ weight: Double, to equations: inout Equations
  ) {
    let sides = [first, second].filter { $0.place != nil }
      .sorted { ($0.place ?? 0) < ($1.place ?? 0) }
    for (number, side) in sides.enumerated() {
      for row in 0..<6 {
        let factor = weight * Self.term(side, row)
        let place = (side.place ?? 0) + row
        equations.right[place] += factor * value
        for (otherNumber, other) in sides[...number].enumerated() {
          let start = place * (place + 1) / 2 + (other.place ?? 0)
          for column in 0...(otherNumber == number ? row : 5) {
            equations.matrix[start + column] += factor * Self.term(other, column)
          }
        }
      }
    }
  }

  private static func term(_ side: Side, _ row: Int) -> Double {
    row < 3 ? side.turn[row] : side.shift[row - 3]
  }

  private mutating func solve(_ equations: Equations) -> [Double]? {
    var triangle = equations.matrix
    let isDefinite = Cholesky.factor(&triangle, count: unknownCount) { row, rest in
      rest > Self.leastPivot * equations.matrix[row * (row + 3) / 2] ? rest : nil
    }
    guard isDefinite else { return nil }
    factor = triangle
    variance = Self.sharing * equations.squares / max(equations.weight, 1)
    var values = equations.right
    Cholesky.solve(triangle, count: unknownCount, &values)
    return values
  }

  /// One standard deviation of the turn of a scan, in radians, and of the shift of its middle.
  func deviation(of scan: Int) -> (turn: Double, shift: Double) {
    guard let place = places[scan], let pose = poses[scan], !factor.isEmpty else { return (0, 0) }
    var block: [[Double]] = []
    for unknown in 0..<6 {
      var column = [Double](repeating: 0, count: unknownCount)
      column[place + unknown] = 1
      Cholesky.solve(factor, count: unknownCount, &column)
      block.append(Array(column[place..<place + 6]))
    }
    let turn = block[0][0] + block[1][1] + block[2][2]
    // The middle moves by the shift and by the turn times its arm.
    let arm = pose.translation
    let cross = [[0, arm.z, -arm.y], [-arm.z, 0, arm.x], [arm.y, -arm.x, 0]]
    var shift = 0.0
    for axis in 0..<3 {
      let row = cross[axis] + (0..<3).map { $0 == axis ? 1 : 0 }
      for one in 0..<6 {
        for other in 0..<6 { shift += row[one] * block[one][other] * row[other] }
      }
    }
    return ((turn * variance).squareRoot(), (max(shift, 0) * variance).squareRoot())
  }
}
