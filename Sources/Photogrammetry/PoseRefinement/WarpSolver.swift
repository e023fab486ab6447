import MeshpipeScene

/// Fits a smooth warp to each frame, so that all frames show each landmark at one point of the mesh.
///
/// After the non-rigid correction of Zhou and Koltun, "Color map optimization for 3D reconstruction" (2014): a coarse
/// grid of shifts for each image (bilinear between its nodes), by regularised least squares over landmarks that were
/// observed in several images; reprojection errors of matched patches take the place of their photometric ones. A
/// landmark may slide on the mesh; landmarks and warps are solved alternately.
///
/// Positions are in pixels of the compared images, about 960 wide; poses and lenses are fixed.
struct WarpSolver {
  struct Options: Sendable {
    /// Nodes along the width of each image: every 40 pixels, so that several landmarks of 20 columns, with matches from
    /// other frames, fix each.
    var columns = 25
    /// The error of a match in pixels, of interpolated correlation: smaller residuals contradict nothing.
    var matchError: Float = 0.2
    /// The approximate difference between the shifts of neighbouring nodes, in pixels.
    ///
    /// Smaller, warps can't follow a mesh that is off in places; larger, they follow single wrong matches.
    var roughness: Float = 0.4
    /// The approximate size of shifts, in pixels: what poses leave of a rolling shutter or some millimetres of mesh.
    var size: Float = 1
    /// The largest shift, as a share of the width: four pixels of a compared image.
    var limit: Float = 4.0 / 960
    /// The number of times that landmarks and warps are solved alternately: after 8, images
    /// that are bent by two pixels are straight to 0.3 (``WarpSolverTests``).
    var rounds = 8
  }

  /// A landmark as one frame shows it.
  struct Observation: Sendable {
    var frame: Int
    /// The predicted position of the landmark by pose and lens, in pixels.
    var predicted: SIMD2<Float>
    /// The derivatives of ``predicted`` as the landmark slides on the mesh, in two directions.
    var derivatives: (SIMD2<Float>, SIMD2<Float>)
    /// The position in the image.
    var observed: SIMD2<Float>
    /// The one direction in which that is known, of length 1; zero if it is known in both.
    var edgeNormal = SIMD2<Float>.zero

    var observableDerivatives: (SIMD2<Float>, SIMD2<Float>) {
      (observable(derivatives.0), observable(derivatives.1))
    }

    /// The observable part of a residual, or a motion.
    @inline(__always)
    func observable(_ move: SIMD2<Float>) -> SIMD2<Float> {
      edgeNormal == .zero ? move : edgeNormal * (edgeNormal * move).sum()
    }
  }

  /// Rounds of reweighting a landmark's observations: few, since they begin again in each of the solver's rounds.
  private static let robustRounds = 3
  /// The damping that holds a landmark where it is along an edge, as a share of what the observations say across.
  private static let damping: Float = 1e-3
  /// The residual, in errors of a match, at which an observation has a quarter of its weight (Geman–McClure).
  private static let quarterWeight: Float = 4
  /// A shift that is shorter, in pixels, has any length for the limit, which is far above it.
  private static let leastLength: Float = 1e-6

  /// Width and height of each image.
  let sizes: [SIMD2<Float>]
  /// Where the observations of each landmark begin; one more element than there are landmarks.
  let starts: [Int]
  let observations: [Observation]
  var options = Options()

  private var rows: [Int] {
    sizes.map { max(2, Int((Float(options.columns - 1) * $0.y / $0.x).rounded()) + 1) }
  }

  /// The shifts of one image while they are solved for, in pixels.
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
  /// - Parameter fits: Whether a landmark is used.
  func warps(where fits: (Int) -> Bool) -> [ImageWarp?] {
    var grids = zip(sizes, rows).map { _, rows in
      Grid(
        columns: options.columns, rows: rows,
        shifts: Array(repeating: .zero, count: options.columns * rows))
    }
    let landmarks = (0..<starts.count - 1).filter(fits)
    for _ in 0..<options.rounds { step(&grids, landmarks) }
    return zip(grids, sizes).map { grid, size in
      ImageWarp(
        columns: grid.columns, rows: grid.rows,
        shifts: grid.shifts.map {
          let length = ($0 * $0).sum().squareRoot()
          return $0 * min(1 / size.x, options.limit / max(length, Self.leastLength))
        })
    }
  }

  /// The residuals of the observations of each landmark at its best position, in pixels.
  func residuals(_ warps: [ImageWarp?]) -> [Float] {
    var result = [Float](repeating: 0, count: observations.count)
    for landmark in 0..<starts.count - 1 {
      let range = starts[landmark]..<starts[landmark + 1]
      let moved = range.map { index in
        let (frame, predicted) = (observations[index].frame, observations[index].predicted)
        let size = sizes[frame]
        return (warps[frame]?.shift(at: predicted / size) ?? .zero) * size.x
      }
      for (index, residual) in zip(range, residuals(range, moved)) {
        result[index] = (residual * residual).sum().squareRoot()
      }
    }
    return result
  }

