import MeshPipeline

/// Fits a smooth warp to each frame, so that all frames show each spot at one place of the mesh.
///
/// After the non-rigid correction of Zhou and Koltun (2014): a coarse grid of shifts for each picture, by
/// regularised least squares over spots that were found in several pictures. A spot may slide on the
/// mesh; it is eliminated in turn with the warps.
struct WarpSolver {
  struct Options: Sendable {
    /// Nodes along the width of each picture.
    var columns = 25
    /// The error of a match in pixels: what less contradicts nothing.
    var matchError: Float = 0.2
    /// How far the shifts of neighbouring nodes differ, roughly, in pixels.
    var roughness: Float = 0.4
    /// How large shifts are, roughly, in pixels.
    var size: Float = 1
    /// The largest shift, as a share of the width: four pixels of a picture as it is compared.
    var limit: Float = 4.0 / 960
    /// Spots and warps are solved for in turn so many times.
    var rounds = 8
  }

  /// A spot as one frame shows it.
  struct Observation: Sendable {
    var frame: Int
    /// Where pose and lens say that the spot is, in pixels.
    var expected: SIMD2<Float>
    /// How that moves as the spot slides on the mesh, in two directions.
    var slopes: (SIMD2<Float>, SIMD2<Float>)
    /// Where the picture shows it.
    var found: SIMD2<Float>
    /// The one direction in which that is known, of length 1; zero when it is known in both.
    var edgeNormal = SIMD2<Float>.zero

    var visibleSlopes: (SIMD2<Float>, SIMD2<Float>) { (visible(slopes.0), visible(slopes.1)) }

    /// What of a miss, or a motion, can be seen.
    @inline(__always)
    func visible(_ move: SIMD2<Float>) -> SIMD2<Float> {
      edgeNormal == .zero ? move : edgeNormal * (edgeNormal * move).sum()
    }
  }

  /// Width and height of each picture.
  let sizes: [SIMD2<Float>]
  /// Where the observations of each spot begin; one more than there are spots.
  let starts: [Int]
  let observations: [Observation]
  var options = Options()

  private var rows: [Int] {
    sizes.map { max(2, Int((Float(options.columns - 1) * $0.y / $0.x).rounded()) + 1) }
  }

  /// The shifts of one picture while they are solved for, in pixels.
  private struct Grid: Sendable {
    var columns: Int
    var rows: Int
    var shifts: [SIMD2<Float>]

    func shift(_ node: Int, _ part: SIMD2<Float>) -> SIMD2<Float> {
      let top = shifts[node] * (1 - part.x) + shifts[node + 1] * part.x
      let bottom =
        shifts[node + columns] * (1 - part.x) + shifts[node + columns + 1] * part.x
      return top * (1 - part.y) + bottom * part.y
    }
  }

  /// The warp of each frame.
  ///
  /// - Parameter fits: Whether a spot takes part.
  func warps(where fits: (Int) -> Bool) -> [ImageWarp?] {
    var grids = zip(sizes, rows).map { _, rows in
      Grid(
        columns: options.columns, rows: rows,
        shifts: Array(repeating: .zero, count: options.columns * rows))
    }
    let spots = (0..<starts.count - 1).filter(fits)
    for _ in 0..<options.rounds { step(&grids, spots) }
    return zip(grids, sizes).map { grid, size in
      ImageWarp(
        columns: grid.columns, rows: grid.rows,
        shifts: grid.shifts.map {
          let length = ($0 * $0).sum().squareRoot()
          return $0 * min(1 / size.x, options.limit / max(length, 1e-6))
        })
    }
  }

  /// How far the observations of each spot are from where it is best placed, in pixels.
  func misses(_ warps: [ImageWarp?]) -> [Float] {
    var result = [Float](repeating: 0, count: observations.count)
    for spot in 0..<starts.count - 1 {
      let range = starts[spot]..<starts[spot + 1]
      let moved = range.map { index in
        let (frame, expected) = (observations[index].frame, observations[index].expected)
        let size = sizes[frame]
        return (warps[frame]?.shift(at: expected / size) ?? .zero) * size.x
      }
      for (index, rest) in zip(range, rests(range, moved)) {
        result[index] = (rest * rest).sum().squareRoot()
      }
    }
    return result
  }

  /// What is left of the shifts to the found places when a spot is placed best.
  private func rests(_ range: Range<Int>, _ shifts: [SIMD2<Float>]) -> [SIMD2<Float>] {
    let start = zip(range, shifts).map { index, shift in
      let observation = observations[index]
      return observation.visible(observation.found - observation.expected - shift)
    }
    var rests = start
    var weights = [Float](repeating: 1, count: rests.count)
    for _ in 0..<3 {
      var (xx, xy, yy, bx, by) = (Float(0), Float(0), Float(0), Float(0), Float(0))
      for (place, index) in range.enumerated() {
        let (a, b) = observations[index].visibleSlopes
        xx += weights[place] * (a * a).sum()
        xy += weights[place] * (a * b).sum()
        yy += weights[place] * (b * b).sum()
        bx += weights[place] * (a * start[place]).sum()
        by += weights[place] * (b * start[place]).sum()
      }
      // Along an edge a spot stays where it is.
      let hold = 1e-3 * (xx + yy)
      (xx, yy) = (xx + hold, yy + hold)
      let determinant = xx * yy - xy * xy
      guard determinant > 0, determinant.isFinite else { return start }
      let x = (bx * yy - by * xy) / determinant
      let y = (by * xx - bx * xy) / determinant
      for (place, index) in range.enumerated() {
        let (a, b) = observations[index].visibleSlopes
        rests[place] = start[place] - a * x - b * y
        weights[place] = weight(rests[place])
      }
    }
    return rests
  }