  /// The residuals of the shifts to the observed positions when a landmark is at its best position.
  private func residuals(_ range: Range<Int>, _ shifts: [SIMD2<Float>]) -> [SIMD2<Float>] {
    let start = zip(range, shifts).map { index, shift in
      let observation = observations[index]
      return observation.observable(observation.observed - observation.predicted - shift)
    }
    var residuals = start
    var weights = [Float](repeating: 1, count: residuals.count)
    for _ in 0..<Self.robustRounds {
      var (xx, xy, yy, bx, by) = (Float(0), Float(0), Float(0), Float(0), Float(0))
      for (place, index) in range.enumerated() {
        let (a, b) = observations[index].observableDerivatives
        xx += weights[place] * (a * a).sum()
        xy += weights[place] * (a * b).sum()
        yy += weights[place] * (b * b).sum()
        bx += weights[place] * (a * start[place]).sum()
        by += weights[place] * (b * start[place]).sum()
      }
      let damping = Self.damping * (xx + yy)
      (xx, yy) = (xx + damping, yy + damping)
      let determinant = xx * yy - xy * xy
      guard determinant > 0, determinant.isFinite else { return start }
      let x = (bx * yy - by * xy) / determinant
      let y = (by * xx - bx * xy) / determinant
      for (place, index) in range.enumerated() {
        let (a, b) = observations[index].observableDerivatives
        residuals[place] = start[place] - a * x - b * y
        weights[place] = weight(residuals[place])
      }
    }
    return residuals
  }

  /// Less weight for residuals larger than those of correct matches.
  private func weight(_ residual: SIMD2<Float>) -> Float {
    let ratio =
      (residual * residual).sum()
      / (Self.quarterWeight * Self.quarterWeight * options.matchError * options.matchError)
    return 1 / ((1 + ratio) * (1 + ratio))
  }

  /// Solves for the positions of the landmarks, then for the warps.
  ///
  /// On an edge a warp is held at its present value along the edge (a majorisation of the
  /// observable part): shifts across and down remain separate, and converge in some rounds.
  private func step(_ grids: inout [Grid], _ landmarks: [Int]) {
    var targets = [[Target]](repeating: [], count: sizes.count)
    let chunks = Parallel.mapChunks(of: landmarks.count, chunkSize: 256) { [grids] chunk in
      var result: [(frame: Int, target: Target)] = []
      for landmark in landmarks[chunk] {
        let range = starts[landmark]..<starts[landmark + 1]
        let cells = range.map { index in
          let observation = observations[index]
          let grid = grids[observation.frame]
          return ImageWarp.cell(
            at: observation.predicted / sizes[observation.frame], grid.columns, grid.rows)
        }
        let shifts = zip(range, cells).map { index, cell in
          grids[observations[index].frame].shift(cell.node, cell.part)
        }
        for ((index, residual), place) in zip(zip(range, residuals(range, shifts)), cells.indices) {
          result.append(
            (
              observations[index].frame,
              Target(
                node: cells[place].node, part: cells[place].part, shift: shifts[place] + residual,
                weight: weight(residual))
            ))
        }
      }
      return result
    }
    for chunk in chunks { for entry in chunk { targets[entry.frame].append(entry.target) } }
    grids = Parallel.map(count: grids.count) { [grids, targets] frame in
      fitted(grids[frame], to: targets[frame])
    }
  }

  /// The desired value of a grid at a position.
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
    let matchPrecision = Double(1 / (options.matchError * options.matchError))
    for target in targets {
      let (u, v) = (Double(target.part.x), Double(target.part.y))
      let nodes = [target.node, target.node + 1, target.node + columns, target.node + columns + 1]
      let parts = [(1 - u) * (1 - v), u * (1 - v), (1 - u) * v, u * v]
      let weight = Double(target.weight) * matchPrecision
      for first in 0..<4 {
        x[nodes[first]] += weight * parts[first] * Double(target.shift.x)
        y[nodes[first]] += weight * parts[first] * Double(target.shift.y)
        for second in 0...first {
          matrix.add(weight * parts[first] * parts[second], nodes[first], nodes[second])
        }
      }
    }
    let sizePrecision = Double(1 / (options.size * options.size))
    let roughnessPrecision = Double(1 / (options.roughness * options.roughness))
    for node in grid.shifts.indices {
      matrix.add(sizePrecision, node, node)
      if node % columns > 0 { matrix.tie(node, node - 1, roughnessPrecision) }
      if node >= columns { matrix.tie(node, node - columns, roughnessPrecision) }
    }
    matrix.factor()
    matrix.solve(&x)
    matrix.solve(&y)
    var result = grid
    result.shifts = zip(x, y).map { SIMD2(Float($0), Float($1)) }
    return result
  }
}