  /// Less for what is further off than matches are.
  private func weight(_ rest: SIMD2<Float>) -> Float {
    let ratio = (rest * rest).sum() / (16 * options.matchError * options.matchError)
    return 1 / ((1 + ratio) * (1 + ratio))
  }

  /// Places the spots by the warps, and then fits the warps anew.
  ///
  /// On an edge a warp is held along it to what it is (a majorisation of what can be seen): shifts across
  /// and down stay apart, and both are found in some rounds.
  private func step(_ grids: inout [Grid], _ spots: [Int]) {
    var targets = [[Target]](repeating: [], count: sizes.count)
    let chunks = Parallel.mapChunks(of: spots.count, chunkSize: 256) { [grids] chunk in
      var result: [(frame: Int, target: Target)] = []
      for spot in spots[chunk] {
        let range = starts[spot]..<starts[spot + 1]
        let cells = range.map { index in
          let observation = observations[index]
          let grid = grids[observation.frame]
          return ImageWarp.cell(
            at: observation.expected / sizes[observation.frame], grid.columns, grid.rows)
        }
        let shifts = zip(range, cells).map { index, cell in
          grids[observations[index].frame].shift(cell.node, cell.part)
        }
        for ((index, rest), place) in zip(zip(range, rests(range, shifts)), cells.indices) {
          result.append(
            (
              observations[index].frame,
              Target(
                node: cells[place].node, part: cells[place].part, shift: shifts[place] + rest,
                weight: weight(rest))
            ))
        }
      }
      return result
    }
    for chunk in chunks { for found in chunk { targets[found.frame].append(found.target) } }
    grids = Parallel.map(count: grids.count) { [grids, targets] frame in
      fitted(grids[frame], to: targets[frame])
    }
  }

  /// Where a grid should be what.
  private struct Target: Sendable {
    var node: Int
    var part: SIMD2<Float>
    var shift: SIMD2<Float>
    var weight: Float
  }

  private func fitted(_ grid: Grid, to targets: [Target]) -> Grid {
    let columns = grid.columns
    var matrix = BandedMatrix(count: grid.shifts.count, width: columns + 1)
    var x = [Double](repeating: 0, count: grid.shifts.count)
    var y = x
    let certainty = Double(1 / (options.matchError * options.matchError))
    for target in targets {
      let (u, v) = (Double(target.part.x), Double(target.part.y))
      let nodes = [target.node, target.node + 1, target.node + columns, target.node + columns + 1]
      let parts = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v]
      let weight = Double(target.weight) * certainty
      for first in 0..<4 {
        x[nodes[first]] += weight * parts[first] * Double(target.shift.x)
        y[nodes[first]] += weight * parts[first] * Double(target.shift.y)
        for second in 0...first {
          matrix.add(weight * parts[first] * parts[second], nodes[first], nodes[second])
        }
      }
    }
    let hold = Double(1 / (options.size * options.size))
    let stiffness = Double(1 / (options.roughness * options.roughness))
    for node in grid.shifts.indices {
      matrix.add(hold, node, node)
      if node % columns > 0 { matrix.tie(node, node - 1, stiffness) }
      if node >= columns { matrix.tie(node, node - columns, stiffness) }
    }
    matrix.factor()
    matrix.solve(&x)
    matrix.solve(&y)
    var result = grid
    result.shifts = zip(x, y).map { SIMD2(Float($0), Float($1)) }
    return result
  }
}

/// A symmetric positive definite matrix whose entries lie near the diagonal.
struct BandedMatrix {
  private let count: Int
  /// The most columns from the diagonal.
  private let width: Int
  /// The lower triangle: of each row, ``width`` entries before the diagonal, and the diagonal.
  private var entries: [Double]

  init(count: Int, width: Int) {
    self.count = count
    self.width = width
    entries = [Double](repeating: 0, count: count * (width + 1))
  }

  private func index(_ row: Int, _ column: Int) -> Int { row * (width + 1) + width + column - row }

  /// Adds to an entry of the lower triangle: `row` is not less than `column`.
  mutating func add(_ value: Double, _ row: Int, _ column: Int) {
    entries[index(row, column)] += value
  }

  /// Adds the square of the difference of two unknowns; the first has the higher number.
  mutating func tie(_ first: Int, _ second: Int, _ value: Double) {
    add(value, first, first)
    add(value, second, second)
    add(-value, first, second)
  }

  /// Cholesky's factor in place of the matrix.
  mutating func factor() {
    for row in 0..<count {
      for column in max(0, row - width)...row {
        var sum = entries[index(row, column)]
        for place in max(0, row - width)..<max(column, row - width, 0) {
          guard column - place <= width else { continue }
          sum -= entries[index(row, place)] * entries[index(column, place)]
        }
        entries[index(row, column)] =
          row == column ? max(sum, 1e-12).squareRoot() : sum / entries[index(column, column)]
      }
    }
  }

  /// Replaces the right side by the solution; after ``factor()``.
  func solve(_ values: inout [Double]) {
    for row in 0..<count {
      for place in max(0, row - width)..<row {
        values[row] -= entries[index(row, place)] * values[place]
      }
      values[row] /= entries[index(row, row)]
    }
    for row in (0..<count).reversed() {
      values[row] /= entries[index(row, row)]
      for place in max(0, row - width)..<row {
        values[place] -= entries[index(row, place)] * values[row]
      }
    }
  }
}
